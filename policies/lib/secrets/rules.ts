/** A kind of token that begins in a way of its own. */
export interface TokenRule {
  readonly kind: string;
  /** Its first two or three characters, in lower case: the pattern is tried only where one of these begins a word. */
  readonly starts: readonly string[];
  /** Sticky, and bounded by what it counts. Its first group, if any, is the secret. */
  readonly pattern: RegExp;
  /** Least Shannon entropy of the secret, in bits a character. */
  readonly entropy: number;
  /** What else the secret must be. */
  readonly check?: (secret: string) => boolean;
}

/** A kind of token of which only the middle is fixed. */
export interface MarkedRule {
  readonly kind: string;
  readonly mark: string;
  /** What stands before the mark, to its end. */
  readonly before: RegExp;
  /** Sticky: the mark and what follows. */
  readonly pattern: RegExp;
}

/** A kind of value that is a secret if the name before it says whose it is, as in `datadog_token = "…"`. */
export interface NamedRule {
  readonly kind: string;
  /** Parts of the name, in lower case without separators. */
  readonly names: readonly string[];
  readonly value: RegExp;
  readonly entropy: number;
}

/** A secret in a text, as a half-open range of UTF-16 code units. */
export interface Secret {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}

/** A kind of secret that a pack adds: a fixed beginning and how much follows it at least. */
export interface ExtraSecret {
  readonly kind: string;
  readonly prefix: string;
  readonly length: number;
}
