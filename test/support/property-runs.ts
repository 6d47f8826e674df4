/** Whether this run has time for many examples: `npm run test:slow`. */
const isWide = process.env["HOOKWARDEN_PROPERTY_RUNS"] === "wide";

/** How many examples a property is tried with: `few` in `npm test`, twenty times as many in `npm run test:slow`. */
export function propertyRuns(few: number): number {
  return isWide ? 20 * few : few;
}
