import { actionNames, legalActions } from "../catalogue/lookup.ts";
import type { EventName } from "../catalogue/events.ts";
import type { LoadedPack } from "../pack/types.ts";
import { MemoryStateStore } from "../state/memory.ts";
import { createDialect } from "../dialects/index.ts";
import { createWarden } from "../warden.ts";
import { mostAnswerChars } from "./limits.ts";
import { Problem, problemOf } from "./problem.ts";
import type { Tenant } from "./tenant.ts";

/** A script that stands for itself. */
export interface BareScript {
  readonly source: string;
  /** Default `ts`, of which JavaScript is a part. */
  readonly language?: "js" | "ts";
  readonly on: readonly EventName[];
  readonly reads?: readonly string[];
  readonly actions?: readonly string[];
}

/** The files of a pack with one script in it: it reads all fields, and may do all that is legal but `allow`. */
export function bareFiles(script: BareScript): ReadonlyMap<string, Uint8Array> {
  const { source, language = "ts", on, reads = ["*"] } = script;
  const legal = actionNames.filter(
    (action) =>
      !["allow", "continue"].includes(action) && on.some((event) => legalActions(event).has(action)),
  );
  const entry = `hook.${language}`;
  const manifest = {
    apiVersion: 1,
    name: "try",
    version: "0.0.0",
    entry,
    on: on.map((event) => ({ event })),
    reads,
    actions: script.actions ?? legal,
    state: { scope: "session", maxBytes: 65_536 },
  };
  const pack = { apiVersion: 1, hooks: ["try"] };
  return new Map([
    ["hookwarden.json", Buffer.from(JSON.stringify(pack))],
    ["try/hook.json", Buffer.from(JSON.stringify(manifest))],
    [`try/${entry}`, Buffer.from(source)],
  ]);
}

/** Longest a trial waits for its turn between events that another trial of the tenant is deciding. */
const trialsAtOnce = 2;
const running = new WeakMap<Tenant, number>();

/**
 * Decides events with a pack that does not serve. State is in memory and gone afterwards; nothing is recorded. It runs
 * on the tenant's account: its turn, its time, its quarantine.
 *
 * @returns what became of each event, as JSON.
 */
export async function tryPack(
  tenant: Tenant,
  pack: LoadedPack,
  events: readonly object[],
  dialect: string | undefined,
): Promise<string> {
  const busy = running.get(tenant) ?? 0;
  if (busy >= trialsAtOnce) throw new Problem("queue-full", 1);
  running.set(tenant, busy + 1);
  try {
    await using warden = await createWarden({ pack, sandbox: tenant.sandbox, store: new MemoryStateStore() });
    const translator = dialect === undefined ? null : createDialect(warden, dialect);
    const tried: string[] = [];
    let chars = 0;
    const tell = (what: object): void => {
      const text = JSON.stringify(what);
      chars += text.length;
      tried.push(text);
    };
    for (const event of events) {
      if (chars > mostAnswerChars) {
        const { status, code } = new Problem("answers-unread");
        tell({ status, code });
        continue;
      }
      if (tenant.cpu.ms > tenant.limits.cpuMsPerMinute) throw new Problem("cpu-exhausted", 5);
      const wait = tenant.rate.take(1);
      if (wait > 0) throw new Problem("rate-limited", wait);
      const { lane } = tenant.sandbox;
      const entered = lane.queue.enter(tenant.turns[lane.name]);
      if (entered === null) throw new Problem("queue-full", 1);
      if (entered !== true && !(await entered)) throw new Problem("shutting-down", 1);
      const begun = performance.now();
      try {
        const options = { tenant: tenant.name };
        const answer = translator
          ? await translator.handle(event, options)
          : await warden.dispatch(event, options);
        tell({ answer });
      } catch (error) {
        const { status, code } = problemOf(error);
        tell({ status, code });
      } finally {
        lane.queue.leave(tenant.turns[lane.name], (performance.now() - begun) * 1_000);
      }
    }
    return `[${tried.join(",")}]`;
  } finally {
    running.set(tenant, (running.get(tenant) ?? 1) - 1);
  }
}
