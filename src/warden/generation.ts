import type { Sandbox } from "@hookwarden/sandbox";
import { makePlan, type Plan, type PlanRules } from "../broker/index.ts";
import type { LoadedPack } from "../pack/index.ts";

/** A pack that serves, or served, with the decisions that are still being made with it. */
export class Generation {
  readonly plan: Plan;
  /** Plans under rules that came with a dispatch. */
  readonly #plans = new WeakMap<PlanRules, Plan>();
  #inFlight = 0;
  #retired: (() => void) | null = null;

  constructor(pack: LoadedPack, rules: PlanRules | undefined) {
    this.plan = makePlan(pack, rules);
  }

  get pack(): LoadedPack {
    return this.plan.pack;
  }

  /** The plan under these rules, made when they come for the first time; the warden's own plan without any. */
  planFor(rules: PlanRules | undefined): Plan {
    if (rules === undefined) return this.plan;
    let plan = this.#plans.get(rules);
    if (!plan) {
      plan = makePlan(this.pack, rules);
      this.#plans.set(rules, plan);
    }
    return plan;
  }

  enter(): void {
    this.#inFlight++;
  }

  leave(): void {
    this.#inFlight--;
    if (this.#inFlight === 0) this.#retired?.();
  }

  /** Calls back as soon as no decision is being made with it any more. No more may begin. */
  retire(done: () => void): void {
    this.#retired = done;
    if (this.#inFlight === 0) done();
  }
}

/** Frees the programs that only an old pack had. */
export function forgetPrograms(sandbox: Sandbox, old: LoadedPack, serving: readonly LoadedPack[]): void {
  const needed = new Set(serving.flatMap((pack) => pack.hooks.map((hook) => hook.program.key)));
  for (const { program } of old.hooks) if (!needed.has(program.key)) sandbox.forget(program.key);
}
