import { HookwardenError } from "hookwarden/errors";
import { readPaths, valueAt, withValue } from "../mutate/event-leaves.ts";
import type { Probe, Sample } from "./probe.ts";

type Fields = { readonly [field: string]: unknown };

/** By how much the text grows from call to call. */
const factor = 2;
/** Fields that say which event it is: they do not grow. */
const fixed: ReadonlySet<string> = new Set(["hook_event_name", "session_id", "time", "tool_name", "cwd"]);
/** Bits between two sizes, one good and one bad, that are looked for. */
const refinements = 3;

/** Where the longest text is that a hook reads of an event; `null` where it reads none. */
export function longestTextPath(fields: Fields, reads: readonly string[]): readonly string[] | null {
  let longest: { path: readonly string[]; length: number } | null = null;
  const visit = (value: unknown, path: readonly string[]): void => {
    if (typeof value === "string" && value.length > (longest?.length ?? 0))
      longest = { path, length: value.length };
    else if (typeof value === "object" && value !== null) {
      for (const [key, member] of Object.entries(value)) visit(member, [...path, key]);
    }
  };
  for (const path of readPaths(fields, reads)) {
    if (!fixed.has(path[0] as string)) visit(valueAt(fields, path), path);
  }
  return (longest as { path: readonly string[] } | null)?.path ?? null;
}

/** Which text of an event grows, and how far. */
export interface Growth {
  readonly fields: Fields;
  /** Where the text is. */
  readonly path: readonly string[];
  /** Largest input of a call, in bytes. */
  readonly maxBytes: number;
  /** Steps from which on the text grows no further: what is beyond is predicted. Default: until a call fails. */
  readonly maxSteps?: number;
  readonly signal: AbortSignal;
}

/**
 * Calls a hook with the same event over and over, its longest text twice as long each time, until a call fails or the
 * input is too large. Then it looks between the last good size and the first bad one.
 */
export async function probeScaling(
  probe: Probe,
  { fields, path, maxBytes, maxSteps = Infinity, signal }: Growth,
): Promise<readonly Sample[]> {
  const text = String(valueAt(fields, path));
  const samples: Sample[] = [];
  let session = 0;
  const call = async (length: number): Promise<Sample | null> => {
    const longer = text
      .repeat(Math.ceil(length / text.length))
      .slice(0, length)
      .toWellFormed();
    // Its own session: state must not grow with the input.
    const event = { ...withValue(fields, path, longer), session_id: `bench-${session++}` };
    try {
      return await probe.call(event, "bench");
    } catch (error) {
      // No event any more: some fields have a longest length of their own.
      if (error instanceof HookwardenError && error.code === "event-invalid") return null;
      throw error;
    }
  };
  let length = text.length;
  for (; !signal.aborted; length *= factor) {
    const sample = await call(length);
    if (!sample) return samples;
    samples.push(sample);
    // What a hook sees through a fact can stay small however long the text behind it gets.
    if (sample.fault !== null || sample.inputBytes > maxBytes || length > maxBytes) break;
    if ((sample.steps ?? 0) > maxSteps) break;
  }
  const failed = samples.at(-1);
  // The limit of the input itself is known exactly.
  if (!failed?.fault || failed.fault === "input-too-large" || samples.length < 2) return samples;
  samples.pop();
  let [good, bad] = [length / factor, length];
  let worst = failed;
  for (let turn = 0; turn < refinements && !signal.aborted; turn++) {
    const middle = Math.round((good + bad) / 2);
    const sample = await call(middle);
    if (!sample) break;
    if (sample.fault === null) {
      samples.push(sample);
      good = middle;
    } else {
      worst = sample;
      bad = middle;
    }
  }
  return [...samples, worst];
}
