import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  bundle,
  casesOf,
  configOf,
  failuresOf,
  hookNames,
  load,
  manifestOf,
  policiesFolder,
} from "./harness.ts";
import { literalsOf, mutantsOf } from "./mutants.ts";

/** How the mutants of one policy, or of what policies share, fared. */
export interface MutationResult {
  readonly group: string;
  readonly caught: number;
  readonly survivors: readonly string[];
}

/** Each n-th mutant of a file, from the one at `offset` on. */
export interface Part {
  readonly every: number;
  readonly offset: number;
}

const whole: Part = { every: 1, offset: 0 };

/** Longest time for one call of a mutant, in milliseconds: some loop for ever. */
const callTimeout = 1_000;

/** The folders that are mutated: every policy, and `lib`; generated files are left out. */
export function mutationGroups(): readonly string[] {
  return [...hookNames(), "lib"];
}

/**
 * Makes the mutants of a group's scripts, and runs the cases on each, until one fails. What policies share is held
 * against the cases of every policy that imports it.
 */
export async function mutate(
  group: string,
  part: Part = whole,
  report: (done: number) => void = () => undefined,
): Promise<MutationResult> {
  const survivors: string[] = [];
  let caught = 0;
  for (const path of scriptsOf(join(policiesFolder, group))) {
    const hooks = group === "lib" ? await importersOf(path) : [group];
    for (const [index, { what, text }] of mutantsOf(readFileSync(path, "utf8")).entries()) {
      if (index % part.every !== part.offset) continue;
      if (await isCaught(hooks, path, text)) caught++;
      else survivors.push(`${path.slice(policiesFolder.length)} ${what}`);
      report(caught + survivors.length);
    }
  }
  return { group, caught, survivors };
}

/** A mutant that no case notices. */
export interface Survivor {
  readonly path: string;
  readonly what: string;
  /** The file with the change in it. */
  readonly text: string;
  /** How far it is through the mutants of its file, from 0 to 1. */
  readonly position: number;
}

/** The mutants of a group's scripts that no case notices, one by one: cases may be added in between. */
export async function* survivingMutants(group: string, part: Part = whole): AsyncGenerator<Survivor> {
  for (const path of scriptsOf(join(policiesFolder, group))) {
    const hooks = group === "lib" ? await importersOf(path) : [group];
    const all = mutantsOf(readFileSync(path, "utf8"));
    for (const [index, { what, text }] of all.entries()) {
      if (index % part.every === part.offset && !(await isCaught(hooks, path, text)))
        yield { path, what, text, position: index / all.length };
    }
  }
}

async function isCaught(hooks: readonly string[], path: string, text: string): Promise<boolean> {
  for (const hook of hooks) {
    try {
      const call = load(await bundle(hook, new Map([[path, text]])), callTimeout);
      const [manifest, config] = [manifestOf(hook), configOf(hook)];
      for (const test of casesOf(hook))
        if (failuresOf(call, manifest, [test], config).length > 0) return true;
    } catch {
      return true;
    }
  }
  return false;
}

const importers = new Map<string, readonly string[]>();

/** The policies whose bundle holds a file. */
async function importersOf(path: string): Promise<readonly string[]> {
  let found = importers.get(path);
  if (found === undefined) {
    const marker = "policy-mutation-marker";
    const marked = new Map([[path, `${readFileSync(path, "utf8")}\nconsole.log("${marker}");\n`]]);
    const all = await Promise.all(
      hookNames().map(async (hook) => ((await bundle(hook, marked)).includes(marker) ? [hook] : [])),
    );
    found = all.flat();
    importers.set(path, found);
  }
  return found;
}

function scriptsOf(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return scriptsOf(path);
    return entry.name.endsWith(".ts") && !isGenerated(path) ? [path] : [];
  });
}

/** The regular expressions in a folder's scripts. */
export function patternsIn(folder: string): readonly RegExp[] {
  return scriptsOf(join(policiesFolder, folder)).flatMap((path) => literalsOf(readFileSync(path, "utf8")));
}

/** Converted tables are held against the examples of their own source, in `scripts/measure/policies`. */
function isGenerated(path: string): boolean {
  return readFileSync(path, "utf8").slice(0, 400).includes("Do not edit.");
}
