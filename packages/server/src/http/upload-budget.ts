/** What an upload counts at least: small bundles unpack to larger packs. */
const minBytes = 1_048_576;

/**
 * Bounds the uploads in progress of all tenants together, from the first byte of the body to the response. Only half of
 * it is available to tenants that already have an upload in progress, so that a few tenants cannot lock out the others.
 */
export class UploadBudget {
  readonly #maxBytes: number;
  readonly #held = new Map<string, number>();
  #total = 0;

  /** @param maxBytes of all bodies in progress. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Reserves room for an upload.
   *
   * @returns releases it, to be called once; `null` if there is no room.
   */
  reserve(tenant: string, bytes: number): (() => void) | null {
    const charged = Math.max(minBytes, bytes);
    const held = this.#held.get(tenant) ?? 0;
    const available = held === 0 ? this.#maxBytes : this.#maxBytes / 2;
    if (this.#total + charged > available) return null;
    this.#total += charged;
    this.#held.set(tenant, held + charged);
    return () => {
      this.#total -= charged;
      const left = (this.#held.get(tenant) ?? charged) - charged;
      if (left > 0) this.#held.set(tenant, left);
      else this.#held.delete(tenant);
    };
  }
}
