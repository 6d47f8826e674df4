import type { Sandbox } from "@hookwarden/sandbox";
import type { AcceptedHook } from "../pack/index.ts";
import { HookwardenError } from "../errors/index.ts";
import { type CasesOf, suiteOf } from "./cases.ts";
import { runCase } from "./cases/run.ts";

/** Most names of cases in a note. */
const mostNames = 5;

/**
 * Which cases of a hook are decided by its condition `when`, and not by its code: their verdict is another one without
 * it. `null` if there are none. Runs the cases twice.
 */
export async function casesOfCondition(of: CasesOf, sandbox: Sandbox): Promise<string | null> {
  const { manifest } = of.accepted.hook;
  if (of.cases.length === 0 || manifest.on.every(({ when }) => when === undefined)) return null;
  const before = await verdicts(of, sandbox);
  const after = await verdicts({ ...of, accepted: withoutConditions(of.accepted) }, sandbox);
  const changed = of.cases
    .filter((_, index) => before[index] !== after[index])
    .map(({ name }) => `\`${name}\``);
  if (changed.length === 0) return null;
  const names = changed.length > mostNames ? [...changed.slice(0, mostNames), "…"] : changed;
  const cases = changed.length === 1 ? "1 case is" : `${changed.length} cases are`;
  return `${manifest.name}: ${cases} decided by \`when\`, and otherwise without it: ${names.join(", ")}`;
}

function withoutConditions(accepted: AcceptedHook): AcceptedHook {
  const { manifest } = accepted.hook;
  const on = manifest.on.map(({ event, matcher }) =>
    matcher === undefined ? { event } : { event, matcher },
  );
  return { ...accepted, hook: { ...accepted.hook, manifest: { ...manifest, on } } };
}

/** The verdicts of each case, as one text; empty if the case cannot run. */
async function verdicts(of: CasesOf, sandbox: Sandbox): Promise<readonly string[]> {
  const { hook, packs } = suiteOf(of);
  const all: string[] = [];
  for (const index of of.cases.keys()) {
    const made: string[] = [];
    try {
      await runCase(hook, index, { packs, sandbox, observe: ({ verdict }) => void made.push(verdict) });
    } catch (error) {
      // A case whose configuration or state does not fit shows nothing; `test` reports it.
      if (!(error instanceof HookwardenError) || error.code !== "cases-invalid") throw error;
      made.length = 0;
    }
    all.push(made.join());
  }
  return all;
}
