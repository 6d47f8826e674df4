import { markup, type Markup } from "@hookwarden/testing/html";
import type { HookReview } from "../report.ts";
import { table, thousands } from "./texts.ts";

export function attack({ attack: { probes } }: HookReview): Markup {
  if (probes.length === 0) return markup`<p class="quiet">No hostile events were tried.</p>`;
  const bad = (number: number): Markup =>
    number === 0
      ? markup`<span class="quiet">0</span>`
      : markup`<strong class="text-high">${thousands(number)}</strong>`;
  return table(
    "Hostile events",
    ["event", "input", "calls", "faults", "loosened", "leaked text", "note"],
    probes.map(({ name, event, tried, faults, opened, smuggled, note }) => {
      const failed = Object.values(faults).reduce((sum, times) => sum + (times ?? 0), 0);
      const codes = Object.keys(faults).join(", ");
      return [
        markup`<code>${event}</code>`,
        name,
        thousands(tried),
        failed === 0
          ? markup`<span class="quiet">0</span>`
          : markup`<strong class="text-medium">${thousands(failed)}</strong>
              <span class="quiet">${codes}</span>`,
        bad(opened),
        smuggled === 0
          ? markup`<span class="quiet">0</span>`
          : markup`<strong class="text-medium">${thousands(smuggled)}</strong>`,
        note === null ? null : markup`<span class="quiet">${note}</span>`,
      ];
    }),
    "numbers",
  );
}
