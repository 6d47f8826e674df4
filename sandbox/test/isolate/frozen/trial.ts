import { type Call, defaultLimits, type Outcome, type Sandbox } from "../../../src/index.ts";
import type { Attempt } from "./attempts.ts";

const limits = { ...defaultLimits, wallMs: 5_000, memoryKb: 32_768 };

/** What can be seen of a reading call, as one text. */
function seen(outcome: Outcome): string {
  const what = outcome.ok ? { output: outcome.output } : { fault: outcome.fault };
  return JSON.stringify({ ...what, logs: outcome.logs });
}

/**
 * Whether a call of a program can tell what an earlier one did: it has to answer the same before anything was written,
 * after either of two secrets was, and when it is another program than the one that wrote.
 *
 * @returns what differed, or `null`.
 */
async function leakOf(sandbox: Sandbox, { source, endless }: Attempt): Promise<string | null> {
  const call = (event: object, key: string = source): Promise<Outcome> | Outcome => {
    const one: Call = {
      program: { key, name: "hook.js", source },
      tenant: "tenant",
      handler: "PreToolUse",
      args: [JSON.stringify(event), "{}"],
      time: 1_700_000_000_000,
      seed: [1, 2, 3, 4],
      limits: endless && "secret" in event ? { ...limits, wallMs: 30 } : limits,
      keep: "session",
    };
    return sandbox.call(one);
  };
  const read = async (key?: string): Promise<string> => seen(await call({ phase: "read" }, key));
  const before = await read();
  for (const secret of ["alpha", "omega"]) {
    await call({ phase: "write", secret });
    const after = await read();
    if (after !== before) return `${secret}: ${before} became ${after}`;
    const other = await read(`${source}\n// another program`);
    if (other !== before) return `${secret}, another program: ${before} became ${other}`;
  }
  return null;
}

/** The leaks of many programs, by name. */
export async function leaksOf(sandbox: Sandbox, programs: readonly Attempt[]): Promise<readonly string[]> {
  const leaks: string[] = [];
  for (const one of programs) {
    const leak = await leakOf(sandbox, one);
    if (leak !== null) leaks.push(`${one.name}: ${leak.slice(0, 1_000)}`);
  }
  return leaks;
}
