import type { FaultCode } from "@hookwarden/sandbox";
import type { EventName } from "hookwarden/catalogue";
import type { FailurePolicy } from "hookwarden/pack";
import type { GuestText } from "./report-text.ts";

export interface PowersSection {
  /** Most dangerous first. */
  readonly list: readonly Power[];
  /** Where it listens. */
  readonly on: readonly {
    readonly event: EventName;
    readonly matcher: string | null;
    /** The condition on fields and facts, in one line; `null` where there is none. */
    readonly when: string | null;
    readonly onFailure: FailurePolicy;
  }[];
  readonly reads: readonly string[];
  readonly state: { readonly scope: "session" | "tenant"; readonly maxBytes: number } | null;
  readonly limits: { readonly [limit: string]: number };
  /** What it asks for and was not seen to use. */
  readonly unused: readonly Power[];
  /** Powers that it has and no other hook of the pack. */
  readonly alone: readonly string[];
}

export interface Power {
  /** Such as `deny`, `read tool_input`, `state`. */
  readonly name: string;
  /** One plain sentence without a subject: `may refuse any shell command`. */
  readonly sentence: string;
  /** 0: harmless; 100: takes the person out of the loop. */
  readonly danger: number;
  /** Whether the pack grants it; what is only asked for is listed too. */
  readonly granted: boolean;
  /** Times it was used in the runs over recorded events, and over all others; `null` where that cannot be counted. */
  readonly used: { readonly recorded: number; readonly generated: number } | null;
  /** Other hooks of the pack that have it too. */
  readonly others: readonly string[];
}

export interface ReadsSection {
  /** What the manifest declares, as it is granted. */
  readonly declared: readonly string[];
  /** Most often read first. */
  readonly paths: readonly ReadPath[];
  /** Of the context: `tenant`, `state`, `config.allow`, `time`, and `(clock)` and `(chance)` for `Date` and `Math.random`. */
  readonly context: readonly ReadPath[];
  /** The least `reads` with which every run would have gone as it did. */
  readonly smallest: readonly string[];
  /** Declared paths of which nothing was ever read. */
  readonly unused: readonly string[];
  /** Calls that were recorded, and calls whose record was lost because the recording program reached a limit. */
  readonly recorded: number;
  readonly lost: number;
  readonly interference: Interference;
}

export interface ReadPath {
  /** `tool_input.command`; `*` stands for every index of an array. */
  readonly path: string;
  /** Times that a value was read here. */
  readonly values: number;
  /** Times that was asked whether it is there. */
  readonly asked: number;
  /** Times that its keys were listed: by a loop, spread, `Object.keys` or `JSON.stringify`. */
  readonly listed: number;
  /** Calls in which any of it happened. */
  readonly calls: number;
  readonly events: readonly EventName[];
  /** Whether it was there at least once. */
  readonly present: boolean;
}

/** The check that what was not read does not matter. */
export interface Interference {
  /** Calls that were made again with everything changed that was not read. */
  readonly checked: number;
  /** Fields in which the answer was found to depend although no read was recorded. */
  readonly leaks: readonly { readonly path: string; readonly event: GuestText }[];
}

export interface BehaviourSection {
  readonly events: readonly EventBehaviour[];
  /** Pairs of nearest events with different verdicts: where the hook draws its lines. */
  readonly conditions: readonly Condition[];
  /** Outputs by their shape, most frequent first. */
  readonly clusters: readonly OutputCluster[];
  /** Texts that it was seen to write, at most 60. */
  readonly texts: readonly EmittedText[];
  readonly determinism: Determinism;
  readonly state: StateBehaviour | null;
  /** What turned its answer, one input changed at a time. */
  readonly triggers: readonly Trigger[];
}

export interface EventBehaviour {
  readonly event: EventName;
  readonly calls: number;
  /** Times each action was returned; `(nothing)` for no answer, `(fault)` for a fault. */
  readonly actions: { readonly [action: string]: number };
  readonly faults: { readonly [code in FaultCode]?: number };
}

/** Two events as near as could be found, with different verdicts. */
export interface Condition {
  readonly event: EventName;
  /** Where they differ; `null` where they differ in several fields. */
  readonly path: string | null;
  readonly a: { readonly verdict: string; readonly shown: GuestText; readonly origin: string };
  readonly b: { readonly verdict: string; readonly shown: GuestText; readonly origin: string };
  /** How far they are from each other: characters that differ. */
  readonly distance: number;
}

export interface OutputCluster {
  readonly event: EventName;
  /** The output with all that varies replaced by `…`. */
  readonly shape: GuestText;
  readonly verdict: string;
  readonly count: number;
  readonly example: GuestText;
}

export interface EmittedText {
  readonly action: string;
  /** Who reads it. */
  readonly to: "model" | "person" | "both";
  readonly text: GuestText;
  readonly count: number;
  /** Fields of the event or the context whose data stands in it, and how it was put there. */
  readonly carries: readonly { readonly path: string; readonly as: Encoding; readonly characters: number }[];
}

/** How data of an event stands in a text. */
export type Encoding =
  | "verbatim"
  | "base64"
  | "hex"
  | "reversed"
  | "percent"
  | "code points"
  | "invisible"
  | "case"
  | "rotated"
  | "state";

export interface Determinism {
  /** Calls that were made again with the same input and gave another answer. */
  readonly repeated: { readonly checked: number; readonly different: number };
  /** Calls in another order. */
  readonly shuffled: { readonly checked: number; readonly different: number };
  /** Calls on the other engine; `null` where it is not installed. */
  readonly engines: { readonly checked: number; readonly different: number } | null;
  /** Calls with the recording program, which must answer as the program itself. */
  readonly watched: { readonly checked: number; readonly different: number };
}

export interface StateBehaviour {
  readonly writes: number;
  readonly largestBytes: number;
  readonly examples: readonly GuestText[];
  /** Fields of events whose data it keeps. */
  readonly keeps: readonly string[];
}

/** What an answer turned out to depend on. */
export interface Trigger {
  readonly kind:
    | "tenant"
    | "time"
    | "session"
    | "chance"
    | "state"
    | "config"
    | "size"
    | "unicode"
    | "text"
    | "name"
    | "field"
    | "prototype"
    | "type"
    | "fact";
  readonly event: EventName;
  /** What was changed, such as `tenant`, `time` or `tool_input.command`. */
  readonly path: string;
  readonly from: GuestText;
  readonly to: GuestText;
  readonly before: string;
  readonly after: string;
  /** Whether the verdict afterwards holds the agent back less. */
  readonly opens: boolean;
}
