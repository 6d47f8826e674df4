import { markup, type Markup } from "@hookwarden/testing/html";
import type { HookReview } from "../report.ts";
import { attack } from "./attack.ts";
import { behaviour } from "./behaviour.ts";
import { code, uncovered } from "./code.ts";
import { cost } from "./cost.ts";
import { powers } from "./powers.ts";
import { reads } from "./reads.ts";
import { bytes, count, guest, thousands } from "./texts.ts";

/** The parts of a hook's review, in their order: what no run has reached comes first. Each is folded behind its line. */
export const hookParts: readonly {
  readonly id: string;
  readonly title: string;
  /** What the part says, in a few words. */
  readonly line: (hook: HookReview) => string;
  readonly draw: (hook: HookReview) => Markup;
}[] = [
  {
    id: "uncovered",
    title: "Unexecuted code",
    line: ({ code: { coverage, uncovered: all } }) => {
      const { taken, all: branches } = coverage.own;
      const opening = all.filter(({ own, opens }) => own && opens).length;
      return `${thousands(taken)} of ${count(branches, "branch", "branches")} executed${opening > 0 ? `, ${thousands(opening)} of the others may let a step go` : ""}`;
    },
    draw: uncovered,
  },
  {
    id: "powers",
    title: "Powers",
    line: ({ powers: { list } }) =>
      list
        .filter(({ granted, danger }) => granted && danger > 0)
        .slice(0, 5)
        .map(({ name }) => name)
        .join(", "),
    draw: powers,
  },
  {
    id: "reads",
    title: "Reads",
    line: ({ reads: { smallest, declared } }) =>
      `declares ${declared.join(", ") || "nothing"}; needs ${smallest.join(", ") || "nothing"}`,
    draw: reads,
  },
  {
    id: "behaviour",
    title: "Behaviour",
    line: ({ behaviour: { events } }) =>
      events.map(({ event, calls }) => `${event}: ${count(calls, "call")}`).join(", "),
    draw: behaviour,
  },
  {
    id: "cost",
    title: "Cost",
    line: ({ cost: { events } }) =>
      events
        .flatMap(({ event, falls }) => (falls ? [`${event}: a limit at ${bytes(falls.inputBytes)}`] : []))
        .join(", ") || "no limit reached",
    draw: cost,
  },
  {
    id: "attack",
    title: "Hostile events",
    line: ({ attack: { probes } }) => {
      const sum = (of: (one: (typeof probes)[number]) => number): string =>
        thousands(probes.reduce((total, one) => total + of(one), 0));
      return `${sum(({ tried }) => tried)} tried, ${sum(({ opened }) => opened)} fail open`;
    },
    draw: attack,
  },
  {
    id: "code",
    title: "Code",
    line: ({ code: { bytes: size, constructs } }) =>
      `${bytes(size)}, ${count(constructs.length, "construct")} to inspect`,
    draw: code,
  },
];

/** One hook, in full. Of several, those without a grave finding are folded. */
export function hookSection(hook: HookReview, index: number, single: boolean): Markup {
  const { name, version, description, mode, priority, digest, counts } = hook;
  const grave = counts.high > 0 || counts.medium > 0;
  const parts = hookParts.map(
    ({ id, title, line, draw }) =>
      markup`<details class="part more">
        <summary><h3 id="${id}-${index + 1}">${title}</h3> <span class="quiet">${line(hook)}</span></summary>
        ${draw(hook)}
      </details>`,
  );
  return markup`<section class="hook" aria-labelledby="hook-${index + 1}">
    <h2 id="hook-${index + 1}"><code>${name}</code> <span class="quiet">${version}</span></h2>
    ${description ? markup`<p class="description">${guest(description)} <span class="quiet">(the hook's own description)</span></p>` : null}
    <p class="quiet">${mode}, priority ${priority}, <code>${digest.slice(0, 19)}</code></p>
    ${
      single || grave
        ? parts
        : markup`<details class="more">
            <summary>The review of ${name}</summary>
            ${parts}
          </details>`
    }
  </section>`;
}
