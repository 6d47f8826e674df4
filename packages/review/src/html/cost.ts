import { markup, type Markup } from "@hookwarden/testing/html";
import type { EventCost, HookReview, Quantiles } from "../report.ts";
import { curve } from "./cost-curve.ts";
import { bytes, table, thousands } from "./texts.ts";

export function cost({ cost: { events }, powers: { limits } }: HookReview): Markup {
  if (events.length === 0) return markup`<p class="quiet">No costs were measured.</p>`;
  return markup`${table(
    "Cost of a call",
    ["event", "calls", "steps: median", "p99", "max", "memory: max"],
    events.map(({ event, calls, steps, memoryBytes }) => [
      markup`<code>${event}</code>`,
      thousands(calls),
      ...quantiles(steps),
      memoryBytes ? bytes(memoryBytes.max) : "–",
    ]),
    "numbers",
  )}
    <div class="curves">${events.map((event) => grown(event, limits))}</div>`;
}

function quantiles(steps: Quantiles | null): readonly string[] {
  return steps ? [thousands(steps.median), thousands(steps.p99), thousands(steps.max)] : ["–", "–", "–"];
}

function grown(event: EventCost, limits: { readonly [limit: string]: number }): Markup | null {
  const { curve: points, field, exponent, falls } = event;
  if (points.length < 2) return null;
  const growth =
    exponent === null
      ? "Step count hardly grows."
      : `Step count grows with the size to the power of ${exponent.toFixed(1)}${exponent < 1.25 ? ", approximately linear." : "."}`;
  const end = falls
    ? `The limit ${falls.limit} ${falls.basis === "reached" ? "was" : "would be"} reached at ${bytes(falls.inputBytes)}.`
    : "No limit is reached within the largest event.";
  return markup`<figure>
    ${curve(event, limits)}
    <figcaption>
      <strong>${event.event}</strong>${field === null ? null : markup`, with <code>${field}</code> growing`}.
      ${growth} <span class="${falls ? "text-medium" : ""}">${end}</span>
    </figcaption>
    <details class="inline">
      <summary>Numbers</summary>
      ${table(
        "Cost by size",
        ["input", "steps", "memory", "output", "fault"],
        points.map(({ inputBytes, steps, memoryBytes, outputBytes, fault }) => [
          bytes(inputBytes),
          steps === null ? "–" : thousands(steps),
          bytes(memoryBytes),
          bytes(outputBytes),
          fault === null ? null : markup`<span class="text-high">${fault}</span>`,
        ]),
        "numbers",
      )}
    </details>
  </figure>`;
}
