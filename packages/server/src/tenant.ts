import type { Decision } from "hookwarden/broker";
import type { DecisionLog } from "hookwarden/log";
import { createDialect, type Translator } from "hookwarden/dialects";
import { HookwardenError } from "hookwarden/errors";
import type { LoadedPack } from "hookwarden/pack";
import type { StateStore } from "hookwarden/state";
import { createWarden, type Warden } from "hookwarden/warden";
import { Candidate } from "./candidate.ts";
import { type DegradedWindow, degradedNote } from "./degraded.ts";
import { LimitedFlow } from "./fair-limiter.ts";
import { LatencyWindow } from "./histogram.ts";
import type { Lane, Lanes } from "./lanes.ts";
import { CpuMeter, RateMeter } from "./meters.ts";
import type { Quarantine } from "./quarantine.ts";
import type { Rollout } from "./rollout.ts";
import { TenantCalls, TenantSandbox } from "./tenant-sandbox.ts";
import { takeTurn } from "./tenancy/turn.ts";
import type { HookView, TenantLimits, TenantRecord } from "./tenants.ts";

/** What all tenants of a server have in common. */
export interface TenantParts {
  readonly lanes: Lanes;
  readonly quarantine: Quarantine;
  readonly state: StateStore;
  readonly eventBytes: number;
  /** Listens to the decisions of a warden that was made. */
  readonly listen: (warden: Warden) => void;
}

/** A tenant in operation: its warden, its candidate, its meters. */
export class Tenant {
  readonly name: string;
  record: TenantRecord;
  limits: TenantLimits;
  rollout: Rollout;
  /** Why the pack that should serve does not; `null` where it does, or where there is none. */
  broken: string | null = null;
  warden: Warden | null = null;
  candidate: Candidate | null = null;
  /** The audit; `null` where none is kept. */
  log: DecisionLog | null = null;
  readonly rate: RateMeter;
  readonly cpu = new CpuMeter();
  readonly calls: TenantCalls;
  /** One for each lane. */
  readonly sandboxes: { readonly [Name in Lane["name"]]: TenantSandbox };
  readonly latency = new LatencyWindow();
  decisions = 0;
  faults = 0;
  refused = 0;
  readonly #parts: TenantParts;
  readonly #translators = new Map<string, Translator>();
  /** The translators of the last degraded window. */
  #degraded: { readonly window: DegradedWindow; readonly translators: Map<string, Translator> } | null = null;

  constructor(record: TenantRecord, limits: TenantLimits, parts: TenantParts) {
    this.name = record.tenant;
    this.record = record;
    this.limits = limits;
    this.rollout = { tenant: record.tenant, generation: 0, active: null, candidate: null };
    this.#parts = parts;
    this.rate = new RateMeter(limits.requestsPerSecond);
    const { lanes, quarantine } = parts;
    this.calls = new TenantCalls({ tenant: record.tenant, lanes, cpu: this.cpu, quarantine });
    const { engine, version } = lanes.fast.sandbox;
    const sandboxIn = (lane: Lane): TenantSandbox =>
      new TenantSandbox(lane, new LimitedFlow(1, limits.queued), { calls: this.calls, engine, version });
    this.sandboxes = { fast: sandboxIn(lanes.fast), slow: sandboxIn(lanes.slow) };
  }

  /** Takes other settings; what is under way is not touched. */
  set(record: TenantRecord, limits: TenantLimits): void {
    this.record = record;
    this.limits = limits;
    this.rate.perSecond = limits.requestsPerSecond;
    for (const { flow } of Object.values(this.sandboxes)) flow.maxWaiting = limits.queued;
  }

  /** The degraded window that is open now. */
  get degraded(): DegradedWindow | null {
    const { degraded } = this.record;
    return degraded && Date.now() < Date.parse(degraded.until) ? degraded : null;
  }

  get pack(): LoadedPack | null {
    return this.warden?.pack ?? null;
  }

  /** The lane that the tenant's next decision belongs to. */
  get lane(): Lane["name"] {
    return this.calls.areHeavy ? "slow" : "fast";
  }

  /** Chooses where the next decision runs, and sets how many the tenant may have there at the same time. */
  chooseSandbox(): TenantSandbox {
    const { lane, calls, limits } = this;
    const sandbox = this.sandboxes[lane];
    const most = lane === "slow" ? slowConcurrency : calls.areProven ? Infinity : unprovenConcurrency;
    sandbox.flow.concurrency = Math.min(limits.concurrency, most);
    return sandbox;
  }

  get inFlight(): number {
    return this.sandboxes.fast.flow.running + this.sandboxes.slow.flow.running;
  }

  get waiting(): number {
    return this.sandboxes.fast.flow.waiting.length + this.sandboxes.slow.flow.waiting.length;
  }

  /** Lets a pack decide from now on; `null`: none. Decisions under way end with the pack that they began with. */
  async serve(pack: LoadedPack | null): Promise<void> {
    const { warden } = this;
    if (pack && warden) {
      if (pack.digest !== warden.pack.digest) await warden.reload(pack);
    } else if (pack) {
      const { state: store, eventBytes: maxEventBytes, listen } = this.#parts;
      const { log } = this;
      const made = await createWarden({
        pack,
        sandbox: this.sandboxes.fast,
        store,
        maxEventBytes,
        ...(log && { log }),
      });
      listen(made);
      this.warden = made;
    } else if (warden) {
      this.warden = null;
      this.#translators.clear();
      this.#degraded = null;
      await warden[Symbol.asyncDispose]();
    }
  }

  /** Puts a pack on trial; `null`: none. */
  async stage(step: Rollout["candidate"], pack: LoadedPack | null): Promise<void> {
    const before = this.candidate;
    if (before && step && before.revision === step.revision) {
      before.percent = step.percent;
      return;
    }
    const parts = {
      sandbox: this.sandboxes.fast,
      stateBytes: trialStateBytes(this.limits),
      takeTurn: () => takeTurn("candidate", this),
    };
    this.candidate = step && pack ? await Candidate.create(step, pack, parts) : null;
    await before?.[Symbol.asyncDispose]();
  }

  /**
   * Speaks with the tenant's warden in another system's words.
   *
   * @param degraded the window in which it decides; `null`: none.
   * @throws {HookwardenError} `dialect-unknown`
   */
  translator(dialect: string, warden: Warden, degraded: DegradedWindow | null = null): Translator {
    const translators = degraded ? this.#degradedTranslators(degraded) : this.#translators;
    let translator = translators.get(dialect);
    if (translator?.warden !== warden) {
      translator = createDialect(warden, dialect, {
        maxMessageBytes: this.#parts.eventBytes,
        ...(degraded && { degraded: degradedNote(degraded) }),
      });
      translators.set(dialect, translator);
    }
    return translator;
  }

  #degradedTranslators(window: DegradedWindow): Map<string, Translator> {
    if (this.#degraded?.window !== window) this.#degraded = { window, translators: new Map() };
    return this.#degraded.translators;
  }

  /** Counts what was decided. */
  count(decision: Decision, us: number): void {
    this.decisions++;
    this.latency.add(us);
    for (const { fault } of decision.trace) if (fault) this.faults++;
  }

  hooks(): HookView[] {
    const quarantined = new Set(this.#parts.quarantine.list(this.name).map(({ hook }) => hook));
    return (this.pack?.hooks ?? []).map(({ name, version, digest, program }) => {
      const use = this.calls.uses.get(program.key);
      return {
        tenant: this.name,
        hook: name,
        version,
        digest,
        calls: use?.calls ?? 0,
        faults: use?.faults ?? 0,
        cpu_ms: Math.round((use?.us ?? 0) / 1_000),
        quarantined: quarantined.has(name),
      };
    });
  }

  /** Ends it when what is under way is decided and recorded. */
  async close(): Promise<void> {
    const { warden, candidate, log } = this;
    this.warden = null;
    this.candidate = null;
    await warden?.[Symbol.asyncDispose]();
    await candidate?.[Symbol.asyncDispose]();
    await log?.close().catch((error: unknown) => {
      if (!(error instanceof HookwardenError)) throw error;
    });
  }
}

/** Most state of hooks on trial, in bytes: it is held in memory. */
const trialBytes = 16 * 1_048_576;

/** Most state that hooks of a tenant may have during a trial, in bytes. */
export function trialStateBytes({ stateBytes }: TenantLimits): number {
  return Math.min(stateBytes, trialBytes);
}

/** Decisions of one tenant in the slow lane at the same time. */
const slowConcurrency = 2;
/** Decisions at the same time of one whose hooks have not shown yet that they end: each could cost a process. */
const unprovenConcurrency = 1;
