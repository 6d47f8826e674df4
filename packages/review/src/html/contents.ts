import { markup, type Markup } from "@hookwarden/testing/html";
import { severities } from "../codes.ts";
import type { ReviewReport } from "../report.ts";
import { hookParts } from "./hook.ts";

/** Navigation for the report. */
export function contents({ hooks, since, findings }: ReviewReport): Markup {
  const single = hooks.length === 1;
  return markup`<nav class="contents" aria-label="Contents">
    <p class="brand">hookwarden <span>review</span></p>
    <ul>
      <li><a href="#verdict">Verdict</a></li>
      ${since ? markup`<li><a href="#since">Changes since the last review</a></li>` : null}
      <li>
        <a href="#findings">Findings <span class="number">${findings.length}</span></a>
      </li>
      ${
        single
          ? hookParts.map(({ id, title }) => markup`<li><a href="#${id}-1">${title}</a></li>`)
          : hooks.map(({ name, counts }, index) => {
              const worst = severities.find((severity) => counts[severity] > 0);
              return markup`<li>
                <a href="#hook-${index + 1}"
                  >${worst ? markup`<span class="dot ${worst}"></span>` : markup`<span class="dot"></span>`}${name}${worst ? markup`<span class="sr"> (${worst})</span>` : null}</a
                >
              </li>`;
            })
      }
    </ul>
  </nav>`;
}
