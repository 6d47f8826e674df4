/** What the cases of a pack run of its scripts. */
export { type Coverage, CoverageCounter, type CoverageTotals } from "./counter.ts";
export { coverageTable, writeCoverage } from "./report.ts";
