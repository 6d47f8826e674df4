import { markup, type Markup } from "@hookwarden/testing/html";
import type { HookReview } from "../report.ts";
import { attack } from "./attack.ts";
import { behaviour } from "./behaviour.ts";
import { code, uncovered } from "./code.ts";
import { cost } from "./cost.ts";
import { powers } from "./powers.ts";
import { reads } from "./reads.ts";
import { guest } from "./texts.ts";

/** Parts that are open: what no run has reached, and what the hook may do. The others unfold. */
const openParts = 2;

/** The parts of a hook's review, in their order: what no run has reached comes first. */
export const hookParts: readonly {
  readonly id: string;
  readonly title: string;
  readonly draw: (hook: HookReview) => Markup;
}[] = [
  { id: "uncovered", title: "Unexecuted code", draw: uncovered },
  { id: "powers", title: "Powers", draw: powers },
  { id: "reads", title: "Reads", draw: reads },
  { id: "behaviour", title: "Behaviour", draw: behaviour },
  { id: "cost", title: "Cost", draw: cost },
  { id: "attack", title: "Hostile events", draw: attack },
  { id: "code", title: "Code", draw: code },
];

/** One hook, in full. Of several, those without a grave finding are folded. */
export function hookSection(hook: HookReview, index: number, single: boolean): Markup {
  const { name, version, description, mode, priority, digest, counts } = hook;
  const grave = counts.high > 0 || counts.medium > 0;
  const parts = hookParts.map(({ id, title, draw }, at) => {
    const anchor = `${id}-${index + 1}`;
    if (at >= openParts)
      return markup`<details class="part more">
        <summary><h3 id="${anchor}">${title}</h3></summary>
        ${draw(hook)}
      </details>`;
    return markup`<section class="part" aria-labelledby="${anchor}">
      <h3 id="${anchor}">${title}</h3>
      ${draw(hook)}
    </section>`;
  });
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
