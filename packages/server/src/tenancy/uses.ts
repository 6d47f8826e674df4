import type { TenantLimits, TenantRecord } from "../tenants.ts";

/** Settings of a tenant that are on or off. */
type OnOff = {
  [Name in keyof TenantRecord]-?: TenantRecord[Name] extends boolean ? Name : never;
}[keyof TenantRecord];

/**
 * Everything that may refuse a tenant: the settings and limits of its record, the credential of a request, and the trust
 * file of the server.
 */
export type Switch = "credential" | OnOff | "trust" | keyof TenantLimits;

/** Where a switch is checked. */
export const checkPoints = {
  request: "a request with a credential of the tenant is refused before anything else is done for it",
  stream: "the same, and again while the answer is sent",
  run: "each event, or each script that is loaded, is refused before it runs",
  pack: "a pack is refused before any of its code runs, before it is stored and before it serves",
  queue: "the tenant's place in the queue holds it",
  state: "the state store holds it at every write",
} as const;

export type CheckPoint = keyof typeof checkPoints;

/** Where a switch is checked for one use; or why it need not be. */
export type Cell = CheckPoint | { readonly exempt: string };

const byServe: Cell = { exempt: "held when the pack came to serve" };
const byStage: Cell = { exempt: "held when the pack went on trial" };
const runsNothing: Cell = { exempt: "runs no hook" };
const wayOut: Cell = { exempt: "must stay possible while the pack that serves uses up the time" };
const noPack: Cell = { exempt: "brings no pack into service" };
const operators: Cell = { exempt: "for operators, whom tenants' limits do not bind" };
const anyone: Cell = { exempt: "reveals nothing about a tenant" };
const server: Cell = { exempt: "the server's own doing, without a credential" };

/** A row in which only what is named differs. */
function row(all: Cell, but: Partial<Record<Switch, Cell>> = {}): Readonly<Record<Switch, Cell>> {
  return {
    credential: all,
    disabled: all,
    signedOnly: all,
    trust: all,
    requestsPerSecond: all,
    concurrency: all,
    queued: all,
    cpuMsPerMinute: all,
    memoryKb: all,
    residentHooks: all,
    stateBytes: all,
    ...but,
  };
}

const packs = { signedOnly: "pack", trust: "pack", memoryKb: "pack", residentHooks: "pack" } as const;
const ofRequest = { credential: "request", disabled: "request", requestsPerSecond: "request" } as const;
const queued = { concurrency: "queue", queued: "queue", cpuMsPerMinute: "run" } as const;

/**
 * What can be done with a tenant, and what each of its switches does about it. Every route names its use; the last two
 * are no routes. The enforcement reads this table, and so does docs/tenant-limits.md.
 */
export const uses = {
  decide: row(byServe, {
    credential: "request",
    disabled: "run",
    requestsPerSecond: "run",
    ...queued,
    stateBytes: "state",
  }),
  try: row(byServe, {
    credential: "request",
    disabled: "run",
    ...packs,
    requestsPerSecond: "run",
    ...queued,
    stateBytes: "state",
  }),
  upload: row(runsNothing, { ...ofRequest, ...packs, ...queued }),
  change: row(wayOut, { ...ofRequest, ...packs, stateBytes: runsNothing }),
  withdraw: row(runsNothing, {
    ...ofRequest,
    signedOnly: noPack,
    trust: noPack,
    memoryKb: noPack,
    residentHooks: noPack,
  }),
  read: row(runsNothing, { ...ofRequest }),
  approve: row(runsNothing, { ...ofRequest }),
  export: row(runsNothing, { ...ofRequest, credential: "stream", disabled: "stream" }),
  operate: row(operators, { credential: "request" }),
  watch: row(operators, { credential: "stream" }),
  public: row(anyone),
  serve: row(server, { ...packs, disabled: { exempt: "stays loaded; every request is refused" } }),
  candidate: row(byStage, {
    credential: server,
    disabled: "run",
    requestsPerSecond: { exempt: "the event that it sees was counted already" },
    ...queued,
    stateBytes: "state",
  }),
} as const satisfies { readonly [use: string]: Readonly<Record<Switch, Cell>> };

export type Use = keyof typeof uses;

/** Every switch, in the order in which they are checked. */
export const switchNames = Object.keys(row(anyone)) as readonly Switch[];
