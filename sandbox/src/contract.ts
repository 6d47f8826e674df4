import type { Fault } from "./fault.ts";
import type { Limits } from "./limits.ts";

/** Name of a JavaScript engine. */
export type EngineName = "quickjs" | "isolate";

/** What a pristine call on isolate runs in: a shared context that is frozen, or a new one. */
export type RealmKind = "frozen" | "fresh";

/** A script that a sandbox can run: one ES module without imports. */
export interface Program {
  /** Digest of all that makes it up; two programs with the same key are the same program. */
  readonly key: string;
  /** Name in error messages and stack traces. */
  readonly name: string;
  /** Source text of the module. Its default export is a function, or an object of functions. */
  readonly source: string;
}

/** One call of a program. */
export interface Call {
  readonly program: Program;
  /** Whose call it is. Two tenants never share an instance of a sandbox. */
  readonly tenant: string;
  /** Name of the function where the default export is an object of functions. */
  readonly handler: string;
  /** The arguments, each as one JSON text. */
  readonly args: readonly string[];
  /** The guest's fixed clock, in milliseconds since 1970. */
  readonly time: number;
  /** Seed of the guest's `Math.random`: four unsigned 32-bit numbers. */
  readonly seed: readonly [number, number, number, number];
  readonly limits: Limits;
  /**
   * Time that the caller has left for loading the program and running it together, in milliseconds. Default: no limit
   * beyond those of loading and of the call.
   */
  readonly budgetMs?: number;
  /** The calls that this one is made together with. Used if the sandbox has `groupsCalls`. */
  readonly group?: CallGroup;
  /** Kept contexts only: calls with the same key may share a context. Absent: every call is pristine. */
  readonly keep?: string;
}

/**
 * Calls that are made together, before it is known that all of them are needed: a sandbox may carry them in one message,
 * and runs them one after another. They share `budgetMs`. A sandbox may ignore groups, or split them.
 */
export interface CallGroup {
  /** The group ends with a fault, or with an answer that contains one of these texts: calls after it are skipped. */
  readonly endings: readonly string[];
}

/** Resource usage and logs of a call, successful or not. */
export interface Usage {
  /** Engine steps; `null` where the engine cannot count them. */
  readonly steps: number | null;
  readonly durationUs: number;
  /** Memory that the call took beyond the loaded program, in bytes. */
  readonly memoryBytes: number;
  /** What the guest wrote to its console, one entry a call of it; capped. */
  readonly logs: readonly LogLine[];
}

export interface LogLine {
  readonly level: "debug" | "log" | "info" | "warn" | "error";
  readonly text: string;
}

/** How a call ended: with an answer, as JSON text, or with a fault. */
export type Outcome =
  | ({
      readonly ok: true;
      /** JSON text; `null` where the guest returned `undefined` or `null`. */ readonly output: string | null;
    } & Usage)
  | ({
      readonly ok: false;
      readonly fault: Fault;
      /** Whether the process that it ran in ended by it, or had to be killed because of it. Absent: no. */
      readonly killed?: boolean;
      /** Whether the program could not be loaded in the time that it had. Absent: no. */
      readonly loadTimedOut?: boolean;
      /** Whether it was not run, because an earlier call ended its group. Absent: no. */
      readonly skipped?: boolean;
    } & Usage);

/** What a sandbox knows about a loaded program without calling it. */
export type Inspection =
  | {
      readonly ok: true;
      /** `null`: the default export is one function for every handler. */ readonly handlers:
        readonly string[] | null;
    }
  | { readonly ok: false; readonly fault: Fault };

/**
 * A sandbox: JSON text in, JSON text out, limits, faults. Independent of events and policies.
 * No engine handle, callback or compiled code crosses this boundary.
 */
export interface Sandbox {
  readonly engine: EngineName;
  /** Name and version of the engine, for the record. */
  readonly version: string;
  /** Whether calls of one group cost less than calls that are made one after another. Absent: no. */
  readonly groupsCalls?: boolean;
  /**
   * Calls a program. Never rejects and never throws for what a guest does; answers at once where the engine lives in
   * this process and needs no new instance.
   */
  call(call: Call): Outcome | Promise<Outcome>;
  /** Loads a program and returns the names of its exports. */
  inspect(program: Program, limits: Limits, tenant: string): Promise<Inspection>;
  /** Wakes a sleeping process ahead of a call of this tenant, which is about to be made. */
  wake?(tenant: string): void;
  /** Called when idle after an answer was sent: does work ahead of the next call. */
  tidy?(): void;
  /** Frees what is kept for a program. */
  forget(programKey: string): void;
  /** Ends every instance and process of this sandbox. Calls in flight are answered with `overloaded`. */
  [Symbol.asyncDispose](): Promise<void>;
}
