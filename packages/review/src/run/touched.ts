import { fieldsOfFacts } from "@hookwarden/testing/mutate";
import type { Recording } from "../instrumented/recording.ts";
import type { InstrumentedRun, Run } from "./runner.ts";

/** What was recorded of a run, or of the same call with the recorder; `null` where nothing was. */
function recordingOf(run: Run): Recording | null {
  const { watched, instrumented } = run as Partial<InstrumentedRun> & {
    readonly instrumented?: InstrumentedRun | null;
  };
  return watched ?? instrumented?.watched ?? null;
}

/**
 * Whether a call looked at a part of its input: if not, another value there cannot change its answer, and trying is
 * wasted. Reads that hide from the recorder have a finding of their own.
 *
 * @param path as slots have it: `tool_input.command`, `tenant`; also of what the event does not have.
 */
export function touches(run: Run, path: string): boolean {
  const recording = recordingOf(run);
  if (!recording) return true;
  const { reads, clock } = recording;
  if (path === "time" && clock > 0) return true;
  const steps = path.split(".").map((step) => (/^\d+$/.test(step) ? "*" : step));
  return (
    reads.some(({ of, path: read, how }) => {
      if (of === "context") return read.length === 0 || read[0] === steps[0];
      const isAbove = read.every((step, at) => step === steps[at]);
      // A hook that lists the keys notices one more.
      return isAbove && (read.length === steps.length || (how === "listed" && read.length < steps.length));
    }) ||
    fieldsOfFacts(reads.flatMap(({ of, path: read }) => (of === "event" ? [read] : []))).includes(
      steps[0] ?? "",
    )
  );
}
