/** Whose state it is. The parts are opaque: a store never joins them into a path or a pattern. */
export interface StateKey {
  readonly tenant: string;
  readonly hook: string;
  readonly scope: "session" | "tenant";
  /** The session; empty for scope `tenant`. */
  readonly session: string;
}

export interface StateRecord {
  /** JSON text. */
  readonly value: string;
  /** Grows with every write of the key, deletions included; at least 1. */
  readonly version: number;
}

/** One write of a commit. */
export interface StateWrite {
  readonly key: StateKey;
  /** JSON text; `null` deletes. */
  readonly value: string | null;
  /** The version that was read; 0 where there was none. */
  readonly expected: number;
}

/** Keeps the state of hooks between calls. A commit is all or nothing. */
export interface StateStore {
  read(key: StateKey): StateRecord | null | Promise<StateRecord | null>;
  /** Writes all, or writes nothing and returns `false` if any key is not at its expected version. */
  commit(writes: readonly StateWrite[]): boolean | Promise<boolean>;
  [Symbol.asyncDispose]?(): Promise<void>;
}
