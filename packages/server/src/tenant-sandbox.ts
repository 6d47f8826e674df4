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
import type { Lane, Lanes } from "./lanes.ts";
import type { CpuMeter } from "./meters.ts";
import type { Quarantine } from "./quarantine.ts";

/** What was seen of one program. */
export interface ProgramUse {
  calls: number;
  faults: number;
  us: number;
}

/**
 * A call that takes more belongs to the slow lane: microseconds and, where they are counted, steps. Time alone would send
 * a tenant there for what others do to the machine.
 */
const slowUs = 5_000;
const slowSteps = 500_000;
/** Calls that must go well before a tenant may have more than one under way, and before it leaves the slow lane. */
const proofsWanted = 16;
/** How long a tenant stays there at least after such a call, in milliseconds; twice as long each time that it comes back. */
const slowMs = 10_000;
/** The longest, in milliseconds. */
const longestSlowMs = 600_000;

/** The sandbox as one tenant's warden sees it: counts what is used, and keeps quarantined hooks from running. */
export class TenantSandbox implements Sandbox {
  readonly engine: EngineName;
  readonly version: string;
  /** Microseconds that hooks have run since this was last taken to be paid for. */
  readonly uses = new Map<string, ProgramUse>();
  readonly #tenant: string;
  readonly #lanes: Lanes;
  readonly #cpu: CpuMeter;
  readonly #quarantine: Quarantine;
  /** In the slow lane until then at least, and until enough calls went well there; 0: not there. */
  #slowUntil = 0;
  /** How long the last visit there was; each is twice as long as the one before. */
  #slowMs = slowMs / 2;
  /** Calls in a row that cost nobody anything. */
  #proofs = 0;

  constructor(tenant: string, lanes: Lanes, cpu: CpuMeter, quarantine: Quarantine) {
    this.#tenant = tenant;
    this.#lanes = lanes;
    this.#cpu = cpu;
    this.#quarantine = quarantine;
    this.engine = lanes.fast.sandbox.engine;
    this.version = lanes.fast.sandbox.version;
  }

  /** Where the tenant's decisions run now. */
  get lane(): Lane {
    if (this.#slowUntil === 0) return this.#lanes.fast;
    if (performance.now() < this.#slowUntil || !this.isProven) return this.#lanes.slow;
    this.#slowUntil = 0;
    return this.#lanes.fast;
  }

  /** Whether so many of its calls went well that many at once are no danger: each could cost the others a process. */
  get isProven(): boolean {
    return this.#proofs >= proofsWanted;
  }

  get groupsCalls(): boolean {
    return this.#lanes.fast.sandbox.groupsCalls === true;
  }

  call(call: Call): Outcome | Promise<Outcome> {
    const { program } = call;
    const kept = this.#quarantine.check(this.#tenant, program.key);
    if (kept) {
      const until = new Date(kept.until).toISOString();
      const message = `the hook is in quarantine until ${until}, because it has failed repeatedly (${kept.fault})`;
      return {
        ok: false,
        fault: { code: "quarantined", message },
        steps: null,
        durationUs: 0,
        memoryBytes: 0,
        logs: [],
      };
    }
    const outcome = this.lane.sandbox.call(call);
    return outcome instanceof Promise
      ? outcome.then((one) => this.#note(program, one))
      : this.#note(program, outcome);
  }

  inspect(program: Program, limits: Limits, tenant: string): Promise<Inspection> {
    return this.lane.sandbox.inspect(program, limits, tenant);
  }

  forget(programKey: string): void {
    this.uses.delete(programKey);
    this.#lanes.forget(programKey);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // The processes are all tenants'.
  }

  #note(program: Program, outcome: Outcome): Outcome {
    if (!outcome.ok && outcome.skipped) return outcome;
    const { durationUs } = outcome;
    this.#cpu.add(durationUs);
    let use = this.uses.get(program.key);
    if (!use) this.uses.set(program.key, (use = { calls: 0, faults: 0, us: 0 }));
    use.calls++;
    use.us += durationUs;
    // What the host is to blame for must not bring a hook into quarantine.
    const fault = outcome.ok || faultTable[outcome.fault.code].blame === "host" ? null : outcome.fault.code;
    if (fault !== null) use.faults++;
    if (isHeavy(outcome)) {
      // One call after another there is one visit.
      if (this.#slowUntil === 0) this.#slowMs = Math.min(this.#slowMs * 2, longestSlowMs);
      this.#slowUntil = performance.now() + this.#slowMs;
      this.#proofs = 0;
    } else if (outcome.ok) this.#proofs++;
    this.#quarantine.note(this.#tenant, program.name, program.key, fault);
    return outcome;
  }
}

function isHeavy(outcome: Outcome): boolean {
  // Its process had to be killed for it.
  if (!outcome.ok && outcome.killed) return true;
  const { steps, durationUs } = outcome;
  if (steps === null && !outcome.ok) return outcome.fault.code === "timeout";
  return durationUs > slowUs && (steps ?? slowSteps) >= slowSteps;
}
