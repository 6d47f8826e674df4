import type { Call, Inspection, Limits, Outcome, Program } from "@hookwarden/sandbox";
import type { Decision } from "hookwarden/broker";
import type { ErrorPlace } from "hookwarden/errors";

/** What the page and its two workers say to each other. */

/** What is decided: a small pack, and the events that come to it, one after another. */
export interface Workspace {
  /** The pack's files, by path. */
  readonly files: { readonly [path: string]: string };
  /** One event, a list of events, or one event a line, as JSON text. */
  readonly events: string;
  /** The hook's state before the first event, as JSON text; empty for none. */
  readonly state: string;
  /** Whose agent it is. */
  readonly tenant: string;
}

/** A script that was bundled when the page was built. It stands in as long as none of its files is edited. */
export interface ReadyProgram {
  /** Path of the script. */
  readonly entry: string;
  /** The pack's files that it was made of, by path. */
  readonly files: { readonly [path: string]: string };
  readonly source: string;
}

/** What the worker that decides needs beside a workspace. */
export interface Library {
  readonly ready: readonly ReadyProgram[];
  /** What scripts may import by name, as CommonJS: the helpers, and the packages of the shipped policies. */
  readonly packages: { readonly [specifier: string]: string };
}

/** One decided event. */
export interface Step {
  readonly decision: Decision;
  /** State of each hook after it, as JSON text; hooks without state are absent. */
  readonly states: { readonly [hook: string]: string | null };
}

/** What a host's mistake looks like: a broken event, pack or script. */
export interface Problem {
  readonly code: string;
  readonly message: string;
  readonly place: ErrorPlace;
  /** Which pane it is about. */
  readonly about: "pack" | "events" | "state" | "page";
}

export interface Answer {
  readonly steps: readonly Step[];
  /** What ended it early; `null` where every event was decided. */
  readonly problem: Problem | null;
  /** Whether every script is the one that was bundled when the page was built. */
  readonly ready: boolean;
}

/** What of a `MessagePort` is used here: this stands in code with and without the types of browsers. */
export interface EnginePort {
  postMessage(message: ToEngine): void;
  onmessage: ((message: { readonly data: FromEngine }) => void) | null;
  close(): void;
}

/** From the page to the worker that decides. */
export type ToBroker =
  | { readonly kind: "begin"; readonly library: Library }
  /** The other end is in a new engine. */
  | { readonly kind: "engine"; readonly port: EnginePort }
  | { readonly kind: "decide"; readonly id: number; readonly workspace: Workspace };

/** From the worker that decides to the page. */
export type FromBroker =
  | { readonly kind: "answer"; readonly id: number; readonly answer: Answer }
  /** The engine hangs, or there is none yet: end it and make another. */
  | { readonly kind: "engine-wanted" };

/** From the worker that decides to the engine. */
export type ToEngine =
  | { readonly kind: "program"; readonly program: Program }
  | { readonly kind: "forget"; readonly key: string }
  | { readonly kind: "call"; readonly id: number; readonly call: Omit<Call, "program">; readonly key: string }
  | {
      readonly kind: "inspect";
      readonly id: number;
      readonly key: string;
      readonly limits: Limits;
      readonly tenant: string;
    };

export type FromEngine =
  | { readonly kind: "hello"; readonly version: string }
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "outcome"; readonly id: number; readonly outcome: Outcome }
  | { readonly kind: "inspection"; readonly id: number; readonly inspection: Inspection };
