import type { Decision, EventInput } from "hookwarden/broker";
import { degradedRules } from "../degraded.ts";
import { Problem } from "../problem.ts";
import type { TenantSandbox } from "../tenant-sandbox.ts";
import type { Tenant } from "../tenant.ts";

/** How one event is to be decided. */
export interface DecideOptions {
  /** Name of a dialect that event and answer are in. Default: the catalogue's own names. */
  readonly dialect?: string;
  readonly decisionId: string;
  /** Where its hooks run. */
  readonly sandbox: TenantSandbox;
  /** Whether an approval is opened if the decision is `ask`: only then a degraded window counts. */
  readonly opensApproval: boolean;
}

/** A decision, and the answer as JSON text. */
export interface Decided {
  /** `null` where a dialect's message needs none. */
  readonly decision: Decision | null;
  readonly text: string;
  /** The event in the catalogue's names, if it came in a dialect. */
  readonly event?: object | null;
}

/**
 * The fourth stage: the tenant's warden decides one event. With an audit, its record has been appended when this returns:
 * the warden alone admits, appends and cancels records.
 *
 * @throws {Problem} `no-pack`, `not-ready`
 * @throws {HookwardenError} whatever the warden throws
 */
export async function decide(
  tenant: Tenant,
  input: EventInput,
  { dialect, decisionId, sandbox, opensApproval }: DecideOptions,
): Promise<Decided> {
  const { warden } = tenant;
  if (!warden) throw tenant.broken === null ? new Problem("no-pack") : new Problem("not-ready", 5);
  const options = { tenant: tenant.name, decisionId, sandbox };
  const degraded = opensApproval ? tenant.degraded : null;
  if (dialect !== undefined) {
    const translator = tenant.translator(dialect, warden, degraded);
    const { answer, decision, event } = await translator.reply(input, options);
    return { decision, text: JSON.stringify(answer), event };
  }
  const decision = await warden.dispatch(
    input,
    degraded ? { ...options, rules: degradedRules(degraded) } : options,
  );
  tenant.candidate?.see(input, decision, undefined);
  return { decision, text: JSON.stringify(decision) };
}
