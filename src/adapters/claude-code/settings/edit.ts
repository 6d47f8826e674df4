import {
  applyEdits,
  type FormattingOptions,
  modify,
  type Node,
  type ParseError,
  parseTree,
} from "jsonc-parser";
import { quote } from "../../../../sandbox/json/index.ts";
import { HookwardenError } from "../../../errors.ts";
import { isObject } from "../../../dialects/is-object.ts";
import { type HookEntry, isOurs } from "./entry.ts";

/**
 * Puts a hook into the text of a settings file, at each of the events, in place of what we have put there before.
 * Everything else stays as it is, with its comments and its form.
 *
 * @param text the file; empty where there is none.
 * @throws {HookwardenError} `settings-invalid` for a file that cannot be changed without guessing what it means.
 */
export function withHook(text: string, events: readonly string[], entry: HookEntry): string {
  const before = withoutHook(text, events, entry);
  let result = before.trim() === "" ? "{}\n" : before;
  for (const event of events) {
    const groups = groupsOf(readSettings(result), event);
    if (groups.some((group) => hooksOf(group).some((hook) => same(hook, entry)))) continue;
    const path = ["hooks", event, groups.length];
    result = edit(result, path, { hooks: [entry] }, groups.length > 0);
  }
  return result;
}

/**
 * Takes away every hook that we have put into the text of a settings file, and the lists that are empty then.
 *
 * @param events with `keep`: events at which a hook that equals `keep` stays.
 * @throws {HookwardenError} `settings-invalid`
 */
export function withoutHook(text: string, events: readonly string[] = [], keep?: HookEntry): string {
  if (text.trim() === "") return text;
  let result = text;
  let kept = new Set<string>();
  for (;;) {
    const found = findOurs(readSettings(result), (event, hook) => {
      if (!keep || !events.includes(event) || kept.has(event) || !same(hook, keep)) return false;
      kept.add(event);
      return true;
    });
    if (!found) return result;
    kept = new Set();
    result = edit(result, found, undefined, false);
  }
}

/** The path of a hook of ours, or of the list that would be empty without it. */
function findOurs(
  settings: Settings,
  keeps: (event: string, hook: unknown) => boolean,
): (string | number)[] | null {
  const events = Object.keys(settings.hooks ?? {});
  for (const event of events) {
    const groups = groupsOf(settings, event);
    for (const [index, group] of groups.entries()) {
      const hooks = hooksOf(group);
      const at = hooks.findIndex((hook) => isOurs(hook) && !keeps(event, hook));
      if (at < 0) continue;
      if (hooks.length > 1) return ["hooks", event, index, "hooks", at];
      if (groups.length > 1) return ["hooks", event, index];
      return events.length > 1 ? ["hooks", event] : ["hooks"];
    }
  }
  return null;
}

interface Settings {
  readonly hooks?: { readonly [event: string]: unknown };
}

function readSettings(text: string): Settings {
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true, disallowComments: false });
  const [error] = errors;
  if (error || !tree) {
    const line = text.slice(0, error?.offset ?? 0).split("\n").length;
    throw new HookwardenError("settings-invalid", "it is no JSON", { line });
  }
  checkKeys(tree, "", 3);
  const settings = valueOf(tree);
  if (!isObject(settings)) throw invalid("it is no JSON object", "");
  const hooks = settings["hooks"];
  if (hooks === undefined) return {};
  if (!isObject(hooks)) throw invalid("`hooks` is no object", "/hooks");
  return { hooks };
}

/** Which of two members of one name counts is a matter of taste, and an edit could change the other one. */
function checkKeys(node: Node, pointer: string, depth: number): void {
  if (node.type !== "object" || depth === 0) return;
  const seen = new Set<string>();
  for (const { children: [key, value] = [] } of node.children ?? []) {
    const name = String(key?.value);
    if (seen.has(name)) throw invalid(`${quote(name)} stands twice`, pointer);
    seen.add(name);
    if (value && (pointer !== "" || name === "hooks")) checkKeys(value, `${pointer}/${name}`, depth - 1);
  }
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

function groupsOf({ hooks = {} }: Settings, event: string): readonly unknown[] {
  const groups = Object.hasOwn(hooks, event) ? hooks[event] : undefined;
  if (groups === undefined) return [];
  if (!Array.isArray(groups)) throw invalid(`the hooks of ${quote(event)} are no list`, `/hooks/${event}`);
  return groups;
}

function hooksOf(group: unknown): readonly unknown[] {
  return isObject(group) && Array.isArray(group["hooks"]) ? group["hooks"] : [];
}

function same(hook: unknown, entry: HookEntry): boolean {
  return (
    isObject(hook) && isOurs(hook) && JSON.stringify(sorted(hook)) === JSON.stringify(sorted({ ...entry }))
  );
}

function sorted(value: { readonly [field: string]: unknown }): unknown {
  return Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
}

function edit(text: string, path: (string | number)[], value: unknown, insert: boolean): string {
  const edits = modify(text, path, value, {
    formattingOptions: formattingOf(text),
    isArrayInsertion: insert,
  });
  return applyEdits(text, edits);
}

/** Indents as the file does. */
function formattingOf(text: string): FormattingOptions {
  const indent = /^([ \t]+)"/m.exec(text)?.[1] ?? "  ";
  return {
    insertSpaces: !indent.startsWith("\t"),
    tabSize: indent.startsWith("\t") ? 4 : indent.length,
    eol: text.includes("\r\n") ? "\r\n" : "\n",
  };
}

function invalid(message: string, pointer: string): HookwardenError {
  return new HookwardenError("settings-invalid", message, { pointer });
}
