import { quote } from "@hookwarden/sandbox/json";
import { hostPrefix, isHostFactName } from "./host-fact.ts";
import { type Condition, conditionProblem, factsOfCondition } from "./routing/condition.ts";
import { factNames, factRows, facts, majorOf } from "./table.ts";

/** Read paths of facts: `facts.shell`. */
const prefix = "facts.";

/** The facts that read paths name. */
export function factsRead(reads: readonly string[]): readonly string[] {
  return reads.filter((path) => path.startsWith(prefix)).map((path) => path.slice(prefix.length));
}

/** Versions of facts by name, as a log records them. */
export type FactVersions = { readonly [fact: string]: string };

/** The versions that are derived here. */
export function factVersions(): FactVersions {
  return Object.fromEntries(factNames.map((name) => [name, facts[name].version]));
}

/** The facts whose recorded version is another one than that here, in words. */
export function factDifferences(recorded: FactVersions): readonly string[] {
  return factNames
    .filter((name) => recorded[name] !== facts[name].version)
    .map(
      (name) =>
        `\`${prefix}${name}\` is version ${recorded[name] ?? "unknown"} in the log, ${facts[name].version} here`,
    );
}

interface FactRequest {
  readonly on: readonly { readonly event: string; readonly when?: Condition }[];
  readonly reads: readonly string[];
  readonly facts?: { readonly [fact: string]: number };
  /** JSON Schema of the hook's configuration. */
  readonly config?: unknown;
}

/**
 * What is wrong with the facts that a manifest asks for, and where; `null` if nothing is. A hook gets a fact in the
 * version that it was written for: 1 if it pins none.
 */
export function factProblem(
  { on, reads, facts: pins = {}, config }: FactRequest,
  events: readonly string[],
): { readonly message: string; readonly pointer: string } | null {
  for (const [index, path] of reads.entries()) {
    const problem = pathProblem(path, events);
    if (problem !== null) return { message: `${quote(path)} ${problem}`, pointer: `/reads/${index}` };
  }
  const options = Object.keys((config as { properties?: object } | undefined)?.properties ?? {});
  for (const [index, { event, when }] of on.entries()) {
    const problem = when && conditionProblem(when, { event, pointer: `/on/${index}/when`, options });
    if (problem) return problem;
  }
  const all = [...factsRead(reads), ...on.flatMap(({ when }) => (when ? factsOfCondition(when) : []))];
  // Those of the host have no pins: what they are is recorded with the event.
  const used = all.filter((name) => !name.startsWith(hostPrefix));
  const needed = Object.fromEntries(used.map((name) => [name, 1]));
  for (const [name, major] of Object.entries({ ...needed, ...pins })) {
    if (major === majorOf(name)) continue;
    const message = `${quote(prefix + name)} is pinned to version ${major}, and this version of hookwarden derives version ${majorOf(name)}`;
    return { message, pointer: "/facts" };
  }
  return null;
}

/** What is wrong with a read path of a fact; `null` if nothing is, or if it is a path of a field. */
function pathProblem(path: string, events: readonly string[]): string | null {
  if (path !== "facts" && !path.startsWith(prefix)) return null;
  const name = path.slice(prefix.length);
  if (name.startsWith(hostPrefix) && isHostFactName(name.slice(hostPrefix.length))) return null;
  const row = factRows.get(name);
  const all = factNames.map((fact) => `\`${prefix}${fact}\``).join(", ");
  if (!row) return `is not a fact, of which there are ${all}; a fact is read whole`;
  if (events.some((event) => (row.events as readonly string[]).includes(event))) return null;
  return `is a fact of ${row.events.join(", ")}, at none of which the hook runs`;
}
