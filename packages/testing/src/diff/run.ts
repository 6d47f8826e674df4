import type { Sandbox } from "@hookwarden/sandbox";
import type { Decision } from "hookwarden/broker";
import type { LoadedHook, LoadedPack } from "hookwarden/pack";
import { createWarden, type Warden } from "hookwarden/warden";
import { isUnsteady } from "./behaviour.ts";
import type { DiffEvent } from "./event.ts";
import type { BeforeAfter } from "./before-after.ts";

/** Decisions under way at the same time: calls wait at the child, not for it. */
const concurrency = 8;
/** How often a decision is made again when the clock or the machine had a hand in it. */
const reruns = 3;
/** Time is no behaviour: what a loaded machine takes for a whole decision must not make a difference. */
const decisionMs = 60_000;

/** What two versions of a hook, or of a pack, decided about one event. */
export interface Pair {
  readonly event: DiffEvent;
  readonly decisions: BeforeAfter<Decision>;
}

/** A pack with one hook of another one, and all else as there. */
export function aloneIn(pack: LoadedPack, hook: LoadedHook): LoadedPack {
  return { ...pack, digest: hook.digest, hooks: [hook] };
}

/** How two packs are run. */
export interface PairRun {
  readonly sandbox: Sandbox;
  readonly signal: AbortSignal;
  /** Called after each event. */
  readonly onDecided: () => void;
}

/**
 * Lets two packs decide the same events, under the same decision ids, each with a state of its own. The events of a
 * session are decided in their order; a neighbour has a session to itself.
 */
export async function decideOldAndNew(
  packs: BeforeAfter<LoadedPack>,
  events: readonly DiffEvent[],
  { sandbox, signal, onDecided }: PairRun,
): Promise<readonly Pair[]> {
  const roomy = ({ budgets, ...pack }: LoadedPack): LoadedPack => ({
    ...pack,
    budgets: { ...budgets, decisionMs },
  });
  await using old = await createWarden({ pack: roomy(packs.old), sandbox, facts: "recorded" });
  await using next = await createWarden({ pack: roomy(packs.new), sandbox, facts: "recorded" });
  const hooks = [...packs.old.hooks, ...packs.new.hooks];
  const perTenant = hooks.some(({ state }) => state?.scope === "tenant");
  const results: Pair[] = new Array<Pair>(events.length);
  const chains = chainsOf(events, perTenant);
  let begun = 0;
  const work = async (): Promise<void> => {
    for (let chain = chains[begun++]; chain; chain = chains[begun++]) {
      for (const index of chain) {
        if (signal.aborted) return;
        const event = events[index] as DiffEvent;
        // A tenant's state goes from session to session, so that a neighbour needs a tenant to itself.
        const tenant = perTenant && event.origin !== "recorded" ? event.decisionId : "default";
        results[index] = {
          event,
          decisions: { old: await decide(old, event, tenant), new: await decide(next, event, tenant) },
        };
        onDecided();
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return results.filter((pair) => pair !== undefined);
}

async function decide(warden: Warden, event: DiffEvent, tenant: string): Promise<Decision> {
  const options = { decisionId: event.decisionId, tenant };
  let decision = await warden.dispatch(event.fields, options);
  // With state, another try would be another event.
  if (warden.pack.hooks.some(({ state }) => state !== null)) return decision;
  for (let rerun = 0; rerun < reruns && isUnsteady(decision); rerun++) {
    decision = await warden.dispatch(event.fields, options);
  }
  return decision;
}

/** The events' places in their list, by what must be decided one after another. */
function chainsOf(events: readonly DiffEvent[], perTenant: boolean): readonly (readonly number[])[] {
  const chains = new Map<string, number[]>();
  for (const [index, { fields, origin, decisionId }] of events.entries()) {
    const key =
      origin !== "recorded" ? decisionId : perTenant ? "" : `session ${String(fields["session_id"])}`;
    const chain = chains.get(key);
    if (chain) chain.push(index);
    else chains.set(key, [index]);
  }
  return [...chains.values()];
}
