import type { Inspection, Outcome } from "../contract.ts";
import { type FrozenProgram, FrozenRealm, type NeedsFresh } from "./frozen-realm.ts";
import type { Stop } from "./instance.ts";
import { IsolatePool, loadKey, type Pooled, slotOf } from "./isolate-pool.ts";
import { type LoadCache, loadOutcome } from "./load-cache.ts";
import { type Load, loadFault, type LoadFailure } from "./load-result.ts";
import { type PendingCall, runCall } from "./run-call.ts";
import type { World } from "./world.ts";

/** A parent's watchdog has a margin for the evaluation of a module before a call. What takes longer is announced. */
const slowEvaluationMs = 20;
/** Memory of an isolate for the programs in it, in MiB. */
const programRoomMb = 4;
/** An isolate is replaced when this share of its memory is in use after a call. */
const recycleShare = 0.9;

export interface FrozenOptions {
  readonly maxInstances: number;
  readonly onLoad: (begins: boolean) => void;
}

/** What an isolate has: one realm, and how many loads and calls it was used for. */
interface Kept {
  readonly realm: FrozenRealm;
  uses: number;
}

type Isolate = Pooled<Kept>;

/** It ended for lack of memory in an isolate that had been used before. */
type Again = { readonly kind: "again" };
const again: Again = { kind: "again" };

/** Calls in frozen realms: one for all programs of a tenant, or a few where they are large. */
export class FrozenCalls {
  readonly #pool: IsolatePool<Kept>;
  readonly #loads: LoadCache;
  readonly #onLoad: (begins: boolean) => void;

  constructor(world: World, loads: LoadCache, { maxInstances, onLoad }: FrozenOptions) {
    this.#pool = new IsolatePool(world, { maxInstances, roomMb: programRoomMb });
    this.#loads = loads;
    this.#onLoad = onLoad;
  }

  /**
   * Calls a program. A call has no effects, so one that runs out of memory is made again in a new isolate unless it was
   * the first in its isolate: what earlier calls have left there must not decide how it ends.
   */
  call(pending: PendingCall): Outcome | NeedsFresh {
    for (;;) {
      const outcome = this.#callOnce(pending);
      if (!("kind" in outcome) || outcome.kind !== "again") return outcome;
    }
  }

  /** Loads a program. */
  inspect(load: Load): Inspection | NeedsFresh {
    const key = loadKey(load.program.key, load.limits);
    for (;;) {
      const isolate = this.#isolateFor(load, key);
      isolate.kept.uses++;
      const known = isolate.kept.realm.find(key);
      const result = known ?? this.#load(isolate, key, load);
      if (result.kind === "again") continue;
      if (result.kind === "needs-fresh") return result;
      if (result.kind === "loaded") return { ok: true, handlers: result.handlers };
      return { ok: false, fault: loadFault(result, load) };
    }
  }

  forget(programKey: string): void {
    for (const { kept } of this.#pool.all()) kept.realm.remove(programKey);
  }

  dispose(): void {
    this.#pool.dispose();
  }

  #callOnce(pending: PendingCall): Outcome | NeedsFresh | Again {
    const { call, message, started } = pending;
    const key = loadKey(call.program.key, call.limits);
    const isolate = this.#isolateFor(call, key);
    const { instance, kept } = isolate;
    const isFirst = kept.uses++ === 0;
    const program = this.#ready(isolate, key, call);
    if (program.kind === "again" || program.kind === "needs-fresh") return program;
    if (program.kind !== "loaded") return loadOutcome(program, call, started);
    const outcome = runCall(instance, pending, (deadline) => kept.realm.call(program, message, deadline));
    if (!instance.healthy || instance.usedBytes > recycleShare * instance.limitBytes)
      this.#pool.remove(isolate);
    return !isFirst && !outcome.ok && outcome.fault.code === "memory-exceeded" ? again : outcome;
  }

  /** Loads the program or evaluates its module anew, so that it can be called. */
  #ready(isolate: Isolate, key: string, load: Load): FrozenProgram | LoadFailure | NeedsFresh | Stop | Again {
    const { realm } = isolate.kept;
    const known = realm.find(key);
    const isSlow = !known || known.evaluationMs >= slowEvaluationMs;
    if (isSlow) this.#onLoad(true);
    const result = known ? realm.prepare(known, load) : this.#load(isolate, key, load);
    if (isSlow && result.kind === "loaded") this.#onLoad(false);
    return known ? this.#checked(isolate, result) : result;
  }

  #load(isolate: Isolate, key: string, load: Load): FrozenProgram | LoadFailure | NeedsFresh | Stop | Again {
    const result = this.#checked(isolate, isolate.kept.realm.add(key, load));
    if (result.kind !== "again" && result.kind !== "needs-fresh") this.#loads.remember(load, result);
    return result;
  }

  /** Lets go of an isolate that is broken. */
  #checked<Result extends { readonly kind: string }>(isolate: Isolate, result: Result): Result | Again {
    if (isolate.instance.healthy) return result;
    this.#pool.remove(isolate);
    const isFull = result.kind === "stopped" && (result as unknown as Stop).by === "memory";
    return isFull && isolate.kept.uses > 1 ? again : result;
  }

  /** The isolate that has the program, or the first with room for it. */
  #isolateFor({ tenant, limits }: Load, key: string): Isolate {
    const slot = slotOf(tenant, limits);
    for (let number = 0; ; number++) {
      const isolate =
        this.#pool.find(`${slot}\n${number}`) ??
        this.#pool.create(`${slot}\n${number}`, limits, (instance) => ({
          realm: FrozenRealm.create(instance),
          uses: 0,
        }));
      if (!isolate.kept.realm.isFull || isolate.kept.realm.find(key)) return isolate;
    }
  }
}
