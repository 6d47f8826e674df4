import { findNodeAtLocation, type Node, type ParseError, parseTree } from "jsonc-parser";
import { quote } from "@hookwarden/sandbox/json";
import { HookwardenError } from "hookwarden/errors";
import { isObject } from "@hookwarden/sandbox/json";
import { type HookEntry, isOurs } from "./entry.ts";
import { appended, removed } from "./splice.ts";

/**
 * Puts a hook at each of the events into the text of a configuration file, in place of what we have put there before.
 * Everything else stays as it is, with its comments and its form.
 *
 * @param text the file; empty where there is none.
 * @param entries by the client's names of its events.
 * @throws {HookwardenError} `settings-invalid` for a file that cannot be changed without guessing what it means.
 */
export function withHook(
  text: string,
  entries: ReadonlyMap<string, HookEntry>,
  layout: HooksLayout = "below-hooks",
): string {
  if (text.startsWith(byteOrderMark)) return byteOrderMark + withHook(text.slice(1), entries, layout);
  let result = withoutHook(text, layout, entries);
  if (result.trim() === "") result = "{}\n";
  for (const [event, entry] of entries) {
    const { root, hooks, groups, unknown } = readSettings(result, layout);
    if (unknown.has(event))
      throw invalid(
        `the hooks of ${quote(event)} are not a list`,
        layout === "at-root" ? `/${event}` : `/hooks/${event}`,
      );
    const there = groups.get(event);
    if (there?.some((group) => hooksOf(group).some((hook) => same(hook, entry)))) continue;
    const group = { hooks: [entry] };
    if (!hooks) result = appended(result, root, { [event]: [group] }, "hooks");
    else if (!there) result = appended(result, hooks, [group], event);
    else result = appended(result, findNodeAtLocation(hooks, [event]) as Node, group);
  }
  return result;
}

/**
 * Takes away every hook that we have put into the text of a settings file, and the lists that are empty then.
 *
 * @param keep what may stay: one hook at each of the events, if it equals the entry.
 * @throws {HookwardenError} `settings-invalid`
 */
export function withoutHook(
  text: string,
  layout: HooksLayout = "below-hooks",
  keep?: ReadonlyMap<string, HookEntry>,
): string {
  if (text.trim() === "") return text;
  if (text.startsWith(byteOrderMark)) return byteOrderMark + withoutHook(text.slice(1), layout, keep);
  let result = text;
  for (;;) {
    const found = findOurs(readSettings(result, layout), (event, hook) => same(hook, keep?.get(event)));
    if (!found) return result;
    result = removed(result, found);
  }
}

const byteOrderMark = "\ufeff";

/** Whether a file has its events in an object `hooks`, or is that object. */
export type HooksLayout = "below-hooks" | "at-root";

/** A hook of ours that may not stay, or whatever would be empty without it. */
function findOurs(
  { root, hooks, groups, unknown }: Settings,
  keeps: (event: string, hook: unknown) => boolean,
): Node | null {
  for (const [event, list] of groups) {
    let kept = false;
    for (const [index, group] of list.entries()) {
      const entries = hooksOf(group);
      const at = entries.findIndex((hook) => {
        if (!isOurs(hook)) return false;
        // Of two that are alike, one may stay.
        const stays = !kept && keeps(event, hook);
        kept ||= stays;
        return !stays;
      });
      if (at < 0) continue;
      const node = (path: (string | number)[]): Node => findNodeAtLocation(hooks as Node, path) as Node;
      if (entries.length > 1) return node([event, index, "hooks", at]);
      if (list.length > 1) return node([event, index]);
      return (groups.size + unknown.size > 1 || hooks === root ? node([event]) : (hooks as Node))
        .parent as Node;
    }
  }
  return null;
}

interface Settings {
  readonly root: Node;
  /** The object `hooks`; absent where there is none. */
  readonly hooks: Node | undefined;
  /** The groups of hooks at each event. */
  readonly groups: ReadonlyMap<string, readonly unknown[]>;
  /** Members that are not lists, which may stay where we add nothing. */
  readonly unknown: ReadonlySet<string>;
}

function readSettings(text: string, layout: HooksLayout): Settings {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error || !root) {
    const line = text.slice(0, error?.offset ?? 0).split("\n").length;
    throw new HookwardenError("settings-invalid", "it is not JSON", { line });
  }
  if (root.type !== "object") throw invalid("it is not a JSON object", "");
  const hooks = layout === "at-root" ? root : members(root, "").get("hooks");
  const unknown = new Set<string>();
  if (!hooks) return { root, hooks, groups: new Map(), unknown };
  if (hooks.type !== "object") throw invalid("`hooks` is not an object", "/hooks");
  const groups = new Map<string, readonly unknown[]>();
  for (const [event, list] of members(hooks, "/hooks")) {
    if (list.type === "array") groups.set(event, (list.children ?? []).map(valueOf));
    else unknown.add(event);
  }
  return { root, hooks, groups, unknown };
}

/** Which of two members of one name counts is a matter of taste, and an edit could change the other one. */
function members(node: Node, pointer: string): ReadonlyMap<string, Node> {
  const found = new Map<string, Node>();
  for (const { children: [key, value] = [] } of node.children ?? []) {
    const name = String(key?.value);
    if (found.has(name)) throw invalid(`${quote(name)} occurs twice`, pointer);
    if (value) found.set(name, value);
  }
  return found;
}

/** As a plain value, with members of any name: `__proto__` is one like the others. */
function valueOf(node: Node): unknown {
  if (node.type === "array") return (node.children ?? []).map(valueOf);
  if (node.type !== "object") return node.value as unknown;
  return Object.fromEntries(
    (node.children ?? []).map(({ children: [key, value] = [] }) => [
      String(key?.value),
      value === undefined ? undefined : valueOf(value),
    ]),
  );
}

function hooksOf(group: unknown): readonly unknown[] {
  return isObject(group) && Array.isArray(group["hooks"]) ? group["hooks"] : [];
}

function same(hook: unknown, entry: HookEntry | undefined): boolean {
  return entry !== undefined && isObject(hook) && isOurs(hook) && sorted(hook) === sorted(entry);
}

function sorted(value: { readonly [field: string]: unknown }): string {
  return JSON.stringify(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

function invalid(message: string, pointer: string): HookwardenError {
  return new HookwardenError("settings-invalid", message, { pointer });
}
