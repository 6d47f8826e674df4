import { markup, type Markup, words } from "@hookwarden/testing/html";
import type { CodeSection, HookReview, UncoveredBranch } from "../report.ts";
import {
  badge,
  bytes,
  codes,
  count,
  guest,
  guestBlock,
  list,
  place,
  sentence,
  table,
  thousands,
} from "./texts.ts";

/** So many branches are shown open, the others folded. */
const maxOpen = 8;

const kinds: ReadonlyMap<UncoveredBranch["kind"], string> = new Map([
  ["then", "then branch of an if"],
  ["else", "the other branch of an if"],
  ["case", "a case of a switch"],
  ["and", "right side of &&"],
  ["or", "right side of ||"],
  ["nullish", "right side of ??"],
  ["loop", "the body of a loop"],
  ["function", "a function"],
  ["catch", "a catch block"],
  ["choice", "one side of a conditional expression"],
]);

/** What no run has seen: the first thing to read. */
export function uncovered({ code: section }: HookReview): Markup {
  const own = section.uncovered.filter((branch) => branch.own);
  const rest = section.uncovered.length - own.length;
  return markup`${coverage(section)}
  ${own.length === 0 ? markup`<p class="good-line">Every branch of the hook's own code was executed.</p>` : own.slice(0, maxOpen).map(branch)}
  ${
    own.length > maxOpen
      ? markup`<details class="more">
          <summary>${own.length - maxOpen} more</summary>
          ${own.slice(maxOpen).map(branch)}
        </details>`
      : null
  }
  ${rest > 0 ? markup`<p class="quiet">${count(rest, "branch", "branches")} in npm packages were not executed either; hooks rarely use a whole package.</p>` : null}`;
}

function branch({ place: at, kind, condition, code, dependsOn, weight }: UncoveredBranch): Markup {
  const attention = weight >= 70 ? "high" : weight >= 40 ? "medium" : "low";
  return markup`<article class="branch ${attention}">
    <p class="branch-head">
      <strong>${kinds.get(kind) ?? kind}</strong>
      <span class="quiet">${place(at)}</span
      >${dependsOn.length > 0 ? markup` <span class="depends">depends on ${codes(dependsOn)}</span>` : null}
    </p>
    ${condition.text === "" ? null : markup`<pre class="guest condition" tabindex="0" role="region" aria-label="condition">${guest(condition)}</pre>`}
    ${guestBlock(code, "code that never ran")}
  </article>`;
}

function coverage({ coverage: { own } }: CodeSection): Markup | null {
  if (own.all === 0) return null;
  const share = (100 * own.taken) / own.all;
  return markup`<p class="coverage">
    <svg class="meter cover" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
      <rect class="rail" width="100" height="8" />
      <rect class="fill" width="${share.toFixed(1)}" height="8" />
    </svg>
    ${thousands(own.taken)} of ${thousands(own.all)} branches of its own code were executed
    (${Math.floor(share)} %)
  </p>`;
}

/** The program: where it comes from, what deserves a look, and its text. */
export function code({ code: section, program }: HookReview): Markup {
  const { constructs, modules, bytes: size, source } = section;
  return markup`<h4>Constructs to inspect</h4>
    ${list(
      constructs.map(
        ({ severity, code: name, place: at, excerpt, reason }) =>
          markup`${badge(severity)} <code>${name}</code> <span class="quiet">${place(at)}</span
            ><br />${words(sentence(reason))}${guestBlock(excerpt, "excerpt")}`,
      ),
      "None.",
    )}
    <h4>Modules</h4>
    ${table(
      "Modules",
      ["module", "package", "licence", "bytes", "note"],
      modules.map(({ path, package: name, version, licence, bytes: left, minified }) => [
        markup`<code class="wrap">${path}</code>`,
        name === null ? markup`<span class="quiet">own code</span>` : `${name} ${version ?? ""}`,
        licence ?? markup`<span class="quiet">–</span>`,
        thousands(left),
        minified ? markup`<span class="text-medium">minified</span>` : null,
      ]),
      "numbers",
    )}
    <details class="more source">
      <summary>The bundled source, ${bytes(size)} (<code>${program.slice(0, 19)}</code>)</summary>
      ${guestBlock(source, "bundled source")}
    </details>`;
}
