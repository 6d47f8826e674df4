import { HookwardenError } from "hookwarden/errors";
import type { SqliteStateStore } from "hookwarden/state";
import { createWarden, type Warden, type WardenOptions } from "hookwarden/warden";
import { Answerer } from "../translate/answerer.ts";
import { failed } from "../hook/hook-call.ts";
import type { HookOptions } from "../hook/hook-options.ts";
import { packStamp } from "./pack-stamp.ts";
import { openStateFile } from "./state-file.ts";
import { maxEventBytes, type Outcome } from "../hook/wire.ts";

/** A loaded version of the pack. */
interface LoadedState {
  readonly stamp: string;
  readonly warden: Warden;
  readonly answerer: Answerer;
}

/** Decides events with the current version of the pack on disk. */
export class Decider {
  readonly #options: HookOptions;
  #store: SqliteStateStore | null = null;
  #loaded: LoadedState | null = null;
  #loading: Promise<unknown> = Promise.resolve();

  constructor(options: HookOptions) {
    this.#options = options;
  }

  /** Answers one event. Never throws: a failure is an outcome that refuses. */
  async decide(event: Uint8Array): Promise<Outcome> {
    try {
      const { answerer } = await this.#current();
      return { exit: 0, out: JSON.stringify(await answerer.answer(event)), err: "" };
    } catch (error) {
      return failed(
        this.#options.client,
        event,
        error instanceof HookwardenError ? new Error(error.toLine()) : error,
      );
    }
  }

  /** Resolves after the pending events are decided. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#loading.catch(() => undefined);
    await this.#loaded?.warden[Symbol.asyncDispose]();
    await this.#store?.[Symbol.asyncDispose]?.();
  }

  /** The state for the pack as it is now: a pack that changed before the event arrived is not used. */
  async #current(): Promise<LoadedState> {
    const loaded = this.#loaded;
    if (loaded && packStamp(this.#options.pack) === loaded.stamp) return loaded;
    const loading = this.#loading.catch(() => undefined).then(() => this.#load());
    this.#loading = loading;
    return loading;
  }

  async #load(): Promise<LoadedState> {
    for (let tries = 0; tries < 5; tries++) {
      const stamp = stampOf(this.#options.pack);
      const loaded = this.#loaded;
      if (loaded?.stamp === stamp) return loaded;
      // If the changed pack cannot be loaded, the previous one must not stay in use.
      this.#loaded = null;
      const warden = loaded ? await reloaded(loaded.warden) : await this.#create();
      if (stampOf(this.#options.pack) !== stamp) {
        this.#loaded = { stamp: "", warden, answerer: this.#answererOf(warden) };
        continue;
      }
      this.#loaded = { stamp, warden, answerer: this.#answererOf(warden) };
      return this.#loaded;
    }
    throw new Error("the pack keeps changing");
  }

  #answererOf(warden: Warden): Answerer {
    const { client } = this.#options;
    return new Answerer(warden, { client, store: this.#store as SqliteStateStore, maxEventBytes });
  }

  async #create(): Promise<Warden> {
    const { pack, engine, isolation, containment, log, requireReview, reviewers } = this.#options;
    this.#store ??= openStateFile(this.#options);
    const options: WardenOptions = {
      pack,
      engine,
      isolation,
      containment,
      store: this.#store,
      maxEventBytes,
      ...(requireReview === null || reviewers === null
        ? {}
        : { requireReview: { records: [requireReview], trust: reviewers } }),
      ...(log === null ? {} : { log: { to: log, flush: "each" } }),
    };
    return createWarden(options);
  }
}

async function reloaded(warden: Warden): Promise<Warden> {
  try {
    await warden.reload();
    return warden;
  } catch (error) {
    await warden[Symbol.asyncDispose]();
    throw error;
  }
}

function stampOf(pack: string): string {
  try {
    return packStamp(pack);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    throw new HookwardenError("pack-not-found", `the pack \`${pack}\` cannot be read`);
  }
}
