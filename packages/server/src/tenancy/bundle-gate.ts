import {
  readTrust,
  type Floor,
  openBundle,
  type OpenedBundle,
  requireApproval,
  type RequiredReview,
  type CheckedTrust,
  type Trust,
} from "hookwarden/bundle";
import { HookwardenError } from "hookwarden/errors";
import type { Log } from "../log.ts";
import { Problem } from "../problem.ts";

export interface BundleGateOptions {
  /** The trust file: its path, or its content. Absent: no signature is looked at, and none can be trusted. */
  readonly trust: string | Trust | undefined;
  /** Name of the server's own signing key; `null` without one. */
  readonly ownKey: string | null;
  /** Reviews that a pack must have before it serves. Absent: none. */
  readonly requireReview: RequiredReview | undefined;
  readonly log: Log;
}

/** A bundle that may be used, as far as signatures go. */
export interface AdmittedBundle {
  readonly opened: OpenedBundle;
  /** Name of the key of the trust file that has signed it; `null` where none had to. */
  readonly trustedKey: string | null;
}

/** Opens bundles, and holds their signatures to the trust file as it is now: one that was revoked since then is refused. */
export class BundleGate {
  readonly #options: BundleGateOptions;

  constructor(options: BundleGateOptions) {
    this.#options = options;
  }

  /**
   * @param signedOnly whether an unsigned bundle is refused.
   * @param from.signedBy what the revision says that signed it, for one that is stored.
   * @param from.floors what it must not be older than.
   * @throws {HookwardenError} as `openBundle`
   * @throws {Problem} `trust-unavailable`
   */
  async open(
    bytes: Uint8Array,
    signedOnly: boolean,
    from: { readonly signedBy?: string | null; readonly floors?: readonly Floor[] } = {},
  ): Promise<AdmittedBundle> {
    const opened = await openBundle(bytes, { trust: null });
    const { trust: source, ownKey } = this.#options;
    if (source === undefined) {
      if (!signedOnly) return { opened, trustedKey: null };
      throw new HookwardenError(
        "bundle-untrusted",
        "the server has no trust file, so that no bundle can be trusted",
      );
    }
    if (!opened.signed && !signedOnly) return { opened, trustedKey: null };
    const trust = await this.#trustNow(source);
    // The server's own signature on uploaded files counts only if the trust file lists its key.
    const isOwn = ownKey !== null && from.signedBy === ownKey && !trust.keys.has(ownKey);
    if (isOwn && !signedOnly) return { opened, trustedKey: null };
    const held = await openBundle(bytes, { trust, floors: from.floors ?? [] });
    return { opened: held, trustedKey: held.key };
  }

  /** @throws {HookwardenError} `review-required` where reviews are required and none of them approves the pack as it is. */
  async review({ pack, list }: OpenedBundle): Promise<void> {
    const { requireReview } = this.#options;
    if (requireReview) await requireApproval(requireReview, pack, list.name);
  }

  async #trustNow(source: string | Trust): Promise<CheckedTrust> {
    try {
      return await readTrust(source);
    } catch (error) {
      if (!(error instanceof HookwardenError)) throw error;
      // The file is the host's: its path and what is wrong with it are for operators only.
      const { code, message, place } = error;
      this.#options.log("trust-unavailable", { error: code, message, ...place });
      throw new Problem("trust-unavailable", 5);
    }
  }
}
