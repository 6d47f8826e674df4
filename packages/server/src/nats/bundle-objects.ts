import { StorageType } from "@nats-io/jetstream";
import { type ObjectStore, Objm } from "@nats-io/obj";
import { packedLimits } from "hookwarden/bundle";
import { sha256 } from "hookwarden/files";
import { HookwardenError } from "hookwarden/errors";
import { AtomicFiles } from "./atomic-files.ts";
import type { NatsLink } from "./link.ts";

export interface BundleObjectsOptions {
  readonly bucket: string;
  /** Folder in which bundles that were read are kept. */
  readonly folder: string;
  readonly replicas?: number;
  /** How long to wait for the bytes of one object, in milliseconds. Default 10,000. */
  readonly timeoutMs?: number;
}

/**
 * The bytes of bundles, by their digest, in an object store of NATS and on this node's disk. What is asked for by its
 * digest is that or nothing, whatever the store holds: an object that is too large, cut off, changed or a link to
 * somewhere else is as good as none.
 */
export class BundleObjects {
  readonly #link: NatsLink;
  readonly #options: BundleObjectsOptions;
  readonly #files: AtomicFiles;
  #store: Promise<ObjectStore> | null = null;

  constructor(link: NatsLink, options: BundleObjectsOptions) {
    this.#link = link;
    this.#options = options;
    this.#files = new AtomicFiles(options.folder);
  }

  /** Stores bytes in the fleet and here. @returns their digest. @throws {HookwardenError} `nats-unavailable` */
  async put(bytes: Uint8Array): Promise<string> {
    const digest = sha256(bytes);
    try {
      const store = await this.#open();
      const known = await store.info(nameOf(digest));
      // What lies under the name may be something else; a bundle that is there as it should be is not sent again.
      const whole = known && !known.deleted && known.size === bytes.length && (await this.#fetch(digest));
      if (!whole) await store.putBlob({ name: nameOf(digest) }, bytes);
    } catch (error) {
      if (error instanceof HookwardenError) throw error;
      throw new HookwardenError(
        "nats-unavailable",
        "a bundle could not be stored in NATS",
        {},
        { cause: error },
      );
    }
    await this.#files.write(digest, bytes);
    return digest;
  }

  /** The bytes with this digest, from the disk or the fleet; `null` where there are none. */
  async get(digest: string): Promise<Uint8Array | null> {
    const kept = await this.#files.read(digest, packedLimits.packedBytes);
    if (kept && sha256(kept) === digest) return kept;
    const bytes = this.#link.connected ? await this.#fetch(digest) : null;
    if (bytes) await this.#files.write(digest, bytes);
    return bytes;
  }

  /** Forgets what is kept on this node. */
  async forget(digest: string): Promise<void> {
    await this.#files.remove(digest);
  }

  async #fetch(digest: string): Promise<Uint8Array | null> {
    let end: (() => void) | undefined;
    const late = new Promise<null>((resolve) => {
      const timer = setTimeout(() => {
        end?.();
        resolve(null);
      }, this.#options.timeoutMs ?? 10_000);
      timer.unref();
    });
    const read = this.#read(digest, (stop) => (end = stop)).catch(() => null);
    return Promise.race([read, late]);
  }

  async #read(digest: string, onStart: (stop: () => void) => void): Promise<Uint8Array | null> {
    const store = await this.#open();
    const info = await store.info(nameOf(digest));
    const most = packedLimits.packedBytes;
    // A link would make the library open, and even create, another bucket.
    if (!info || info.deleted || info.options?.link || !(info.size > 0 && info.size <= most)) return null;
    const found = await store.get(nameOf(digest));
    if (!found) return null;
    // It rejects separately from the stream; handle it here.
    found.error.catch(() => undefined);
    const reader = found.data.getReader();
    onStart(() => void reader.cancel().catch(() => undefined));
    const chunks: Uint8Array[] = [];
    let size = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.length;
      if (size > most) {
        await reader.cancel();
        return null;
      }
      chunks.push(value);
    }
    const bytes = Buffer.concat(chunks);
    return sha256(bytes) === digest ? bytes : null;
  }

  #open(): Promise<ObjectStore> {
    const { js } = this.#link.parts();
    const options = { replicas: this.#options.replicas ?? 1, storage: StorageType.File };
    this.#store ??= new Objm(js).create(this.#options.bucket, options).catch((error: unknown) => {
      this.#store = null;
      throw error;
    });
    return this.#store;
  }
}

function nameOf(digest: string): string {
  return digest.replace("sha256:", "");
}
