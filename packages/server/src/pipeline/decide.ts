import type { Decision, EventInput } from "hookwarden/broker";
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
  { dialect, decisionId, sandbox }: DecideOptions,
): Promise<Decided> {
  const { warden } = tenant;
  if (!warden) throw tenant.broken === null ? new Problem("no-pack") : new Problem("not-ready", 5);
  const options = { tenant: tenant.name, decisionId, sandbox };
  if (dialect !== undefined) {
    const { answer, decision, event } = await tenant.translator(dialect, warden).reply(input, options);
    return { decision, text: JSON.stringify(answer), event };
  }
  const decision = await warden.dispatch(input, options);
  tenant.candidate?.see(input, decision, undefined);
  return { decision, text: JSON.stringify(decision) };
}
