import type { ContainmentMode } from "@hookwarden/sandbox";
import { buildBundle, type Floor, openBundle, type OpenedBundle } from "hookwarden/bundle";
import { HookwardenError } from "hookwarden/errors";
import { folderSource, memorySource } from "hookwarden/files";
import { readManifests, type LoadedPack } from "hookwarden/pack";
import { Bundlers } from "./bundlers.ts";
import type { PackRevision, PackStore } from "./storage.ts";
import type { BundleGate } from "./tenancy/bundle-gate.ts";
import { enforce } from "./tenancy/enforce.ts";
import { takeTurn } from "./tenancy/turn.ts";
import type { Use } from "./tenancy/uses.ts";
import type { Tenant } from "./tenant.ts";

/** What is to serve: a bundle, the files of a pack by relative path, or a folder of the operator's. */
export type Upload =
  | { readonly bundle: Uint8Array }
  | { readonly files: ReadonlyMap<string, Uint8Array> }
  | { readonly folder: string };

/** An upload that may serve. */
export interface Accepted {
  readonly opened: OpenedBundle;
  readonly bytes: Uint8Array;
  readonly signedBy: string | null;
  /** Whether a key of the trust file has signed it. */
  readonly isTrusted: boolean;
}

export interface UploadsOptions {
  readonly packs: PackStore;
  readonly gate: BundleGate;
  readonly signingKey: unknown;
  /** Walls around the bundler; see docs/containment.md. Default: those of this process. */
  readonly containment?: ContainmentMode;
}

/** Turns uploads into bundles that are stored, and holds them to everything that a pack must be. */
export class Uploads {
  readonly #options: UploadsOptions;
  readonly #bundlers = new Bundlers();

  constructor(options: UploadsOptions) {
    this.#options = options;
  }

  /**
   * Checks an upload: its form, its signature, its manifests, its scripts, that each of them loads in a sandbox, and
   * what the tenant may have. Nothing is stored by it.
   *
   * @throws {HookwardenError} or `Problem`: why it may not serve.
   */
  async check(tenant: Tenant, upload: Upload): Promise<Accepted> {
    const accepted =
      "bundle" in upload
        ? await this.#open(tenant, upload.bundle)
        : await this.#build(tenant, "folder" in upload ? upload.folder : upload.files, {
            use: "upload",
            key: this.#options.signingKey,
          });
    const { pack } = accepted.opened;
    enforce("upload", "pack", tenant, { hooks: pack.hooks, trusted: accepted.isTrusted });
    await this.#options.gate.review(accepted.opened);
    for (const hook of pack.hooks) await loadInTurn(tenant, hook);
    return accepted;
  }

  /** Stores what was accepted, under the next number. */
  async store(
    tenant: Tenant,
    { opened, bytes, signedBy }: Accepted,
    createdBy: string,
  ): Promise<PackRevision> {
    const { list, digest, pack } = opened;
    const { name, version } = list;
    return this.#options.packs.put(
      {
        tenant: tenant.name,
        pack: pack.digest,
        bundle: digest,
        name,
        version,
        signedBy,
        hooks: pack.hooks.length,
        createdBy,
      },
      bytes,
    );
  }

  /** A pack for a trial, which is not stored, from its files. */
  async load(tenant: Tenant, files: ReadonlyMap<string, Uint8Array>): Promise<LoadedPack> {
    const { opened } = await this.#build(tenant, files, { use: "try", key: undefined });
    const { pack } = opened;
    enforce("try", "pack", tenant, { hooks: pack.hooks, trusted: false });
    // Where reviews are required, code without one does not run at all.
    await this.#options.gate.review(opened);
    return pack;
  }

  async #open(tenant: Tenant, bytes: Uint8Array): Promise<Accepted> {
    const { opened, trustedKey } = await this.#options.gate.open(bytes, tenant.record.signedOnly, {
      floors: await this.#floors(tenant, bytes),
    });
    return { opened, bytes, signedBy: trustedKey, isTrusted: trustedKey !== null };
  }

  /** Files come unsigned: where only signed bundles are taken, nothing is built of them. */
  async #build(
    tenant: Tenant,
    files: string | ReadonlyMap<string, Uint8Array>,
    { use, key }: { readonly use: Use; readonly key: unknown },
  ): Promise<Accepted> {
    enforce(use, "pack", tenant);
    enforce(use, "run", tenant);
    return this.#bundled(tenant, files, key);
  }

  async #bundled(
    tenant: Tenant,
    files: string | ReadonlyMap<string, Uint8Array>,
    key: unknown,
  ): Promise<Accepted> {
    const source = typeof files === "string" ? await folderSource(files) : memorySource(files);
    const { manifest } = await readManifests(source);
    const { containment } = this.#options;
    return this.#bundlers.run(tenant, async () => {
      const { bytes, list } = await buildBundle(files, {
        ...(manifest.name === undefined ? { name: "pack" } : {}),
        ...(manifest.version === undefined ? { version: "0.0.0" } : {}),
        // Nothing of this machine may get into a tenant's pack.
        ...(typeof files === "string" ? {} : { nodeModules: [] }),
        ...(key === undefined ? {} : { key }),
        ...(containment === undefined ? {} : { containment }),
      });
      const opened = await openBundle(bytes, { trust: null });
      return { opened: { ...opened, list }, bytes, signedBy: keyName(key), isTrusted: false };
    });
  }

  /** Nothing older than the signed bundle of the same name that serves. Going back is what rollback is for. */
  async #floors(tenant: Tenant, bytes: Uint8Array): Promise<Floor[]> {
    const { active } = tenant.rollout;
    const serving = active === null ? null : await this.#options.packs.get(tenant.name, active);
    if (!serving?.signedBy) return [];
    const { list } = await openBundle(bytes, { trust: null });
    return list.name === serving.name ? [{ version: serving.version, digest: serving.bundle }] : [];
  }
}

/** Name of a signing key; `null` without one. */
export function keyName(key: unknown): string | null {
  const kid = (key as { kid?: unknown } | undefined)?.kid;
  return typeof kid === "string" ? kid : null;
}

/** Loads a script once, in the tenant's turn: what its top level does is the tenant's doing. */
async function loadInTurn(
  tenant: Tenant,
  { program, limits, name }: LoadedPack["hooks"][number],
): Promise<void> {
  const taken = takeTurn("upload", tenant);
  const turn = taken instanceof Promise ? await taken : taken;
  const begun = performance.now();
  try {
    const inspected = await turn.sandbox.inspect(program, limits, tenant.name);
    if (inspected.ok) return;
    const { code, message } = inspected.fault;
    throw new HookwardenError(
      "load-failed",
      `the hook \`${name}\` does not load: ${code}: ${message.slice(0, 400)}`,
    );
  } finally {
    turn.leave((performance.now() - begun) * 1_000);
  }
}
