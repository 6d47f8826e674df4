import {
  type Call,
  type EngineName,
  faultTable,
  type Inspection,
  type Limits,
  type Outcome,
  type Program,
  type Sandbox,
} from "@hookwarden/sandbox";
import type { LimitedFlow } from "./fair-limiter.ts";
import type { Lane, Lanes } from "./lanes.ts";
import type { CpuMeter } from "./meters.ts";
import type { Quarantine } from "./quarantine.ts";

/** What the calls of one program have used since its pack was loaded. */
export interface ProgramUse {
  calls: number;
  faults: number;
  us: number;
}

/**
 * A call that takes more is heavy: microseconds and, where they are counted, steps. Time alone would send a tenant to the
 * slow lane for what others do to the machine.
 */
const heavyUs = 5_000;
const heavySteps = 500_000;
/** Calls in a row that must not be heavy before a tenant may have more than one decision under way. */
const provenCalls = 16;

export interface TenantCallsOptions {
  readonly tenant: string;
  readonly lanes: Lanes;
  readonly cpu: CpuMeter;
  readonly quarantine: Quarantine;
}

/** What the calls of a tenant have used, in both lanes, and which lane the next ones belong to. */
export class TenantCalls {
  readonly tenant: string;
  readonly uses = new Map<string, ProgramUse>();
  readonly #lanes: Lanes;
  readonly #cpu: CpuMeter;
  readonly #quarantine: Quarantine;
  /** Calls in a row that were not heavy. */
  #light = 0;

  constructor({ tenant, lanes, cpu, quarantine }: TenantCallsOptions) {
    this.tenant = tenant;
    this.#lanes = lanes;
    this.#cpu = cpu;
    this.#quarantine = quarantine;
  }

  /** Whether calls have been heavy lately. */
  get areHeavy(): boolean {
    return this.#lanes.heavy.state(this.tenant) !== "closed";
  }

  /** Whether so many calls went well that several at once are no danger: each could cost the others a process. */
  get areProven(): boolean {
    return this.#light >= provenCalls;
  }

  refusal({ key }: Program): string | null {
    return this.#quarantine.refusal({ tenant: this.tenant, program: key });
  }

  /** Takes account of a call that has ended. */
  report({ key, name }: Program, outcome: Outcome): void {
    const hook = { tenant: this.tenant, hook: name, program: key };
    if (!outcome.ok && outcome.skipped) return this.#quarantine.report(hook, undefined);
    const { durationUs } = outcome;
    this.#cpu.add(durationUs);
    let use = this.uses.get(key);
    if (!use) this.uses.set(key, (use = { calls: 0, faults: 0, us: 0 }));
    use.calls++;
    use.us += durationUs;
    const code = outcome.ok ? null : outcome.fault.code;
    // The host's own failures say nothing about the hook.
    const fault = code !== null && faultTable[code].blame === "host" ? undefined : code;
    if (fault) use.faults++;
    const { heavy } = this.#lanes;
    if (isHeavy(outcome)) {
      this.#light = 0;
      heavy.failure(this.tenant);
    } else if (outcome.ok) {
      this.#light++;
      heavy.success(this.tenant);
    }
    this.#quarantine.report(hook, fault);
  }

  forget(programKey: string): void {
    this.uses.delete(programKey);
    this.#lanes.forget(programKey);
  }
}

/** One lane as a tenant's wardens see it: counts what calls use, and does not run hooks that are in quarantine. */
export class TenantSandbox implements Sandbox {
  readonly engine: EngineName;
  readonly version: string;
  readonly lane: Lane;
  /** The tenant's part of the lane's queue. */
  readonly flow: LimitedFlow;
  readonly #calls: TenantCalls;

  constructor(
    lane: Lane,
    flow: LimitedFlow,
    { calls, engine, version }: { readonly calls: TenantCalls } & Pick<Sandbox, "engine" | "version">,
  ) {
    this.lane = lane;
    this.flow = flow;
    this.#calls = calls;
    this.engine = engine;
    this.version = version;
  }

  get groupsCalls(): boolean {
    return this.lane.sandbox.groupsCalls === true;
  }

  call(call: Call): Outcome | Promise<Outcome> {
    const { program } = call;
    const refusal = this.#calls.refusal(program);
    if (refusal !== null) {
      const fault = { code: "quarantined", message: refusal } as const;
      return { ok: false, fault, steps: null, durationUs: 0, memoryBytes: 0, logs: [] };
    }
    const outcome = this.lane.sandbox.call(call);
    if (outcome instanceof Promise) return outcome.then((one) => this.#report(program, one));
    return this.#report(program, outcome);
  }

  inspect(program: Program, limits: Limits, tenant: string): Promise<Inspection> {
    return this.lane.sandbox.inspect(program, limits, tenant);
  }

  forget(programKey: string): void {
    this.#calls.forget(programKey);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // The processes are shared by all tenants.
  }

  #report(program: Program, outcome: Outcome): Outcome {
    this.#calls.report(program, outcome);
    return outcome;
  }
}

function isHeavy(outcome: Outcome): boolean {
  // Its process had to be killed for it.
  if (!outcome.ok && outcome.killed) return true;
  const { steps, durationUs } = outcome;
  if (steps === null && !outcome.ok) return outcome.fault.code === "timeout";
  return durationUs > heavyUs && (steps ?? heavySteps) >= heavySteps;
}
