import { markup, type Markup, words } from "@hookwarden/testing/html";
import { reviewTable, severities, type Severity } from "../codes.ts";
import type { Evidence, GuestText, ReviewFinding } from "../report.ts";
import { badge, count, guestBlock, place, sentence } from "./texts.ts";

/** Findings that decide the suggestion and are shown open, at most; the others are folded. */
const maxOpen = 3;
/** Pieces of evidence that are shown open where a finding has no place in the code: before and after. */
const openEvidence = 2;

/** All findings: failing cases and what decided the suggestion open, the others folded by severity. */
export function findings(all: readonly ReviewFinding[]): Markup {
  const isCase = ({ code }: ReviewFinding): boolean => code === "case-fails";
  const worst = severities.find((severity) => all.some((finding) => finding.severity === severity));
  const decides = (finding: ReviewFinding): boolean =>
    isCase(finding) || (finding.severity === worst && (worst === "high" || worst === "medium"));
  const open = all.filter(decides).slice(0, maxOpen);
  const rest = all.filter((finding) => !open.includes(finding));
  const shown = new Map<string, string>();
  return markup`<section aria-labelledby="findings">
    <h2 id="findings">Findings</h2>
    ${all.length === 0 ? markup`<p class="good-line">No findings.</p>` : open.map((finding) => one(finding, shown))}
    ${[...Map.groupBy(rest, ({ severity }) => severity)].map(([severity, some]) => folded(severity, some, shown))}
  </section>`;
}

function folded(severity: Severity, some: readonly ReviewFinding[], shown: Map<string, string>): Markup {
  return markup`<details class="more">
    <summary>
      ${count(some.length, `more ${severity} finding`)}:
      ${[...new Set(some.map(({ code }) => code))].join(", ")}
    </summary>
    ${some.map((finding) => one(finding, shown))}
  </details>`;
}

/** @param shown excerpts that are on the page, each with the finding that shows it. */
function one(finding: ReviewFinding, shown: Map<string, string>): Markup {
  const { id, code, severity, hook, message, evidence, place: at, excerpt, accepted } = finding;
  const row = Object.hasOwn(reviewTable, code) ? reviewTable[code] : null;
  const open = excerpt ? [] : evidence.slice(0, openEvidence);
  return markup`<article class="finding ${severity}" id="${id}" aria-labelledby="${id}-title">
    <p class="finding-head">
      ${badge(severity)} <code>${code}</code>
      <span class="finding-where"
        >${hook === null ? "the pack" : markup`<code>${hook}</code>`}${at ? [" · ", place(at)] : null}</span
      >
      <span class="finding-id">${id}</span>
    </p>
    <h3 id="${id}-title">${words(sentence(message))}</h3>
    ${accepted ? markup`<p class="good-line">Accepted until ${accepted.expires.slice(0, 10)}: ${words(accepted.reason)}</p>` : null}
    ${excerpt ? excerptOnce(id, excerpt, shown) : null} ${open.length > 0 ? pieces(open) : null}
    <details class="more">
      <summary>
        ${evidence.length > open.length ? "Evidence, and what to do" : "What to do"}
      </summary>
      ${row ? markup`<p class="look">${row.advice}</p>` : null} ${pieces(evidence.slice(open.length))}
      <p class="quiet">Fingerprint <code>${finding.fingerprint}</code></p>
    </details>
  </article>`;
}

/** The lines around a place, where no other finding shows them. */
function excerptOnce(id: string, excerpt: GuestText, shown: Map<string, string>): Markup {
  const key = excerpt.text.replaceAll(/^>/gm, " ");
  const before = shown.get(key);
  if (before !== undefined)
    return markup`<p class="quiet">The same lines as <a href="#${before}">${before}</a>.</p>`;
  shown.set(key, id);
  return guestBlock(excerpt, "the code around it");
}

function pieces(evidence: readonly Evidence[]): Markup {
  return markup`${byLabel(evidence).map(
    ([label, texts]) =>
      markup`<div class="evidence">
        <h4>${label}</h4>
        ${texts.map((text) => guestBlock(text, label))}
      </div>`,
  )}`;
}

/** Pieces of evidence under one heading where they have the same. */
function byLabel(evidence: readonly Evidence[]): readonly (readonly [string, readonly GuestText[]])[] {
  const groups = Map.groupBy(evidence, ({ label }) => label);
  return [...groups].map(([label, pieces]) => [label, pieces.map(({ text }) => text)]);
}
