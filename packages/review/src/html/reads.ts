import { markup, type Markup } from "@hookwarden/testing/html";
import type { HookReview, ReadPath } from "../report.ts";
import { codes, count, guestBlock, table, thousands } from "./texts.ts";

export function reads({ reads: section }: HookReview): Markup {
  const { declared, paths, context, smallest, unused, recorded, lost, interference } = section;
  const maxCalls = Math.max(1, ...[...paths, ...context].map(({ calls }) => calls));
  const { checked, leaks } = interference;
  return markup`<dl class="lists">
      <div>
        <dt>Declared</dt>
        <dd>${declared.length > 0 ? codes(declared) : "nothing"}</dd>
      </div>
      <div>
        <dt>Minimum required</dt>
        <dd>${smallest.length > 0 ? codes(smallest) : "nothing"}</dd>
      </div>
      ${
        unused.length > 0
          ? markup`<div>
              <dt>Declared but never read</dt>
              <dd class="text-medium">${codes(unused)}</dd>
            </div>`
          : null
      }
    </dl>
    <p class="${leaks.length > 0 ? "grown" : "good-line"}">
      ${
        leaks.length > 0
          ? `The answer depends on ${count(leaks.length, "field")} without a recorded read: ${leaks.map(({ path }) => path).join(", ")}.`
          : checked === 0
            ? "No call was repeated with changed unread fields."
            : `${count(checked, "call")} repeated with all unread fields changed: identical answers.`
      }
    </p>
    ${leaks.map(
      ({ path, event }) =>
        markup`<div class="evidence">
          <h4>${path}</h4>
          ${guestBlock(event, path)}
        </div>`,
    )}
    ${paths.length > 0 ? pathTable("Read from the event", paths, maxCalls) : markup`<p class="quiet">No reads of event fields were recorded.</p>`}
    ${context.length > 0 ? pathTable("Read from the context", context, maxCalls) : null}
    <p class="quiet">
      Recorded in
      ${count(recorded, "call")}${lost > 0 ? `; the records of ${count(lost, "call")} were lost because recording reached a limit` : ""}.
    </p>`;
}

function pathTable(title: string, paths: readonly ReadPath[], maxCalls: number): Markup {
  return markup`<h4>${title}</h4>
    ${table(
      title,
      ["path", "calls", "values", "asked for", "listed", "at"],
      paths.map(({ path, values, asked, listed, calls, events, present }) => [
        markup`<code>${path}</code>${present ? null : markup` <span class="quiet">never present</span>`}`,
        markup`<span class="bar-cell"
          ><svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
            <rect class="fill" width="${((100 * calls) / maxCalls).toFixed(1)}" height="8" />
          </svg>
          ${thousands(calls)}</span
        >`,
        thousands(values),
        asked === 0 ? markup`<span class="quiet">0</span>` : thousands(asked),
        listed === 0
          ? markup`<span class="quiet">0</span>`
          : markup`<strong class="text-medium">${thousands(listed)}</strong>`,
        markup`<span class="quiet">${events.join(", ")}</span>`,
      ]),
      "numbers",
    )}`;
}
