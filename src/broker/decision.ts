import type { FaultCode, LogLine } from "@hookwarden/sandbox";
import type { SourcePlace } from "../compile/index.ts";
import type { ActionName, EventName } from "../catalogue/index.ts";

/** An action as a hook returned it: JSON, validated. */
export interface Action {
  readonly action: ActionName;
  readonly [field: string]: unknown;
}

/** Text that a hook wrote for the model, with its author. */
export interface AttributedText {
  readonly hook: string;
  readonly trust: "third-party";
  readonly text: string;
}

export interface InjectedMessage extends AttributedText {
  readonly role: "user" | "system";
  readonly durable: boolean;
}

/** What hooks added to the step. */
export interface Additions {
  /** Appended to the tool's result: the joined text and its parts. */
  readonly augment: { readonly text: string; readonly parts: readonly AttributedText[] } | null;
  readonly messages: readonly InjectedMessage[];
  readonly context: readonly AttributedText[];
  /** For people only. */
  readonly notices: readonly AttributedText[];
}

/** Why an action was not honoured. `retry-limit` is not a fault: the verdict is valid but was repeated too often. */
export type RefusalCode =
  | Extract<FaultCode, "illegal-action" | "ungranted-action" | "injection-overflow" | "invalid-output">
  | "retry-limit";

export interface Refusal {
  readonly action: string;
  readonly code: RefusalCode;
  readonly message: string;
  /** `sha256:` of the refused action as JSON. */
  readonly digest: string;
}

/** What became of a hook in a decision. */
export type TraceOutcome =
  "honoured" | "refused" | "faulted" | "not-matched" | "not-run" | "monitored" | "discarded";

/** A failure of a hook, as a decision has it. */
export interface TraceFault {
  readonly code: FaultCode;
  /** May contain text from the hook, sanitized. */
  readonly message: string;
  /**
   * Where in the pack's sources the error was thrown. Taken from the hook's own error, which can name a wrong place in the
   * files of its program, and no other. Absent where no place is known.
   */
  readonly at?: SourcePlace;
}

/** One hook's part in a decision. */
export interface TraceEntry {
  readonly hook: string;
  readonly outcome: TraceOutcome;
  /** Honoured, monitored or discarded actions, whole. */
  readonly actions: readonly Action[];
  readonly refused: readonly Refusal[];
  readonly fault: TraceFault | null;
  /** Whether this run was the second one, on the final event. */
  readonly recheck: boolean;
  readonly steps: number | null;
  readonly duration_us: number;
  readonly memory_bytes: number;
  readonly logs: readonly LogLine[];
  /** Fields that this hook changed and a later hook changed again. */
  readonly overwritten?: readonly string[];
  /** Why a hook is `not-run` or an effect `discarded`. */
  readonly note?: string;
}

export type Verdict =
  "continue" | "allow" | "ask" | "retry" | "drop_chunk" | "skip" | "deny" | "block" | "halt";

/** What the host gets back for one event. The same JSON in the library, the command line, the server and the log. */
export interface Decision {
  readonly decision_id: string;
  readonly hook_event_name: EventName;
  readonly tenant: string;
  /** Digest of the pack that decided. */
  readonly pack: string;
  readonly verdict: Verdict;
  readonly reason: string | null;
  readonly feedback: string | null;
  /** Name of the hook whose verdict it is; `null` for `continue`. */
  readonly decided_by: string | null;
  /** Event fields that hooks rewrote, with their final values. */
  readonly changes: { readonly [field: string]: unknown };
  readonly additions: Additions;
  readonly trace: readonly TraceEntry[];
  readonly duration_us: number;
}
