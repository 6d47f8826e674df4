import type { Sandbox } from "../../sandbox/index.ts";
import { makePlan, type Plan, type PlanRules } from "../broker/select.ts";
import type { LoadedPack } from "../pack/types.ts";

/** A pack that serves, or served, with the decisions that are still being made with it. */
export class Generation {
  readonly plan: Plan;
  private inFlight = 0;
  private retired: (() => void) | null = null;

  constructor(pack: LoadedPack, rules: PlanRules | undefined) {
    this.plan = makePlan(pack, rules);
  }

  get pack(): LoadedPack {
    return this.plan.pack;
  }

  enter(): void {
    this.inFlight++;
  }

  leave(): void {
    this.inFlight--;
    if (this.inFlight === 0) this.retired?.();
  }

  /** Calls back as soon as no decision is being made with it any more. No more may begin. */
  retire(done: () => void): void {
    this.retired = done;
    if (this.inFlight === 0) done();
  }
}

/** Frees the programs that only an old pack had. */
export function forgetPrograms(sandbox: Sandbox, old: LoadedPack, serving: readonly LoadedPack[]): void {
  const needed = new Set(serving.flatMap((pack) => pack.hooks.map((hook) => hook.program.key)));
  for (const { program } of old.hooks) if (!needed.has(program.key)) sandbox.forget(program.key);
}
