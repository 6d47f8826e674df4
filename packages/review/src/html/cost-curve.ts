import { markup, type Markup } from "@hookwarden/testing/html";
import type { CostPoint, EventCost } from "../report.ts";
import { bytes } from "./texts.ts";

const width = 520;
const height = 260;
const left = 56;
const right = 26;
const top = 16;
const bottom = 36;

/** Steps against the size of the event, both on logarithmic scales, with the limit that the steps run into. */
export function curve(
  { event, curve: points, falls }: EventCost,
  limits: { readonly [limit: string]: number },
): Markup {
  const drawn = points.filter((point): point is CostPoint & { steps: number } => (point.steps ?? 0) > 0);
  if (drawn.length < 2) return markup`<p class="quiet">Steps were not counted.</p>`;
  const limit = limits["steps"] ?? null;
  const sizes = drawn.map(({ inputBytes }) => Math.max(1, inputBytes));
  const maxSteps = Math.max(...drawn.map(({ steps }) => steps));
  const near = limit !== null && limit < maxSteps * 200 ? limit : null;
  const sizeRange: Range = [Math.min(...sizes), Math.max(...sizes, Math.min(...sizes) * 2)];
  const x = logScale(sizeRange, [left, width - right]);
  const stepRange: Range = [
    Math.min(...drawn.map(({ steps }) => steps)) * 0.8,
    Math.max(maxSteps, near ?? 0) * 1.25,
  ];
  const y = logScale(stepRange, [height - bottom, top]);
  const path = drawn
    .map(({ inputBytes, steps }) => `${x(Math.max(1, inputBytes)).toFixed(3)},${y(steps).toFixed(3)}`)
    .join("L");
  const first = drawn[0] as CostPoint & { steps: number };
  const last = drawn.at(-1) as CostPoint & { steps: number };
  const summary = `${event}: ${short(first.steps)} steps at ${bytes(first.inputBytes)}, ${short(last.steps)} at ${bytes(last.inputBytes)}${falls ? `; ${falls.limit} is reached at ${bytes(falls.inputBytes)}` : ""}`;
  const marks = doublings(sizeRange);
  return markup`<svg class="curve" viewBox="0 0 ${width} ${height}" role="img" aria-label="${summary}">
    <g class="grid">
      ${tens(stepRange).map((steps) => markup`<line x1="${left}" x2="${width - right}" y1="${y(steps).toFixed(1)}" y2="${y(steps).toFixed(1)}" /><text x="${left - 8}" y="${(y(steps) + 4).toFixed(1)}" text-anchor="end">${short(steps)}</text>`)}
    </g>
    <g class="axis">
      ${marks.map((size) => markup`<text x="${x(size).toFixed(1)}" y="${height - bottom + 18}" text-anchor="middle">${bytes(size)}</text>`)}
      <line x1="${left}" x2="${width - right}" y1="${height - bottom}" y2="${height - bottom}" />
    </g>
    ${near === null ? null : markup`<g class="limit"><line x1="${left}" x2="${width - right}" y1="${y(near).toFixed(1)}" y2="${y(near).toFixed(1)}" /><text x="${width - right}" y="${(y(near) - 5).toFixed(1)}" text-anchor="end">limit of ${short(near)} steps</text></g>`}
    <path class="line" d="M${path}" />
    ${drawn.map(({ inputBytes, steps, fault }) => markup`<circle class="${fault === null ? "point" : "point fault"}" cx="${x(Math.max(1, inputBytes)).toFixed(1)}" cy="${y(steps).toFixed(1)}" r="${fault === null ? 3 : 5}" />`)}
    <text class="unit" x="${left}" y="${top - 4}">steps</text>
  </svg>`;
}

type Range = readonly [from: number, to: number];

/** Maps a range onto pixels by logarithm. */
function logScale([from, to]: Range, [start, end]: Range): (value: number) => number {
  return (value) => start + ((end - start) * Math.log(value / from)) / Math.log(to / from);
}

/** Powers of ten within a range. */
function tens([from, to]: Range): number[] {
  const all: number[] = [];
  for (let power = Math.ceil(Math.log10(from)); 10 ** power <= to; power++) all.push(10 ** power);
  return all;
}

/** At most six sizes within a range, each so many times the one before. */
function doublings([from, to]: Range): number[] {
  const step = Math.max(1, Math.ceil((Math.log2(to) - Math.log2(from)) / 5));
  const all: number[] = [];
  for (let power = Math.ceil(Math.log2(from)); 2 ** power <= to * 1.001; power += step) all.push(2 ** power);
  return all;
}

function short(number: number): string {
  return new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 }).format(number);
}
