import type { Fault, LogLine } from "@hookwarden/sandbox";
import type { Decision } from "./decision.ts";
import type { BrokerEvent } from "./event.ts";
import type { Seed } from "./seed.ts";

/** One call of a hook, raw, as a log needs it for a replay. */
export interface CallRecord {
  readonly hook: string;
  /** Digest of the hook. */
  readonly digest: string;
  readonly recheck: boolean;
  /** The arguments as they were handed over: event and context, each as JSON text. */
  readonly input: readonly [string, string];
  readonly seed: Seed;
  /** The raw answer as JSON text; `null` if there was none. Not sanitized. */
  readonly output: string | null;
  /** The fault that the sandbox reported. */
  readonly fault: Fault | null;
  /** Engine steps; `null` where the engine cannot count them. */
  readonly steps: number | null;
  /** The hook's raw console output. Not sanitized. */
  readonly logs: readonly LogLine[];
}

/** A hook that was skipped for a reason that may not recur when the event is decided again. */
export interface SkippedCallRecord {
  readonly hook: string;
  readonly recheck: boolean;
  readonly fault: Fault | null;
  readonly note: string;
}

/** A decision with what a log needs to replay it. */
export interface DecisionRecord {
  readonly decision: Decision;
  /** The event as it was validated, `time` added. */
  readonly event: BrokerEvent;
  readonly calls: readonly CallRecord[];
  readonly skipped: readonly SkippedCallRecord[];
  /** Prior state as JSON text, by hook; hooks without state are absent. */
  readonly priorState: { readonly [hook: string]: string | null };
  /** Bounded verdicts in a row before this decision, by hook; hooks with none are absent. */
  readonly retries: { readonly [hook: string]: number };
  /** How often the decision was made again because another process had written state in between. */
  readonly reruns: number;
}
