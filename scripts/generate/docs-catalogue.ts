import type { ActionKind, ActionRow } from "../../src/catalogue/actions.ts";
import type { EventRow } from "../../src/catalogue/events.ts";
import { commonFields } from "../../src/catalogue/fields.ts";
import { actionRows, eventRows, legalActions } from "../../src/catalogue/lookup.ts";
import type { Field, JsonSchema } from "../../src/catalogue/schema.ts";
import { helperName } from "./helpers.ts";
import { code, codes, markdownNotice, sentence, table } from "./text.ts";

type Fields = { readonly [name: string]: Field };

const dash = "–";
const everywhere = [...actionRows].filter(([, row]) => row.everywhere).map(([name]) => name);
/** Legal at an event, beside what is legal everywhere. */
const own = (event: string): string[] =>
  [...legalActions(event)].filter((name) => !everywhere.includes(name));
const ofKind = (names: readonly string[], kind: ActionKind): string =>
  codes(names.filter((name) => actionRows.get(name)?.kind === kind)) || dash;
const eventLink = (name: string): string => `[${name}](events.md#${name.toLowerCase()})`;
const actionLink = (name: string): string => `[${code(name)}](actions.md#${name})`;

function fieldTable(fields: Fields): string {
  return table(
    ["field", "type", "", "what it is"],
    Object.entries(fields).map(([name, field]) => [
      code(name),
      jsonType(field.schema),
      field.optional ? "optional" : "required",
      [field.doc, bounds(field)].filter(Boolean).join("; "),
    ]),
  );
}

/** What JSON a schema accepts, in words. */
function jsonType({ type, anyOf, enum: values, items }: JsonSchema): string {
  if (values) return values.map((value) => code(JSON.stringify(value))).join(" or ");
  if (anyOf) return anyOf.map(jsonType).join(" or ");
  if (type === "array") {
    const inner = Object.entries(items?.properties ?? {}).map(
      ([name, part]) => `${code(name)}: ${jsonType(part)}`,
    );
    return inner.length > 0 ? `array of objects (${inner.join("; ")})` : "array";
  }
  return type ?? "any JSON";
}

function bounds({ schema }: Field): string {
  const parts = [
    schema.minLength ? "not empty" : "",
    schema.maxLength ? `at most ${schema.maxLength.toLocaleString("en")} characters` : "",
    schema.minItems ? "not empty" : "",
    schema.maxItems ? `at most ${schema.maxItems} items` : "",
  ];
  return parts.filter(Boolean).join(", ");
}

function eventSection(name: string, row: EventRow): string {
  const facts = [
    `- **Phase:** ${row.phase}`,
    `- **Legal actions:** ${own(name).map(actionLink).join(", ") || "none of its own"}; and ${everywhere.map(actionLink).join(", ")} as everywhere`,
    `- **Closed as:** ${row.closedAs ? `${code(row.closedAs)}: what a fault of a fail-closed hook becomes` : "nothing: a fault does not stop anything here"}`,
    `- **Matcher:** ${row.matches ? `tested against ${code(row.matches)}` : "none; a matcher is a load error"}`,
  ];
  return `## ${name}\n\n${sentence(row.when)}\n\n${facts.join("\n")}\n\n${
    Object.keys(row.fields).length > 0 ? fieldTable(row.fields) : ""
  }`;
}

/** docs/events.md */
export function eventsPage(): string {
  return `# Events

${markdownNotice}

An event describes one step of an agent as JSON: its name in \`hook_event_name\`, and the fields below. There are
${eventRows.size}. Unknown extra fields are accepted, and shown to a hook only if its \`reads\` name them.

${matrix((name) => `[${name}](#${name.toLowerCase()})`)}

Everywhere legal, and not repeated: ${everywhere.map(actionLink).join(", ")}. "Closed as" is the verdict that a fault of a
fail-closed hook becomes.

## Fields of every event

${fieldTable({
  hook_event_name: { schema: { type: "string" }, doc: "name of the event" },
  ...commonFields,
})}

${[...eventRows].map(([name, row]) => eventSection(name, row)).join("\n\n")}
`;
}

/** Events against what is legal there, by kind of action; short enough for a README. */
function matrix(link: (event: string) => string): string {
  return table(
    ["event", "verdicts", "changes", "additions", "closed as"],
    [...eventRows].map(([name, row]) => [
      link(name),
      ofKind(own(name), "verdict"),
      ofKind(own(name), "change"),
      ofKind(own(name), "addition"),
      row.closedAs ? code(row.closedAs) : dash,
    ]),
  );
}

const kinds: readonly (readonly [ActionKind, string])[] = [
  [
    "verdict",
    "A verdict decides. Of an answer's actions at most one may be a verdict; of several hooks' verdicts the strictest counts.",
  ],
  [
    "change",
    "A change rewrites a field of the event. Changes chain: the last writer wins. A hook that may change a field must read it whole.",
  ],
  [
    "addition",
    "An addition adds something beside the event. Additions of all hooks are kept, in order, with the name of their hook.",
  ],
];

function actionSection(name: string, row: ActionRow): string {
  const at = row.everywhere
    ? "every event"
    : [...eventRows.keys()]
        .filter((event) => legalActions(event).has(name))
        .map(eventLink)
        .join(", ");
  const rewrites = Object.entries(row.rewrites ?? {}).map(
    ([from, to]) => `${code(to)}${from === to ? "" : ` (from ${code(from)})`}`,
  );
  const facts = [
    `- **Helper:** ${code(`${helperName(name)}()`)} of \`hookwarden/hook\``,
    `- **Legal at:** ${at}`,
    row.kind === "verdict" ? `- **Stops:** ${row.stops ? "yes, it ends the chain" : "no"}` : "",
    rewrites.length > 0 ? `- **Rewrites:** ${rewrites.join(", ")}` : "",
    row.modelFacing ? "- **Read by the model:** yes; it counts against the pack's `injectionBytes`" : "",
  ];
  return `### ${name}\n\n${sentence(row.means)}\n\n${facts.filter(Boolean).join("\n")}\n\n${
    Object.keys(row.payload).length > 0 ? fieldTable(row.payload) : "It has no fields other than `action`."
  }`;
}

/** docs/actions.md */
export function actionsPage(): string {
  const rows = [...actionRows];
  const strictness = rows
    .filter(([, row]) => row.strictness !== undefined)
    .toSorted(([, a], [, b]) => (b.strictness ?? 0) - (a.strictness ?? 0));
  const levels = Map.groupBy(strictness, ([, row]) => row.strictness);
  return `# Actions

${markdownNotice}

An action is what a hook returns: an object with \`action\` and the fields below, and no others. There are ${actionRows.size}.
A hook may return nothing, one action, or an array of 1 to 16 actions with at most one verdict. An action counts only if it
is legal at the event, declared in the manifest, and granted by the pack.

${table(
  ["action", "kind", "fields", "what it means"],
  rows.map(([name, row]) => [
    `[${code(name)}](#${name})`,
    row.kind,
    Object.entries(row.payload)
      .map(([field, { optional }]) => code(field + (optional ? "?" : "")))
      .join(", ") || dash,
    row.means,
  ]),
)}

From most to least strict: ${[...levels.values()].map((level) => level.map(([name]) => code(name)).join(", ")).join(" > ")}.

${kinds
  .map(
    ([kind, intro]) =>
      `## ${sentence(`${kind}s`).slice(0, -1)}\n\n${intro}\n\n${rows
        .filter(([, row]) => row.kind === kind)
        .map(([name, row]) => actionSection(name, row))
        .join("\n\n")}`,
  )
  .join("\n\n")}
`;
}
