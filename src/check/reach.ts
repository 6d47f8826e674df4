import { quote } from "@hookwarden/sandbox/json";
import { type ActionName, type EventName, legalActions } from "../catalogue/index.ts";
import { type AcceptedHook, budgetTable, hookManifestFile, type PackManifest } from "../pack/index.ts";
import type { Usage } from "./lint/index.ts";
import { type Finding, finding } from "./finding.ts";

/** A hook with its program, and with what its code names, as far as that is known. */
export interface ReadHook {
  readonly accepted: AcceptedHook;
  /** The program as text. */
  readonly program: string;
  readonly usage: Usage | null;
}

/** Verdicts that end the chain. */
const stopping: ReadonlySet<string> = new Set<ActionName>(["halt", "block", "deny", "skip", "drop_chunk"]);

/** Hooks that never get to run, or that can say nothing where they do, and hooks that are there twice. */
export function checkReach(manifest: PackManifest, hooks: readonly ReadHook[]): readonly Finding[] {
  const ordered = hooks.toSorted((a, b) => {
    const [one, other] = [a.accepted.hook, b.accepted.hook];
    const parallel = Number(one.mode === "parallel") - Number(other.mode === "parallel");
    return parallel || one.priority - other.priority || one.order - other.order;
  });
  return [
    ...ordered.flatMap(({ accepted }) => powerless(accepted)),
    ...ordered.flatMap((hook, index) => behindAStop(manifest, hook, ordered.slice(0, index))),
    ...beyondTheBudget(manifest, ordered),
    ...duplicates(ordered),
  ];
}

function powerless({ folder, hook }: AcceptedHook): Finding[] {
  return hook.on.flatMap(({ event }, index) => {
    const may = [...hook.granted].filter(
      (action) => action !== "continue" && legalActions(event).has(action),
    );
    if (may.length > 0) return [];
    const message = `at ${event} the hook is granted no action that is legal there`;
    return [finding("hook-powerless", hook.name, message, at(folder, `/on/${index}`))];
  });
}

/** Where a hook before it stops every event, the hook is never asked. */
function behindAStop(manifest: PackManifest, { accepted }: ReadHook, before: readonly ReadHook[]): Finding[] {
  if (manifest.monitor) return [];
  const { folder, hook } = accepted;
  return hook.on.flatMap(({ event, matcher }, index) => {
    const stop = before.find((other) => stopsAll(other, event, matcher?.source ?? null));
    if (!stop) return [];
    const message = `at ${event} the hook never runs: ${quote(stop.accepted.hook.name)} stops every event before it`;
    return [finding("hook-unreachable", hook.name, message, at(folder, `/on/${index}`))];
  });
}

function stopsAll(
  { accepted: { hook }, usage }: ReadHook,
  event: EventName,
  matcher: string | null,
): boolean {
  if (!usage || hook.mode !== "sequential") return false;
  const { always } = usage;
  const action = Object.hasOwn(always, event) ? always[event] : always["*"];
  if (action === undefined || !stopping.has(action)) return false;
  if (!hook.granted.has(action as ActionName) || !legalActions(event).has(action)) return false;
  return hook.on.some(
    (own) =>
      own.event === event && own.when === null && (own.matcher === null || own.matcher.source === matcher),
  );
}

/** Hooks that come after as many others as a decision may have. */
function beyondTheBudget(manifest: PackManifest, ordered: readonly ReadHook[]): Finding[] {
  const most = manifest.budgets?.maxHooks ?? budgetTable.maxHooks.default;
  const always = new Map<EventName, number>();
  return ordered.flatMap(({ accepted: { folder, hook } }) =>
    hook.on.flatMap(({ event, matcher, when }, index) => {
      const count = always.get(event) ?? 0;
      if (matcher === null && when === null) always.set(event, count + 1);
      if (count < most) return [];
      const message = `at ${event} at most ${most} hooks run, and that many come before this one`;
      return [finding("hook-unreachable", hook.name, message, at(folder, `/on/${index}`))];
    }),
  );
}

function duplicates(hooks: readonly ReadHook[]): Finding[] {
  const seen = new Map<string, string>();
  return hooks.flatMap(({ accepted: { folder, hook }, program }) => {
    const on = hook.on
      .map(({ event, matcher, when }) => JSON.stringify([event, matcher?.source, when?.condition]))
      .toSorted();
    const key = JSON.stringify([withoutPaths(program), hook.configJson, on, hook.reads.toSorted()]);
    const other = seen.get(key);
    if (other === undefined) {
      seen.set(key, hook.name);
      return [];
    }
    const message = `the hook does what ${quote(other)} does, at the same events`;
    return [finding("hook-duplicate", hook.name, message, at(folder, "/entry"))];
  });
}

/** The bundler names the files in comments, by which two copies of a script differ. */
function withoutPaths(program: string): string {
  return program.replaceAll(/^\/\/ (?:pack|modules|hookwarden):.*$/gm, "");
}

function at(folder: string, pointer: string): { file: string; pointer: string } {
  return { file: `${folder}/${hookManifestFile}`, pointer };
}
