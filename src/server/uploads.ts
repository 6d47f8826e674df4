import type { ContainmentMode } from "../../sandbox/containment/index.ts";
import type { Trust } from "../bundle/trust.ts";
import { buildBundle } from "../bundle/build.ts";
import { readTrust } from "../bundle/load.ts";
import { type Floor, openBundle, type OpenedBundle } from "../bundle/open.ts";
import { HookwardenError } from "../errors.ts";
import { folderSource } from "../pack/folder.ts";
import { readManifests } from "../pack/load.ts";
import { memorySource } from "../pack/source.ts";
import type { LoadedPack } from "../pack/types.ts";
import { Problem } from "./problem.ts";
import type { PackRevision, PackStore } from "./storage.ts";
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
}

export interface UploadsOptions {
  readonly packs: PackStore;
  readonly trust?: string | Trust | undefined;
  readonly signingKey?: unknown;
  /** Walls around the bundler; see docs/containment.md. Default: those of this process. */
  readonly containment?: ContainmentMode;
}

/** Bundlers at the same time: each is a process that takes a core. */
const bundlersMost = 2;
/** Uploads that may wait for one. */
const waitingMost = 32;

/** Turns uploads into bundles that are stored, and holds them to everything that a pack must be. */
export class Uploads {
  readonly #options: UploadsOptions;
  #bundlers = 0;
  readonly #waiting: (() => void)[] = [];

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
        : await this.#build(tenant, "folder" in upload ? upload.folder : upload.files);
    const { pack } = accepted.opened;
    checkLimits(tenant, pack);
    for (const { program, limits, name } of pack.hooks) {
      const inspected = await tenant.sandbox.inspect(program, limits, tenant.name);
      if (!inspected.ok) {
        const { code, message } = inspected.fault;
        throw new HookwardenError(
          "load-failed",
          `the hook \`${name}\` does not load: ${code}: ${message.slice(0, 400)}`,
        );
      }
    }
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

  /** A pack that is not stored, from its files. */
  async load(files: ReadonlyMap<string, Uint8Array>): Promise<LoadedPack> {
    return (await this.#bundled(files, undefined)).opened.pack;
  }

  async #open(tenant: Tenant, bytes: Uint8Array): Promise<Accepted> {
    const { trust } = this.#options;
    const { signed } = await openBundle(bytes, { trust: null });
    if (tenant.record.signedOnly || (signed && trust !== undefined)) {
      if (trust === undefined)
        throw untrusted("the server has no trust file, so that no bundle can be trusted");
      const opened = await openBundle(bytes, {
        trust: await readTrust(trust),
        floors: await this.#floors(tenant, bytes),
      });
      return { opened, bytes, signedBy: opened.key };
    }
    return { opened: await openBundle(bytes, { trust: null }), bytes, signedBy: null };
  }

  async #build(tenant: Tenant, files: string | ReadonlyMap<string, Uint8Array>): Promise<Accepted> {
    if (tenant.record.signedOnly) throw untrusted("only signed bundles are taken for this tenant");
    return this.#bundled(files, this.#options.signingKey);
  }

  async #bundled(files: string | ReadonlyMap<string, Uint8Array>, key: unknown): Promise<Accepted> {
    const source = typeof files === "string" ? await folderSource(files) : memorySource(files);
    const { manifest } = await readManifests(source);
    const { containment } = this.#options;
    const release = await this.#bundler();
    try {
      const { bytes, list } = await buildBundle(files, {
        ...(manifest.name === undefined ? { name: "pack" } : {}),
        ...(manifest.version === undefined ? { version: "0.0.0" } : {}),
        // Nothing of this machine may find its way into a tenant's pack.
        ...(typeof files === "string" ? {} : { nodeModules: [] }),
        ...(key === undefined ? {} : { key }),
        ...(containment === undefined ? {} : { containment }),
      });
      const opened = await openBundle(bytes, { trust: null });
      const kid = (key as { kid?: unknown } | undefined)?.kid;
      return { opened: { ...opened, list }, bytes, signedBy: typeof kid === "string" ? kid : null };
    } finally {
      release();
    }
  }

  /** Nothing older than the signed bundle of the same name that serves. Going back is what rollback is for. */
  async #floors(tenant: Tenant, bytes: Uint8Array): Promise<Floor[]> {
    const { active } = tenant.rollout;
    const serving = active === null ? null : await this.#options.packs.get(tenant.name, active);
    if (!serving?.signedBy) return [];
    const { list } = await openBundle(bytes, { trust: null });
    return list.name === serving.name ? [{ version: serving.version, digest: serving.bundle }] : [];
  }

  async #bundler(): Promise<() => void> {
    if (this.#bundlers >= bundlersMost) {
      if (this.#waiting.length >= waitingMost) throw new Problem("queue-full", 5);
      await new Promise<void>((go) => this.#waiting.push(go));
    } else this.#bundlers++;
    return () => {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#bundlers--;
    };
  }
}

function checkLimits(tenant: Tenant, pack: LoadedPack): void {
  const { residentHooks, memoryKb } = tenant.limits;
  // The candidate and the active pack live side by side while one is on trial.
  if (pack.hooks.length > residentHooks) throw new Problem("too-many-hooks");
  if (pack.hooks.some(({ limits }) => limits.memoryKb > memoryKb)) throw new Problem("too-much-memory");
}

function untrusted(message: string): HookwardenError {
  return new HookwardenError("bundle-untrusted", message);
}
