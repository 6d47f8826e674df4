/** Answers below this many characters are not counted: as many as there may be connections fit into memory. */
const smallChars = 16_384;

/**
 * Counts the responses that tenants have not read. A client that asks for large ones and reads none would fill the server's
 * memory, and no limit on time or concurrency would stop it: those end with the decision.
 */
export class UnsentBudget {
  readonly #most: number;
  readonly #chars = new Map<string, number>();

  /** @param most characters of answers that may wait for each tenant. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Whether an answer of so many characters is counted. */
  counts(chars: number): boolean {
    return chars >= smallChars;
  }

  /**
   * Counts an answer until it was handed over, or its connection has ended.
   *
   * @returns what is to be called then, once; `null` where it would be too much: then it must not be sent.
   */
  hold(tenant: string, chars: number): (() => void) | null {
    const held = this.of(tenant) + chars;
    if (held > this.#most) return null;
    this.#chars.set(tenant, held);
    return () => {
      const left = this.of(tenant) - chars;
      if (left > 0) this.#chars.set(tenant, left);
      else this.#chars.delete(tenant);
    };
  }

  /** Characters that wait for a tenant. */
  of(tenant: string): number {
    return this.#chars.get(tenant) ?? 0;
  }
}
