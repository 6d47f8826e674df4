import type {
  Completion,
  CompletionContext,
  CompletionResult,
  CompletionSource,
} from "@codemirror/autocomplete";
import type { Completions, FieldHint } from "../completions.ts";

/** What a hook's context has, beside its event. */
const contextMembers: readonly FieldHint[] = [
  ["config", "Config", "the hook's configuration, as the pack gives it"],
  ["hook", "string", "name of the hook"],
  ["state", "State | null", "what this hook's last `set_state` kept"],
  ["tenant", "string", "whose agent it is"],
  ["time", "string", "the event's time, ISO 8601; `Date` stands at it"],
].map(([name = "", type = "", doc = ""]) => ({ name, type, doc, optional: false, values: [] }));

/**
 * Completes scripts: members of the event and of the context, and the helpers for the actions that are legal at the
 * events that the manifest names, with their import.
 *
 * @param events names of the events that the open hook listens to.
 */
export function completeScript(catalogue: Completions, events: () => readonly string[]): CompletionSource {
  return (context) =>
    moduleName(context) ??
    member(context, catalogue, events()) ??
    imported(context, catalogue) ??
    helper(context, catalogue, events());
}

function moduleName(context: CompletionContext): CompletionResult | null {
  const before = context.matchBefore(/from\s+["'][^"']*/);
  if (!before) return null;
  const from = before.from + before.text.search(/["']/) + 1;
  return { from, options: [{ label: "hookwarden/hook", detail: "helpers and types" }], validFor: /^[\w/]*$/ };
}

function member(
  context: CompletionContext,
  catalogue: Completions,
  events: readonly string[],
): CompletionResult | null {
  const before = context.matchBefore(/\b(?:event|ctx|context)\??\.\w*$/);
  if (!before) return null;
  const from = before.from + before.text.lastIndexOf(".") + 1;
  if (!before.text.startsWith("event"))
    return { from, options: contextMembers.map(fieldOption), validFor: /^\w*$/ };
  const fields = new Map<string, FieldHint>();
  for (const event of catalogue.events) {
    if (events.length > 0 && !events.includes(event.name)) continue;
    for (const field of event.fields) if (!fields.has(field.name)) fields.set(field.name, field);
  }
  return { from, options: [...fields.values()].map(fieldOption), validFor: /^\w*$/ };
}

function fieldOption({ name, type, doc, optional }: FieldHint): Completion {
  return { label: name, type: "property", detail: `${optional ? "?" : ""}: ${type}`, info: doc };
}

/** Between the braces of an import: all helpers, and the types of handlers. */
function imported(context: CompletionContext, catalogue: Completions): CompletionResult | null {
  const before = context.matchBefore(/\bimport\s+(?:type\s+)?\{[^}]*$/);
  if (!before) return null;
  const word = context.matchBefore(/\w*$/);
  return {
    from: word?.from ?? context.pos,
    options: [
      ...catalogue.actions.map(({ helper, signature, means }) => ({
        label: helper,
        detail: signature,
        info: means,
      })),
      ...catalogue.events.map(({ name, when }) => ({
        label: name,
        type: "type",
        detail: "handler",
        info: when,
      })),
    ],
    validFor: /^\w*$/,
  };
}

function helper(
  context: CompletionContext,
  catalogue: Completions,
  events: readonly string[],
): CompletionResult | null {
  const word = context.matchBefore(/(?:^|[^.\w"'`])\w+$/);
  if (!word && !context.explicit) return null;
  const legal = new Set(
    catalogue.events
      .filter(({ name }) => events.length === 0 || events.includes(name))
      .flatMap(({ actions }) => actions),
  );
  const options = catalogue.actions
    .filter(({ name }) => legal.has(name))
    .map(({ helper: label, signature, means, kind }): Completion => ({
      label,
      type: "function",
      detail: signature,
      info: `${means} (${kind})`,
      boost: 1,
      apply: (view, _completion, from, to) => {
        const text = view.state.doc.toString();
        const changes = [{ from, to, insert: `${label}(` }, ...importOf(text, label)];
        const added = changes.slice(1).reduce((sum, { insert }) => sum + insert.length, 0);
        view.dispatch({ changes, selection: { anchor: from + label.length + 1 + added } });
      },
    }));
  const from = word ? word.to - (/\w+$/.exec(word.text)?.[0].length ?? 0) : context.pos;
  return { from, options, validFor: /^\w*$/ };
}

/** The change that imports a helper; none where it is imported. */
function importOf(text: string, name: string): readonly { from: number; to?: number; insert: string }[] {
  const found = /import\s*\{([^}]*)\}\s*from\s*["']hookwarden\/hook["']/.exec(text);
  if (!found) return [{ from: 0, insert: `import { ${name} } from "hookwarden/hook";\n` }];
  const names = found[1] ?? "";
  if (names.split(",").some((part) => part.trim() === name)) return [];
  return [{ from: found.index + found[0].indexOf("{") + 1, insert: ` ${name},` }];
}
