import type { Inspection, Outcome, Program } from "../contract.ts";
import type { Limits } from "../limits.ts";
import { type FreshRealm, loadFresh } from "./fresh-realm.ts";
import type { Stop } from "./instance.ts";
import { IsolatePool, loadKey, type Pooled, slotOf } from "./isolate-pool.ts";
import { type LoadCache, loadOutcome } from "./load-cache.ts";
import { type Load, loadFault, type LoadFailure } from "./load-result.ts";
import { type PendingCall, runCall } from "./run-call.ts";
import type { World } from "./world.ts";

/** A program whose load took longer is not loaded ahead of its next call: the next caller may want another one. */
const slowLoadMs = 20;

export interface FreshOptions {
  readonly maxInstances: number;
  readonly maxKept: number;
  readonly maxContexts: number;
  readonly onLoad: (begins: boolean) => void;
}

interface Contexts {
  /** Contexts that are kept between calls, by the key of the calls. */
  readonly bySession: Map<string, FreshRealm>;
  /** A context that was loaded ahead, for the next call of its program. */
  ready: { readonly key: string; readonly realm: FreshRealm } | null;
}

type Isolate = Pooled<Contexts>;

/** Calls in contexts of their own: a fresh one for each call, or one that the calls of a session share. */
export class FreshCalls {
  readonly #pool: IsolatePool<Contexts>;
  readonly #loads: LoadCache;
  readonly #options: FreshOptions;
  /** The program to load ahead, and where. */
  #next: { readonly isolate: Isolate; readonly program: Program; readonly limits: Limits } | null = null;

  constructor(world: World, loads: LoadCache, options: FreshOptions) {
    this.#pool = new IsolatePool(world, { maxInstances: options.maxInstances, roomMb: 0 });
    this.#loads = loads;
    this.#options = options;
  }

  /** Calls a program in a context that is thrown away afterwards. */
  call(pending: PendingCall): Outcome {
    const { call, started } = pending;
    const { program, limits, tenant } = call;
    const isolate = this.#isolateFor(tenant, limits);
    const { instance, kept } = isolate;
    let realm: FreshRealm;
    if (kept.ready?.key === loadKey(program.key, limits)) {
      ({ realm } = kept.ready);
      kept.ready = null;
    } else {
      this.#dropReady(isolate);
      const result = this.#loadFor(isolate, call);
      if (result.kind !== "loaded") return loadOutcome(result, call, started);
      realm = result;
    }
    this.#next = realm.loadMs < slowLoadMs ? { isolate, program, limits } : null;
    const outcome = runCall(instance, pending, (deadline) => instance.call(realm, pending.message, deadline));
    instance.release(realm);
    this.#recycle(isolate);
    return outcome;
  }

  /** Calls a program in the context that calls with the same key share. */
  callKept(pending: PendingCall, keep: string): Outcome {
    const { call, message, started } = pending;
    const { program, limits, tenant } = call;
    const isolate = this.#isolateFor(tenant, limits);
    const { instance } = isolate;
    const { bySession } = isolate.kept;
    const key = `${keep}\n${loadKey(program.key, limits)}`;
    let realm = bySession.get(key);
    if (!realm) {
      const result = this.#loadFor(isolate, call);
      if (result.kind !== "loaded") return loadOutcome(result, call, started);
      realm = result;
      const oldest = bySession.size >= this.#options.maxKept ? bySession.entries().next().value : undefined;
      if (oldest) {
        bySession.delete(oldest[0]);
        instance.release(oldest[1]);
      }
      bySession.set(key, realm);
    }
    const { bridge } = realm;
    const outcome = runCall(instance, pending, (deadline) => instance.callKept(bridge, message, deadline));
    this.#recycle(isolate);
    return outcome;
  }

  inspect(load: Load): Inspection {
    const isolate = this.#isolateFor(load.tenant, load.limits);
    const result = this.#load(isolate, load);
    if (result.kind !== "loaded") return { ok: false, fault: loadFault(result, load) };
    this.#storeReady(isolate, result, load.limits);
    return { ok: true, handlers: result.handlers };
  }

  /** Loads the program of the last call ahead; to be called after the answer was sent. */
  tidy(): void {
    const next = this.#next;
    this.#next = null;
    if (!next) return;
    const { isolate, program, limits } = next;
    if (isolate.kept.ready || !isolate.instance.healthy || this.#needsRecycling(isolate)) return;
    const result = loadFresh(isolate.instance, { program, limits, tenant: "" });
    if (result.kind === "loaded") this.#storeReady(isolate, result, limits);
  }

  forget(programKey: string): void {
    if (this.#next?.program.key === programKey) this.#next = null;
    for (const isolate of this.#pool.all()) {
      const { ready, bySession } = isolate.kept;
      if (ready?.realm.program.key === programKey) this.#dropReady(isolate);
      for (const [key, realm] of bySession) {
        if (realm.program.key !== programKey) continue;
        bySession.delete(key);
        isolate.instance.release(realm);
      }
    }
  }

  dispose(): void {
    this.#pool.dispose();
    this.#next = null;
  }

  /** Loads a program on the critical path of a call. */
  #loadFor(isolate: Isolate, load: Load): FreshRealm | LoadFailure | Stop {
    this.#options.onLoad(true);
    const result = this.#load(isolate, load);
    if (result.kind === "loaded") this.#options.onLoad(false);
    return result;
  }

  #load(isolate: Isolate, load: Load): FreshRealm | LoadFailure | Stop {
    const result = loadFresh(isolate.instance, load);
    if (!isolate.instance.healthy) this.#pool.remove(isolate);
    this.#loads.remember(load, result);
    return result;
  }

  #isolateFor(tenant: string, limits: Limits): Isolate {
    const slot = slotOf(tenant, limits);
    const contexts = (): Contexts => ({ bySession: new Map(), ready: null });
    return this.#pool.find(slot) ?? this.#pool.create(slot, limits, contexts);
  }

  #storeReady(isolate: Isolate, realm: FreshRealm, limits: Limits): void {
    this.#dropReady(isolate);
    isolate.kept.ready = { key: loadKey(realm.program.key, limits), realm };
  }

  #dropReady({ instance, kept }: Isolate): void {
    if (kept.ready) instance.release(kept.ready.realm);
    kept.ready = null;
  }

  #needsRecycling({ instance }: Isolate): boolean {
    return instance.contexts >= this.#options.maxContexts;
  }

  /** Replaces an isolate that is broken, or that has made enough contexts and keeps none. */
  #recycle(isolate: Isolate): void {
    const { instance, kept } = isolate;
    if (instance.healthy && !(this.#needsRecycling(isolate) && kept.bySession.size === 0)) return;
    this.#pool.remove(isolate);
  }
}
