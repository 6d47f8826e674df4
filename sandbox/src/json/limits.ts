/** What a text may cost, and which keys it may not have. */
export interface JsonLimits {
  /** How deep arrays and objects nest; a bare scalar is 0 deep. At most 512. */
  readonly maxDepth: number;
  /** Most keys in all objects together. */
  readonly maxKeys: number;
  /** Longest key after escapes are resolved, in UTF-16 code units. */
  readonly maxKeyLength: number;
  /** Most bytes of UTF-8. Default: no limit but that of the caller. */
  readonly maxBytes?: number;
  /** Whether a byte order mark is skipped: some editors write one into files. Default: it is refused. */
  readonly byteOrderMark?: boolean;
  /** Keys that are refused at any depth, compared after escapes are resolved. Default: `forbiddenKeys`. */
  readonly forbiddenKeys?: ReadonlySet<string>;
}

/**
 * Keys that lead from a plain object to its prototype. Texts that guests and third parties write have no use for them,
 * and careless code behind us might follow them.
 */
export const forbiddenKeys: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** For texts that carry other people's data, such as events: a tool may well have an argument named `constructor`. */
export const forbiddenEventKeys: ReadonlySet<string> = new Set(["__proto__"]);
