import type {
  Completion,
  CompletionContext,
  CompletionResult,
  CompletionSource,
} from "@codemirror/autocomplete";
import { syntaxTree } from "@codemirror/language";
import type { Completions, FieldHint } from "../completions.ts";

/** Where a cursor stands in JSON: the keys that lead there, and what stands in the objects around it. */
interface Spot {
  readonly path: readonly string[];
  /** Whether a name of a member is being written. */
  readonly isKey: boolean;
  /** From here to the cursor is what will be replaced. */
  readonly from: number;
  readonly quoted: boolean;
}

/** Completes events: names of events, and the fields that the event has; values where there are only some. */
export function completeEvent(catalogue: Completions): CompletionSource {
  return (context) => {
    const spot = spotOf(context);
    if (!spot) return null;
    const text = context.state.doc.toString();
    const name = /"hook_event_name"\s*:\s*"([^"]*)"/.exec(text)?.[1];
    const event = catalogue.events.find((row) => row.name === name);
    if (spot.isKey && spot.path.length === 0) {
      const named: FieldHint = {
        name: "hook_event_name",
        type: "string",
        doc: "which event it is",
        optional: false,
        values: [],
      };
      return result(spot, [named, ...(event?.fields ?? [])].map(keyOption));
    }
    if (spot.isKey || spot.path.length !== 1) return null;
    if (spot.path[0] === "hook_event_name") {
      return result(
        spot,
        catalogue.events.map((row) => ({ label: row.name, info: row.when })),
      );
    }
    const field = event?.fields.find((row) => row.name === spot.path[0]);
    return field
      ? result(
          spot,
          field.values.map((label) => ({ label })),
        )
      : null;
  };
}

/** Completes manifests: their keys, and the events, paths and actions that the catalogue knows. */
export function completeManifest(
  catalogue: Completions,
  kind: "hook" | "pack",
  events: () => readonly string[],
): CompletionSource {
  const keys = kind === "hook" ? catalogue.hookKeys : catalogue.packKeys;
  return (context) => {
    const spot = spotOf(context);
    if (!spot) return null;
    const [first, second] = spot.path;
    if (spot.isKey && spot.path.length === 0) return result(spot, keys.map(keyOption));
    if (spot.isKey && first === "on") {
      return result(
        spot,
        ["event", "matcher"].map((label) => ({ label })),
      );
    }
    if (spot.isKey) return null;
    if (first === "on" && second === "event") {
      return result(
        spot,
        catalogue.events.map(({ name, when }) => ({ label: name, info: when })),
      );
    }
    const rows = catalogue.events.filter(({ name }) => events().includes(name));
    if (first === "actions") {
      const legal = new Set(rows.flatMap(({ actions }) => actions));
      return result(
        spot,
        catalogue.actions
          .filter(({ name }) => legal.has(name))
          .map(({ name, means, kind: detail }) => ({ label: name, detail, info: means })),
      );
    }
    if (first === "reads") {
      const fields = new Map(
        rows.flatMap(({ fields: all }) => all.map((field) => [field.name, field] as const)),
      );
      return result(
        spot,
        [...fields.values()].map(({ name, type, doc }) => ({ label: name, detail: type, info: doc })),
      );
    }
    const values = keys.find(({ name }) => name === first)?.values ?? [];
    return spot.path.length === 1
      ? result(
          spot,
          values.map((label) => ({ label })),
        )
      : null;
  };
}

function keyOption({ name, type, doc, optional }: FieldHint): Completion {
  return { label: name, type: "property", detail: `${optional ? "?" : ""}: ${type}`, info: doc };
}

function result(spot: Spot, options: readonly Completion[]): CompletionResult {
  return {
    from: spot.from,
    options: options.map((option) => ({
      ...option,
      apply: spot.quoted ? option.label : JSON.stringify(option.label) + (spot.isKey ? ": " : ""),
    })),
    validFor: /^[\w.*-]*$/,
  };
}

function spotOf(context: CompletionContext): Spot | null {
  const { state, pos } = context;
  const word = context.matchBefore(/"?[\w.*-]*$/);
  if (!word || (word.text === "" && !context.explicit)) return null;
  const quoted = word.text.startsWith('"');
  const from = word.from + (quoted ? 1 : 0);
  const before = state.sliceDoc(0, word.from).trimEnd();
  const isKey = /[{,]$/.test(before) && enclosing(context) === "Object";
  const path: string[] = [];
  for (let node = syntaxTree(state).resolveInner(pos, -1).node; node.parent; node = node.parent) {
    if (node.name !== "Property") continue;
    const key = node.getChild("PropertyName");
    if (!key || (isKey && key.from <= pos && pos <= key.to)) continue;
    path.unshift(state.sliceDoc(key.from + 1, key.to - 1));
  }
  return { path, isKey, from, quoted };
}

/** Name of the object or array that the cursor stands in. */
function enclosing({ state, pos }: CompletionContext): string | null {
  for (
    let node: import("@lezer/common").SyntaxNode | null = syntaxTree(state).resolveInner(pos, -1);
    node;
    node = node.parent
  ) {
    if (node.name === "Object" || node.name === "Array") return node.name;
  }
  return null;
}
