import type { Decision } from "../../src/broker/decision.ts";
import { createWarden, type Warden } from "../../src/warden/index.ts";
import type { DispatchOptions, WardenOptions } from "../../src/warden/options.ts";
import { type FakeHook, fakePack, type FakePackOptions } from "./fake-pack.ts";
import { FakeSandbox } from "./fake-sandbox.ts";

export interface FakeWarden {
  readonly warden: Warden;
  readonly sandbox: FakeSandbox;
}

/** A warden over hooks that are functions of the test. */
export async function fakeWarden(
  hooks: readonly FakeHook[],
  pack: FakePackOptions = {},
  options: Partial<WardenOptions> = {},
): Promise<FakeWarden> {
  const sandbox = new FakeSandbox();
  const warden = await createWarden({ sandbox, ...options, pack: fakePack(sandbox, hooks, pack) });
  return { warden, sandbox };
}

/** One decision of a fresh warden. */
export async function decideOnce(
  hooks: readonly FakeHook[],
  event: object,
  pack: FakePackOptions = {},
  options: Partial<WardenOptions> = {},
  dispatch: DispatchOptions = { decisionId: "d1" },
): Promise<Decision> {
  const { warden } = await fakeWarden(hooks, pack, options);
  return warden.dispatch(event, dispatch);
}

/** The trace as `hook outcome` lines, `(recheck)` behind second runs. */
export function outline(decision: Decision): string[] {
  return decision.trace.map(
    ({ hook, outcome, recheck }) => `${hook} ${outcome}${recheck ? " (recheck)" : ""}`,
  );
}
