import type { Fault } from "../../sandbox/index.ts";
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
  /** The answer as JSON text, as it came; `null` where there was none. Not safe to show. */
  readonly output: string | null;
  /** The fault that the sandbox reported. */
  readonly fault: Fault | null;
}

/** What a log needs beside the decision. */
export interface DecisionRecord {
  readonly decision: Decision;
  /** The event as it was validated, `time` added. */
  readonly event: BrokerEvent;
  readonly calls: readonly CallRecord[];
  /** Prior state as JSON text, by hook; hooks without state are absent. */
  readonly priorState: { readonly [hook: string]: string | null };
  /** Bounded verdicts in a row before this decision, by hook; hooks with none are absent. */
  readonly retries: { readonly [hook: string]: number };
  /** How often the decision was made again because another process had written state in between. */
  readonly reruns: number;
}
