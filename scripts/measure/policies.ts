/**
 * Measures the shipped policies on public sets, and writes the tables of docs/policies.md and policies/README.md:
 * `npm run measure:policies -- [--sources FOLDER] [--set NAME]… [--kind KIND]… [--half tuned|held-out|all] [--most N] [--notable N] [--cost] [--write]`.
 * Sets come from shallow clones of GitHub, or from FOLDER where `owner+name` is a clone. Nothing of them is committed.
 * With `--set` or `--kind`, `--write` leaves the tables of the sets as they are.
 */
import { parseArgs } from "node:util";
import type { Warden } from "hookwarden/warden";
import { agentSets } from "./policies/agent-sets.ts";
import { measureCosts } from "./policies/cost.ts";
import { measureEvasions } from "./policies/evasions.ts";
import { only } from "./policies/judge.ts";
import { measure, type Measured } from "./policies/run.ts";
import { secretSets } from "./policies/secret-sets.ts";
import { measureSessions } from "./policies/sessions.ts";
import { shellSets } from "./policies/shell-sets.ts";
import { textSets } from "./policies/text-sets.ts";
import { summaryOf, writeTables } from "./policies/tables.ts";

const { values } = parseArgs({
  options: {
    sources: { type: "string" },
    set: { type: "string", multiple: true, default: [] },
    kind: { type: "string", multiple: true, default: [] },
    half: { type: "string", default: "held-out" },
    most: { type: "string", default: "3000" },
    notable: { type: "string", default: "0" },
    cost: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
  },
});
const halves = ["tuned", "held-out", "all"] as const;
const half = halves.find((name) => name === values.half);
if (half === undefined) throw new Error("`--half` is tuned, held-out or all");

const open = new Map<string, Promise<Warden>>();
const wardens = (policy: string): Promise<Warden> => {
  const warden = open.get(policy) ?? only(policy);
  open.set(policy, warden);
  return warden;
};
const options = { folder: values.sources, half, most: Number(values.most), wardens };
const wanted = [...shellSets, ...agentSets, ...secretSets, ...textSets].filter(
  ({ name, kind }) =>
    (values.set.length === 0 || values.set.some((text) => name.includes(text))) &&
    (values.kind.length === 0 || values.kind.includes(kind)),
);
const all: Measured[] = [];
for (const set of wanted) {
  const measured = await measure(set, options);
  if (measured === undefined) continue;
  all.push(measured);
  console.log(summaryOf(measured));
  for (const line of measured.faults.slice(0, 5)) console.log(`  FAULT ${line}`);
  for (const line of measured.notable.slice(0, Number(values.notable))) console.log(`  ${line}`);
}
const isComplete = values.set.length === 0 && values.kind.length === 0;
const sessions = isComplete ? await measureSessions(await wardens("guard-data-flow")) : undefined;
if (sessions !== undefined) {
  console.log(
    `guard-data-flow: ${sessions.stopped} of ${sessions.attacks} attacks stopped, ${sessions.askedTwice} of ${sessions.benign} honest sessions asked more than once`,
  );
  for (const line of sessions.missed.slice(0, Number(values.notable))) console.log(`  ${line}`);
}
const evasions = isComplete ? await measureEvasions(wardens) : undefined;
if (evasions !== undefined) {
  console.log(`evasions: ${evasions.stopped} of ${evasions.n} stopped`);
  for (const line of evasions.missed.slice(0, Number(values.notable))) console.log(`  ${line}`);
}
const costs = values.cost || isComplete ? await measureCosts(wardens) : [];
for (const { policy, steps, limit, text, fault } of costs)
  console.log(
    `${policy}: ${steps} steps, ${((100 * steps) / limit).toFixed(1)} % of its limit (${text}) ${fault === undefined ? "" : `${fault.code} (${fault.text})`}`,
  );
if (values.write) await writeTables(isComplete ? all : undefined, half, { sessions, evasions, costs });
for (const warden of open.values()) await (await warden)[Symbol.asyncDispose]();
