/** What an editor can updatePressed of a field. */
export interface FieldHint {
  readonly name: string;
  readonly type: string;
  readonly doc: string;
  readonly optional: boolean;
  /** The texts that it may hold; empty where it may hold others. */
  readonly values: readonly string[];
}

/** What the editors complete: the catalogue, as data. */
export interface Completions {
  readonly events: readonly {
    readonly name: string;
    readonly when: string;
    readonly fields: readonly FieldHint[];
    /** Names of the actions that are legal there. */
    readonly actions: readonly string[];
    readonly matches: string | null;
  }[];
  readonly actions: readonly {
    readonly name: string;
    /** Name of its function in `hookwarden/hook`. */
    readonly helper: string;
    readonly signature: string;
    readonly means: string;
    readonly kind: string;
  }[];
  readonly hookKeys: readonly FieldHint[];
  readonly packKeys: readonly FieldHint[];
}
