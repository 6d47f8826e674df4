import type { FactRow } from "./fact.ts";
import { hostsRow } from "./hosts/row.ts";
import { pathsRow } from "./paths/row.ts";
import { shellRow } from "./shell/row.ts";
import { textRow } from "./text/row.ts";
import { toolRow } from "./tool/row.ts";

/** The facts. Adding one is a row here, a function in `fact-set.ts`, and `npm run generate`. */
export const facts = {
  tool: toolRow,
  shell: shellRow,
  paths: pathsRow,
  hosts: hostsRow,
  text: textRow,
} as const satisfies Record<string, FactRow>;

export type FactName = keyof typeof facts;

/** The table as a Map: names from outside are only looked up here. */
export const factRows: ReadonlyMap<string, FactRow> = new Map<string, FactRow>(Object.entries(facts));

export const factNames = Object.keys(facts) as readonly FactName[];

/** The facts that an event has. */
export function factsOf(event: string): readonly FactName[] {
  return factNames.filter((name) => (facts[name].events as readonly string[]).includes(event));
}

/** The major version of a fact, which hooks pin. */
export function majorOf(name: string): number {
  return Number.parseInt(factRows.get(name)?.version ?? "", 10);
}
