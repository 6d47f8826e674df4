import type { LoadedBundle } from "../bundle/index.ts";
import { HookwardenError } from "../errors/index.ts";
import { type LoadOptions, loadPack, type LoadedPack } from "../pack/index.ts";
import type { WardenOptions } from "./options.ts";

/** A pack that may serve, and the bundle that it comes from. */
export interface Supply {
  readonly pack: LoadedPack;
  readonly bundle: LoadedBundle | null;
}

/** What is known of a bundle that serves. */
export interface BundleDescription {
  readonly name: string;
  readonly version: string;
  readonly target: string;
  /** `sha256:` of the signed content. */
  readonly digest: string;
  /** Name of the key that signed it. */
  readonly key: string | null;
  /** Whether it is the one that was offered, or the last good one. */
  readonly from: "offered" | "kept";
}

/**
 * Loads what a warden is to serve.
 *
 * @throws {HookwardenError} why it cannot serve, `review-required` among others
 * @param serving the bundle that serves now: nothing older takes its place.
 * @param given for a reload: another pack than that of the options.
 */
export async function supply(
  options: WardenOptions,
  serving: LoadedBundle | null = null,
  given: string | LoadedPack | undefined = undefined,
): Promise<Supply> {
  const { bundle: offered, trust, keepBundle } = options;
  if (offered === undefined) {
    const pack = given ?? (options.pack as string | LoadedPack);
    const loaded = typeof pack === "string" ? await loadPack(pack, loadOptions(options)) : pack;
    await insist(options, loaded);
    return { pack: loaded, bundle: null };
  }
  if (given !== undefined) {
    throw new HookwardenError("option-invalid", "a warden that was made with a bundle takes bundles only");
  }
  const { floorOf, loadBundle } = await import("../bundle/index.ts");
  const source = {
    bundle: offered,
    trust: trust as NonNullable<typeof trust>,
    ...(keepBundle === undefined ? {} : { keep: keepBundle }),
  };
  const bundle = await loadBundle(source, serving && floorOf(serving));
  await insist(options, bundle.pack, bundle.list.name);
  return { pack: bundle.pack, bundle };
}

function loadOptions({ containment, load }: WardenOptions): LoadOptions {
  return { ...(containment === undefined ? {} : { containment }), ...load };
}

/** The digest is of everything that can change a decision, so that a pack that was touched after its review is another one. */
async function insist(
  { requireReview }: WardenOptions,
  pack: LoadedPack,
  name: string | null = pack.manifest.name ?? null,
): Promise<void> {
  if (requireReview === undefined) return;
  const { requireApproval } = await import("../bundle/index.ts");
  await requireApproval(requireReview, pack, name);
}

export function describeBundle({ list, digest, key, from }: LoadedBundle): BundleDescription {
  const { name, version, target } = list;
  return { name, version, target, digest, key, from };
}
