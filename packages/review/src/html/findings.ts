import { markup, type Markup, words } from "@hookwarden/testing/html";
import { reviewTable, severities } from "../codes.ts";
import type { Evidence, GuestText, ReviewFinding } from "../report.ts";
import { badge, count, guestBlock, place, sentence } from "./texts.ts";

/** More than so many of one severity are folded, worst first all the same. */
const maxOpen = 12;

/** Failing cases come before everything else. */
const groups = ["cases", ...severities] as const;

function groupOf({ code, severity }: ReviewFinding): (typeof groups)[number] {
  return code === "case-fails" ? "cases" : severity;
}

/** All findings, worst first. */
export function findings(all: readonly ReviewFinding[]): Markup {
  return markup`<section aria-labelledby="findings">
    <h2 id="findings">Findings</h2>
    ${
      all.length === 0
        ? markup`<p class="good-line">No findings.</p>`
        : groups.map((severity) => {
            const some = all.filter((finding) => groupOf(finding) === severity);
            if (some.length === 0) return null;
            // What most honest hooks have is one line.
            const open = severity === "low" || severity === "info" ? [] : some.slice(0, maxOpen);
            const rest = some.slice(open.length);
            return markup`${open.map(one)}
            ${
              rest.length > 0
                ? markup`<details class="more">
                    <summary>
                      ${count(rest.length, `${open.length > 0 ? "more " : ""}${severity} finding`)}:
                      ${[...new Set(rest.map(({ code }) => code))].join(", ")}
                    </summary>
                    ${rest.map(one)}
                  </details>`
                : null
            }`;
          })
    }
  </section>`;
}

function one(finding: ReviewFinding): Markup {
  const { id, code, severity, hook, message, evidence, place: at, excerpt, accepted } = finding;
  const row = Object.hasOwn(reviewTable, code) ? reviewTable[code] : null;
  return markup`<article class="finding ${severity}" id="${id}" aria-labelledby="${id}-title">
    <p class="finding-head">
      ${badge(severity)} <code>${code}</code>
      <span class="finding-where"
        >${hook === null ? "the pack" : markup`<code>${hook}</code>`}${at ? [" · ", place(at)] : null}</span
      >
      <span class="finding-id">${id}</span>
    </p>
    <h3 id="${id}-title">${words(sentence(message))}</h3>
    ${row ? markup`<p class="look">${row.advice}</p>` : null}
    ${accepted ? markup`<p class="good-line">Accepted until ${accepted.expires.slice(0, 10)}: ${words(accepted.reason)}</p>` : null}
    ${excerpt ? guestBlock(excerpt, "the code around it") : null}
    <details class="more">
      <summary>Evidence, and fingerprint <code>${finding.fingerprint}</code></summary>
      ${byLabel(evidence).map(
        ([label, texts]) =>
          markup`<div class="evidence">
          <h4>${label}</h4>
          ${texts.map((text) => guestBlock(text, label))}
        </div>`,
      )}
    </details>
  </article>`;
}

/** Pieces of evidence under one heading where they have the same. */
function byLabel(evidence: readonly Evidence[]): readonly (readonly [string, readonly GuestText[]])[] {
  const groups = Map.groupBy(evidence, ({ label }) => label);
  return [...groups].map(([label, pieces]) => [label, pieces.map(({ text }) => text)]);
}
