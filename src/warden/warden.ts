import { EventEmitter } from "node:events";
import type { Sandbox } from "@hookwarden/sandbox";
import {
  timeOfId,
  makeDecisionId,
  type Decision,
  type BrokerParts,
  decide,
  type DecisionResult,
  type StateAccess,
  type EventInput,
  readEvent,
  StoredRetryCounters,
  RetryCounters,
  preciseNow,
} from "../broker/index.ts";
import type { LoadedBundle } from "../bundle/index.ts";
import { HookwardenError } from "../errors/index.ts";
import { deriveInThread } from "../facts/index.ts";
import type { DecisionLog, LogHead } from "../log/index.ts";
import type { LoadedPack } from "../pack/index.ts";
import { KeyedQueue, MemoryStateStore } from "../state/index.ts";
import { BreakerSandbox } from "./breaker.ts";
import { type Chunk, chunkStream, type ChunkStreamOptions } from "./chunk-stream.ts";
import type { WardenEvents } from "./events.ts";
import { forgetPrograms, Generation } from "./generation.ts";
import { HostFacts } from "./host-facts.ts";
import { describeHook, type HookDescription } from "./hooks.ts";
import { type DispatchOptions, type WardenOptions } from "./options.ts";
import { checkDispatch, maxEventBytesOf } from "./check-options.ts";
import { preload } from "./preload.ts";
import { type BundleDescription, describeBundle, supply } from "./supply.ts";
import { watchSupply } from "./watch-supply.ts";

/** @internal */
export interface WardenParts extends Pick<BrokerParts, "sandbox" | "toolInputs"> {
  readonly hostFacts: HostFacts;
  readonly log: DecisionLog | null;
  readonly bundle: LoadedBundle | null;
}

/** Holds a pack and a sandbox, and decides events. Made by `createWarden`. */
export class Warden extends EventEmitter<WardenEvents> {
  readonly #options: WardenOptions;
  readonly #parts: BrokerParts & StateAccess;
  readonly #sandbox: Sandbox;
  readonly #hostFacts: HostFacts;
  readonly #maxEventBytes: number;
  readonly #watch: { close(): void } | null;
  readonly #log: DecisionLog | null;
  #bundle: LoadedBundle | null;
  /** Old generations, as long as decisions are made with them. */
  readonly #retiring = new Set<Generation>();
  #generation: Generation;
  #reloading: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | null = null;

  /** @internal */
  constructor(
    options: WardenOptions,
    generation: Generation,
    { hostFacts, log, bundle, ...parts }: WardenParts,
  ) {
    super();
    this.#log = log;
    this.#bundle = bundle;
    if (log) log.onState = (error) => this.announce("log", error ? { ok: false, error } : { ok: true });
    this.#options = options;
    this.#generation = generation;
    this.#maxEventBytes = maxEventBytesOf(options);
    this.#hostFacts = hostFacts;
    this.#sandbox = parts.sandbox;
    this.#parts = {
      ...parts,
      deriveFacts: deriveInThread,
      sandbox: new BreakerSandbox(parts.sandbox, options.store ?? null),
      retries: options.store ? new StoredRetryCounters(options.store) : new RetryCounters(),
      store: options.store ?? new MemoryStateStore(),
      queue: new KeyedQueue(),
    };
    // A failed reload is reported by its event.
    const reload = (): void => void this.reload().catch(() => undefined);
    this.#watch = options.watch ? watchSupply(options, reload) : null;
  }

  /** The sandbox that hooks run in. */
  get sandbox(): Sandbox {
    return this.#sandbox;
  }

  /** The pack that serves now. */
  get pack(): LoadedPack {
    return this.#generation.pack;
  }

  /** The last record of the log that has been written, to be noted down elsewhere; `null` without a log. */
  get logHead(): LogHead | null {
    return this.#log?.head ?? null;
  }

  /** The bundle that serves now; `null` for a pack that is no bundle. */
  get bundle(): BundleDescription | null {
    return this.#bundle && describeBundle(this.#bundle);
  }

  /**
   * Decides one event. What hooks do wrong is in the decision; only what the host does wrong is thrown.
   *
   * @param input the event as an object, as JSON text, or as the bytes of that.
   * @throws {HookwardenError} `event-not-json`, `event-too-large`, `event-unknown`, `event-invalid`, `option-invalid`,
   *   `log-failed` or `closed`. A host that gates something must treat a dispatch that throws as a refusal.
   */
  async dispatch(input: EventInput, options?: DispatchOptions): Promise<Decision> {
    if (this.#closing) throw new HookwardenError("closed", "the warden has been closed");
    const { decisionId, tenant, time, rules, sandbox } = checkDispatch(options);
    const now = decisionId === undefined ? Date.now() : 0;
    const id = decisionId ?? makeDecisionId(now);
    const { event, clock } = readEvent(
      input,
      this.#maxEventBytes,
      time ?? (decisionId === undefined ? now : timeOfId(id)),
    );
    const { pristine = true, recorder } = this.#options;
    const log = this.#log;
    if (log) {
      // Before any hook runs: a decision for which there is no room in the log is not even begun.
      const room = log.admit();
      if (room) await room;
      if (this.#closing) {
        log.cancel();
        throw new HookwardenError("closed", "the warden has been closed");
      }
    }
    const generation = this.#generation;
    let admitted = log !== null;
    generation.enter();
    try {
      const plan = generation.planFor(rules);
      const deriving = this.#hostFacts.add(event, plan, tenant);
      if (deriving) await deriving;
      const made = await decide(sandbox ? { ...this.#parts, sandbox } : this.#parts, {
        plan,
        event,
        clock,
        decisionId: id,
        tenant,
        record: recorder !== undefined || log !== null,
        keep: !pristine,
      });
      // What comes after is not of the decision: a record that has to reach the disk.
      const madeAt = this.listenerCount("decision") > 0 ? preciseNow() : undefined;
      if (made.record && recorder) {
        await recorder(made.record, { pack: generation.pack, rules: rules ?? this.#options.rules });
      }
      if (made.record && log) {
        admitted = false;
        const written = log.append(made.record, generation.pack, rules ?? this.#options.rules);
        if (written) await written;
      }
      this.#announceDecision(made, madeAt);
      return made.decision;
    } finally {
      if (admitted) log?.cancel();
      generation.leave();
    }
  }

  /** A stream for a model's response: each chunk is a `ModelResponseChunk` event, which hooks rewrite or drop. */
  transformStream(options: ChunkStreamOptions): TransformStream<Chunk, Chunk> {
    return chunkStream((event, dispatchOptions) => this.dispatch(event, dispatchOptions), options);
  }

  /**
   * Replaces the pack. Decisions under way end with the pack that they began with; a pack that cannot be loaded leaves
   * the old one serving. Reloads happen one after another.
   *
   * @param pack default: the path or the bundle that the warden was created with.
   * @throws {HookwardenError} why the pack cannot serve; a `reload` event reports the same.
   */
  reload(pack?: string | LoadedPack): Promise<void> {
    const reloading = this.#reloading.then(() => this.#reload(pack));
    this.#reloading = reloading.catch(() => undefined);
    return reloading;
  }

  /** The hooks that serve now, in the order of the pack. */
  hooks(): readonly HookDescription[] {
    return this.#generation.pack.hooks.map(describeHook);
  }

  /** @internal Emits an event. A listener that throws is reported as a warning, and changes no decision. */
  announce<Name extends keyof WardenEvents>(name: Name, ...args: WardenEvents[Name]): void {
    try {
      (this as EventEmitter).emit(name, ...args);
    } catch (error) {
      process.emitWarning(error instanceof Error ? error : String(error));
    }
  }

  /** Ends the warden when the decisions under way are made. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#watch?.close();
    await this.#reloading;
    await Promise.all(
      [this.#generation, ...this.#retiring].map((one) => new Promise<void>((done) => one.retire(done))),
    );
    const sandbox = this.#sandbox;
    try {
      if (this.#log !== this.#options.log) await this.#log?.close();
    } finally {
      if (sandbox !== this.#options.sandbox) await sandbox[Symbol.asyncDispose]();
    }
  }

  async #reload(given: string | LoadedPack | undefined): Promise<void> {
    const old = this.#generation;
    try {
      if (this.#closing) throw new HookwardenError("closed", "the warden has been closed");
      const { pack, bundle } = await supply(this.#options, this.#bundle, given);
      if (pack.hooks.length === 0 && old.pack.hooks.length > 0) {
        throw new HookwardenError(
          "pack-invalid",
          "the new pack has no hooks, so that nothing would be guarded any more",
        );
      }
      const next = new Generation(pack, this.#options.rules);
      if (this.#options.preload) await preload(this.#sandbox, pack);
      await bundle?.keep();
      this.#serve(next, old);
      this.#bundle = bundle;
      this.announce("reload", { ok: true, pack: pack.digest, previous: old.pack.digest });
    } catch (cause) {
      const error =
        cause instanceof HookwardenError
          ? cause
          : new HookwardenError("internal", "the pack could not be loaded", {}, { cause });
      this.announce("reload", { ok: false, pack: old.pack.digest, error });
      throw error;
    }
  }

  #serve(next: Generation, old: Generation): void {
    this.#generation = next;
    this.#retiring.add(old);
    old.retire(() => {
      if (!this.#retiring.delete(old)) return;
      const serving = [this.#generation, ...this.#retiring].map(({ pack }) => pack);
      forgetPrograms(this.#parts.sandbox, old.pack, serving);
    });
  }

  #announceDecision({ decision }: DecisionResult, madeAt = preciseNow()): void {
    if (this.listenerCount("decision") > 0) this.announce("decision", decision, madeAt);
    const faults = this.listenerCount("fault") > 0;
    const refusals = this.listenerCount("refused") > 0;
    if (!faults && !refusals) return;
    const { decision_id, hook_event_name, tenant } = decision;
    for (const { hook, fault, refused } of decision.trace) {
      const source = { decision_id, hook_event_name, tenant, hook };
      if (faults && fault) this.announce("fault", { ...source, fault });
      if (refusals) for (const refusal of refused) this.announce("refused", { ...source, refusal });
    }
  }
}
