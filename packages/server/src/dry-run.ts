import { actionNames, legalActions, type EventName } from "hookwarden/catalogue";
import type { LoadedPack } from "hookwarden/pack";
import { MemoryStateStore } from "hookwarden/state";
import { createDialect } from "hookwarden/dialects";
import { createWarden } from "hookwarden/warden";
import type { FailureLog } from "./failure-log.ts";
import { maxAnswerChars } from "./limits.ts";
import { Problem, problemEntry, problemOf } from "./problem.ts";
import { takeTurn } from "./tenancy/turn.ts";
import { trialStateBytes, type Tenant } from "./tenant.ts";

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

/** Trials of one tenant at the same time. */
const maxDryRuns = 2;
const running = new WeakMap<Tenant, number>();

/** What a trial is of. */
export interface DryRun {
  readonly pack: LoadedPack;
  readonly events: readonly object[];
  readonly dialect: string | undefined;
  readonly requestId: string;
  readonly gone: () => boolean;
}

/**
 * Decides events with a pack that does not serve. State is in memory and gone afterwards; nothing is recorded. It runs
 * on the tenant's account: its turn, its time, its quarantine.
 *
 * @returns what became of each event, as JSON.
 */
export async function dryRun(
  tenant: Tenant,
  { pack, events, dialect, requestId, gone }: DryRun,
  failures: FailureLog,
): Promise<string> {
  const busy = running.get(tenant) ?? 0;
  if (busy >= maxDryRuns) throw new Problem("queue-full", 1);
  running.set(tenant, busy + 1);
  try {
    const store = new MemoryStateStore({ maxBytesPerTenant: trialStateBytes(tenant.limits) });
    await using warden = await createWarden({ pack, sandbox: tenant.sandboxes.fast, store });
    const translator = dialect === undefined ? null : createDialect(warden, dialect);
    const tried: string[] = [];
    let chars = 0;
    const tell = (text: string): void => {
      chars += text.length;
      tried.push(text);
    };
    for (const [at, event] of events.entries()) {
      const pointer = `/events/${at}`;
      if (chars > maxAnswerChars) {
        tell(problemEntry(problemOf(new Problem("slow-consumer")), pointer));
        continue;
      }
      const taken = takeTurn("try", tenant, gone);
      const turn = taken instanceof Promise ? await taken : taken;
      const begun = performance.now();
      try {
        const options = { tenant: tenant.name, sandbox: turn.sandbox };
        const answer = translator
          ? await translator.handle(event, options)
          : await warden.dispatch(event, options);
        tell(JSON.stringify({ answer }));
      } catch (error) {
        failures.note(error, { requestId, tenant: tenant.name });
        tell(problemEntry(problemOf(error), pointer));
      } finally {
        turn.leave((performance.now() - begun) * 1_000);
      }
    }
    return `[${tried.join(",")}]`;
  } finally {
    running.set(tenant, (running.get(tenant) ?? 1) - 1);
  }
}
