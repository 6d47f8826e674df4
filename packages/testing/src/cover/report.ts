import { createRequire } from "node:module";
import libReport from "istanbul-lib-report";
import reports from "istanbul-reports";
import type { Coverage } from "./counter.ts";

/** Widest table, in columns. */
const width = 80;

interface Captured {
  startCapture(): void;
  stopCapture(): void;
  getOutput(): string;
  resetOutput(): void;
}

/** A table of the files with what ran of them, in 80 columns. */
export function coverageTable({ map }: Coverage): string {
  // The package writes to the console, unless it is asked to keep its output.
  const writer = createRequire(import.meta.url)("istanbul-lib-report/lib/file-writer.js") as Captured;
  writer.startCapture();
  try {
    const context = libReport.createContext({ coverageMap: map, dir: "." });
    reports.create("text", { maxCols: width }).execute(context);
    return writer.getOutput().trimEnd();
  } finally {
    writer.stopCapture();
    writer.resetOutput();
  }
}

/** Writes `lcov.info` and `coverage-final.json` into a folder, which is made where it is missing. */
export function writeCoverage({ map }: Coverage, dir: string): void {
  const context = libReport.createContext({ coverageMap: map, dir });
  reports.create("lcovonly", {}).execute(context);
  reports.create("json", {}).execute(context);
}
