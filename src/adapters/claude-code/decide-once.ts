import { Decider } from "./decider.ts";
import type { HookOptions } from "./hook-options.ts";
import type { Outcome } from "./wire.ts";

/** Decides one event in this process, for a client that has no daemon. */
export async function decideOnce(options: HookOptions, event: Uint8Array): Promise<Outcome> {
  const decider = new Decider(options);
  try {
    return await decider.decide(event);
  } finally {
    await decider[Symbol.asyncDispose]();
  }
}
