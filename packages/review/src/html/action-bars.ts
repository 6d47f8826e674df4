import { markup, type Markup } from "@hookwarden/testing/html";
import type { EventBehaviour } from "../report.ts";
import { count, thousands } from "./texts.ts";

const width = 560;

/** How each kind of answer is drawn: what holds the agent back, what asks, what changes, what lets it pass. */
const tones: ReadonlyMap<string, string> = new Map([
  ["deny", "holds"],
  ["block", "holds"],
  ["halt", "holds"],
  ["skip", "holds"],
  ["drop_chunk", "holds"],
  ["ask", "asks"],
  ["retry", "asks"],
  ["allow", "allows"],
  ["(fault)", "faults"],
  ["continue", "passes"],
  ["(nothing)", "passes"],
]);
const order: readonly string[] = ["faults", "holds", "asks", "changes", "allows", "passes"];
const names: ReadonlyMap<string, string> = new Map([
  ["faults", "failed"],
  ["holds", "stopped the agent"],
  ["asks", "asked or retried"],
  ["changes", "changed or added something"],
  ["allows", "allowed"],
  ["passes", "continued"],
]);

/** The hook's answers for each event, as a stacked bar with counts. */
export function actionBars(events: readonly EventBehaviour[]): Markup {
  const used = new Set(events.flatMap(({ actions }) => Object.keys(actions).map(toneOf)));
  const keys = order.filter((tone) => used.has(tone));
  return markup`<div class="chart">
    <ul class="legend" aria-hidden="true">
      ${keys.map((tone) => markup`<li><span class="swatch ${tone}"></span>${names.get(tone)}</li>`)}
    </ul>
    ${events.map((event) => bar(event, keys))}
  </div>`;
}

function bar({ event, calls, actions, faults }: EventBehaviour, keys: readonly string[]): Markup {
  const totals = new Map<string, number>();
  for (const [action, times] of Object.entries(actions)) {
    const tone = toneOf(action);
    totals.set(tone, (totals.get(tone) ?? 0) + times);
  }
  const all = [...totals.values()].reduce((sum, times) => sum + times, 0);
  const scale = width / Math.max(1, all);
  let end = 0;
  const segments = keys.map((tone) => {
    const start = end;
    end += totals.get(tone) ?? 0;
    return { tone, x: start * scale, length: (end - start) * scale };
  });
  const summary = Object.entries(actions)
    .sort(([, a], [, b]) => b - a)
    .map(([action, times]) => `${action} ${thousands(times)}`)
    .join(", ");
  const failed = Object.entries(faults).map(([code, times]) => `${code} ${thousands(times ?? 0)}`);
  return markup`<div class="bar-row">
    <p class="bar-label"><code>${event}</code> <span class="quiet">${count(calls, "call")}</span></p>
    <svg
      class="actions"
      viewBox="0 0 ${width} 20"
      role="img"
      aria-label="${event}: ${summary}"
      preserveAspectRatio="none"
    >
      ${segments.map(({ tone, x, length }) =>
        length > 0
          ? markup`<rect
              class="${tone}"
              x="${x.toFixed(2)}"
              width="${Math.max(1.5, length).toFixed(2)}"
              height="20"
            />`
          : null,
      )}
    </svg>
    <p class="quiet">
      ${summary}${failed.length > 0 ? markup` · <span class="text-high">${failed.join(", ")}</span>` : null}
    </p>
  </div>`;
}

function toneOf(action: string): string {
  return tones.get(action) ?? "changes";
}
