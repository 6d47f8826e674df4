import { markup, type Markup } from "@hookwarden/testing/html";
import { severities } from "../codes.ts";
import type { ReviewReport, ReviewSubject, VerdictSheet } from "../report.ts";
import { count, list, named, sentence, table } from "./texts.ts";

const suggestions: {
  readonly [S in VerdictSheet["suggestion"]]: { readonly word: string; readonly mark: string };
} = {
  refuse: { word: "Do not install", mark: "✕" },
  look: { word: "Inspect before installing", mark: "!" },
  approve: { word: "No blocking findings", mark: "✓" },
};

/** The first page: what was reviewed, what is suggested and why, and room for a person's decision. */
export function sheet(report: ReviewReport): Markup {
  const { subject, sheet: verdict, hooks, notDone } = report;
  const { word, mark } = suggestions[verdict.suggestion];
  return markup`<header class="head">
      <p class="eyebrow">Security review of a ${subject.kind}</p>
      <h1>${named(subject)}</h1>
    </header>
    <section class="sheet ${verdict.suggestion}" aria-labelledby="verdict">
      <div class="sheet-head">
        <span class="mark" aria-hidden="true">${mark}</span>
        <div>
          <h2 id="verdict">${word}</h2>
          <p class="why">${sentence(verdict.why)}</p>
        </div>
      </div>
      <ul class="tiles">
        ${severities.map(
          (severity) =>
            markup`<li class="tile ${severity} ${verdict.counts[severity] === 0 ? "none" : ""}">
              <strong>${verdict.counts[severity]}</strong> <span>${severity}</span>
            </li>`,
        )}
      </ul>
      <p class="note">Suggested by the findings. The decision is yours.</p>
    </section>
    ${
      notDone.length === 0
        ? null
        : markup`<section class="notice" aria-labelledby="not-done">
            <h2 id="not-done">Not reviewed</h2>
            ${list(notDone.map(sentence), "")}
          </section>`
    }
    ${scope(report)}
    ${hooks.length > 1 ? overview(report) : null}
    ${paper}`;
}

/** Where a person decides, on paper. */
const paper = markup`<section class="paper" aria-hidden="true">
  <h2>Decision</h2>
  <dl>
    ${["Approved / refused", "Reviewer", "Date", "Signature"].map(
      (what) =>
        markup`<div>
          <dt>${what}</dt>
          <dd></dd>
        </div>`,
    )}
  </dl>
</section>`;

/** What the review looked at. */
function scope(report: ReviewReport): Markup {
  const { corpus, subject } = report;
  return markup`<section class="facts" aria-labelledby="looked-at">
    <h2 id="looked-at" class="sr">Scope of the review</h2>
    <p class="quiet">
      ${count(corpus.calls, "hook call")} on ${count(corpus.recorded, "recorded event")},
      ${count(corpus.cases, "event")} from test cases and ${count(corpus.generated, "generated event")}.
    </p>
    ${digests(subject, report)}
  </section>`;
}

function digests(
  { pack, bundle }: ReviewSubject,
  { corpus, sheet: { findingsDigest } }: ReviewReport,
): Markup {
  const rows: (readonly [string, string])[] = [
    ["Pack", pack],
    ...(bundle
      ? ([
          ["Bundle", bundle.digest],
          ["Signature", bundle.signed ? `valid, key ${bundle.key ?? "without a name"}` : "none"],
        ] as const)
      : []),
    ["Recorded events", corpus.digest],
    ["Findings", findingsDigest],
  ];
  return markup`<details class="digests">
    <summary>Digests for the review record</summary>
    <dl>
      ${rows.map(
        ([what, digest]) =>
          markup`<div>
            <dt>${what}</dt>
            <dd><code>${digest}</code></dd>
          </div>`,
      )}
    </dl>
  </details>`;
}

function overview({ hooks }: ReviewReport): Markup {
  return markup`<section aria-labelledby="hooks">
    <h2 id="hooks">${count(hooks.length, "hook")}</h2>
    ${table(
      "Hooks",
      ["hook", "version", ...severities, "may", "own code covered"],
      hooks.map(({ name, version, counts, powers, code }, index) => [
        markup`<a href="#hook-${index + 1}"><code>${name}</code></a>`,
        version,
        ...severities.map((severity) =>
          counts[severity] === 0
            ? markup`<span class="quiet">0</span>`
            : markup`<strong class="text-${severity}">${counts[severity]}</strong>`,
        ),
        powers.list
          .filter(({ granted, danger }) => granted && danger > 0)
          .slice(0, 4)
          .map(({ name: power }) => power)
          .join(", ") || "–",
        share(code.coverage.own),
      ]),
      "numbers",
    )}
  </section>`;
}

function share({ taken, all }: { readonly taken: number; readonly all: number }): string {
  return all === 0 ? "–" : `${Math.floor((100 * taken) / all)} %`;
}
