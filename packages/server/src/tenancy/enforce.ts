import { HookwardenError } from "hookwarden/errors";
import type { CpuMeter, RateMeter } from "../meters.ts";
import { Problem } from "../problem.ts";
import type { TenantLimits, TenantRecord } from "../tenants.ts";
import { type Switch, switchNames, type Use, uses } from "./uses.ts";

/** What a decision needs to know of a tenant; nothing of how its requests come. */
export interface Account {
  readonly record: Pick<TenantRecord, "disabled" | "signedOnly">;
  readonly limits: TenantLimits;
  readonly rate: RateMeter;
  readonly cpu: CpuMeter;
}

/** A pack that is to run or to serve. */
export interface PackInQuestion {
  readonly hooks: readonly { readonly name: string; readonly limits: { readonly memoryKb: number } }[];
  /** Whether a key of the trust file, as it is now, has signed it. */
  readonly trusted: boolean;
  /** Hooks of another pack that is resident at the same time. Default 0. */
  readonly beside?: number;
}

/**
 * When a check is made: when a request comes, before something runs, when that has waited for its turn, and when there is
 * a pack to look at.
 */
export type Moment = "request" | "run" | "resume" | "pack";

type Check = (tenant: Account, pack: PackInQuestion) => void;

/** The switches that are decided here. The queue, the state store and `BundleGate` decide the others. */
const checks: { readonly [Name in Switch]?: Check } = {
  disabled: ({ record }) => {
    if (record.disabled) throw new Problem("tenant-disabled");
  },
  signedOnly: ({ record }, { trusted }) => {
    if (record.signedOnly && !trusted) {
      const message =
        "only bundles that a key of the server's trust file has signed are taken for this tenant";
      throw new HookwardenError("bundle-untrusted", message);
    }
  },
  requestsPerSecond: ({ rate }) => {
    const wait = rate.take(1);
    if (wait > 0) throw new Problem("rate-limited", wait);
  },
  cpuMsPerMinute: ({ cpu, limits }) => {
    if (cpu.ms > limits.cpuMsPerMinute) throw new Problem("cpu-exhausted", 5);
  },
  memoryKb: ({ limits }, { hooks }) => {
    const greedy = hooks.find((hook) => hook.limits.memoryKb > limits.memoryKb);
    if (!greedy) return;
    const message = `the hook \`${greedy.name}\` asks for ${greedy.limits.memoryKb} KiB, and the tenant may have ${limits.memoryKb}`;
    throw new Problem("too-much-memory", undefined, { message });
  },
  residentHooks: ({ limits }, { hooks, beside = 0 }) => {
    if (hooks.length + beside <= limits.residentHooks) return;
    const others = beside === 0 ? "" : ` beside the ${beside} that serve`;
    const message = `the pack has ${hooks.length} hooks${others}, and the tenant may have ${limits.residentHooks}`;
    throw new Problem("too-many-hooks", undefined, { message });
  },
};

/** Checked when the request comes too, so that nothing is read, parsed or looked up for it. */
const early: ReadonlySet<Switch> = new Set(["disabled"]);
/** Checked once more after waiting: they only look, and take nothing. */
const lasting: ReadonlySet<Switch> = new Set(["disabled", "cpuMsPerMinute"]);

function isDue(use: Use, name: Switch, moment: Moment): boolean {
  const cell = uses[use][name];
  switch (moment) {
    case "request":
      return cell === "request" || cell === "stream" || (cell === "run" && early.has(name));
    case "run":
      return cell === "run";
    case "resume":
      return cell === "run" && lasting.has(name);
    case "pack":
      return cell === "pack";
  }
}

const moments: readonly Moment[] = ["request", "run", "resume", "pack"];

/** The checks of each use and moment, put together once. */
const due = Object.fromEntries(
  (Object.keys(uses) as Use[]).map((use) => [
    use,
    Object.fromEntries(
      moments.map((moment) => [
        moment,
        switchNames.filter((name) => isDue(use, name, moment)).flatMap((name) => checks[name] ?? []),
      ]),
    ),
  ]),
) as unknown as Readonly<Record<Use, Readonly<Record<Moment, readonly Check[]>>>>;

const none: PackInQuestion = { hooks: [], trusted: false };

/**
 * Refuses what a tenant may not have. This is the one place that decides it, for every route, for restarts and for packs
 * on trial, by the table `uses`.
 *
 * @param pack only for the moment `pack`.
 * @throws {Problem} `tenant-disabled`, `rate-limited`, `cpu-exhausted`, `too-much-memory`, `too-many-hooks`
 * @throws {HookwardenError} `bundle-untrusted`
 */
export function enforce(use: Use, moment: Moment, tenant: Account, pack: PackInQuestion = none): void {
  for (const check of due[use][moment]) check(tenant, pack);
}
