import {
  type ActionName,
  type EventName,
  eventRows,
  legalActions,
  type JsonSchema,
  schemaId,
} from "../../catalogue/index.ts";

export type Language = "ts" | "js";

/** A new hook, as its author finds it. */
export interface HookTemplate {
  /** Files of the hook's folder, by name. */
  readonly files: ReadonlyMap<string, string>;
  /** Events to try it on: one that it acts on, one that it lets pass. */
  readonly events: readonly object[];
}

/** What a first hook does, the most useful action that is legal at the event. */
const preferred: readonly TemplateAction[] = [
  { action: "deny", helper: "deny", verdict: true, said: "reason" },
  { action: "block", helper: "block", verdict: true, said: "reason" },
  { action: "drop_chunk", helper: "dropChunk", verdict: true, said: null },
  { action: "retry", helper: "retry", verdict: true, said: "feedback" },
  { action: "augment", helper: "augment", verdict: false, said: "augment" },
  { action: "add_context", helper: "addContext", verdict: false, said: "context" },
  { action: "notify", helper: "notify", verdict: false, said: "notices" },
];

interface TemplateAction {
  readonly action: ActionName;
  /** Its function in `hookwarden/hook`. */
  readonly helper: string;
  readonly verdict: boolean;
  /** Where its text stands in an expectation; `null` where it has none. */
  readonly said: "reason" | "feedback" | "augment" | "context" | "notices" | null;
}

/** The field that a first hook looks at: of those that the event has, the first one here. */
const lookedAt = [
  "tool_response",
  "prompt",
  "chunk",
  "message",
  "error",
  "last_assistant_message",
  "tool_input",
  "summary",
  "custom_instructions",
  "messages",
  "reason",
  "source",
  "stage",
  "agent_type",
] as const;

const word = "forbidden";

/** The files of a new hook. It acts where a word stands in a field of the event: a place to start from. */
export function hookTemplate(name: string, event: EventName, language: Language): HookTemplate {
  const row = eventRows.get(event);
  const legal = legalActions(event);
  const action = preferred.find((one) => legal.has(one.action)) ?? preferred.at(-1)!;
  const field = lookedAt.find((one) => Object.hasOwn(row?.fields ?? {}, one)) ?? "session_id";
  const reads = field === "tool_input" ? "tool_input.command" : field;
  const matcher = row?.matches === "tool_name" ? { matcher: "Bash" } : {};
  const manifest = {
    $schema: schemaId("hook.schema.json"),
    apiVersion: 1,
    name,
    version: "0.1.0",
    description: `Looks for a word in \`${reads}\`.`,
    entry: `hook.${language}`,
    on: [{ event, ...matcher }],
    reads: [reads],
    actions: [action.action],
  };
  const acts = sampleEvent(event, field, `this is ${word}`);
  const passes = sampleEvent(event, field, "this is fine");
  const cases = [
    { name: `acts on ${word}`, event: acts, expect: expected(action) },
    { name: "lets the rest pass", event: passes, expect: { verdict: "continue" } },
  ];
  return {
    files: new Map([
      ["hook.json", json(manifest)],
      [`hook.${language}`, script(event, field, action, language)],
      ["cases.json", json({ $schema: schemaId("cases.schema.json"), cases })],
    ]),
    events: [acts, passes],
  };
}

function script(
  event: EventName,
  field: string,
  { helper, said }: TemplateAction,
  language: Language,
): string {
  const call = said === null ? `${helper}()` : `${helper}(\`\${word} is not allowed here\`)`;
  const head =
    language === "ts"
      ? `import { ${helper}, type ${event} } from "hookwarden/hook";`
      : `import { ${helper} } from "hookwarden/hook";`;
  const type = `/** @type {import("hookwarden/hook").${event}} */\n`;
  return `${head}

/** What this hook looks for. Put a rule of your own here. */
const words = ["${word}"];

${language === "ts" ? `const hook: ${event} = ` : `${type}const hook = `}(event) => {
  const text = JSON.stringify(event.${field} ?? null);
  const word = words.find((one) => text.includes(one));
  return word === undefined ? undefined : ${call};
};

export default hook;
`;
}

function expected({ action, verdict, said }: TemplateAction): object {
  const text = `${word} is not allowed here`;
  if (verdict) return { verdict: action, ...(said === null ? {} : { [said]: text }) };
  const additions = said === "augment" ? { augment: text } : { [String(said)]: [text] };
  return { verdict: "continue", additions };
}

/** An event that has its required fields, and a text in one of its fields. */
function sampleEvent(event: EventName, field: string, text: string): object {
  const values: { [field: string]: unknown } = { hook_event_name: event };
  for (const [name, { schema, optional }] of Object.entries(eventRows.get(event)?.fields ?? {})) {
    if (name === field) values[name] = fieldWith(name, text);
    else if (!optional) values[name] = name === "tool_name" ? "Bash" : sampleOf(schema);
  }
  return values;
}

function fieldWith(field: string, text: string): unknown {
  if (field === "tool_input") return { command: `echo ${text}` };
  return field === "messages" ? [{ role: "user", content: text }] : text;
}

/** The smallest value that a schema of the catalogue accepts. */
function sampleOf({ enum: values, anyOf, type, minimum, minLength }: JsonSchema): unknown {
  if (values) return values[0];
  if (anyOf?.[0]) return sampleOf(anyOf[0]);
  switch (type) {
    case "string":
      return "example".slice(0, Math.max(minLength ?? 0, 7));
    case "integer":
    case "number":
      return minimum ?? 0;
    case "boolean":
      return false;
    case "array":
      return [];
    case "object":
      return {};
    default:
      return "example";
  }
}

/** JSON as an author would write it: what is short stands on one line. */
export function json(value: object): string {
  return `${layOut(value, "", true)}\n`;
}

function layOut(value: unknown, indent: string, open = false): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  const [start, end] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  const parts = (within: string): string[] =>
    Array.isArray(value)
      ? value.map((item) => layOut(item, within))
      : Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${layOut(item, within)}`);
  const pad = Array.isArray(value) ? "" : " ";
  const flat = `${start}${pad}${parts(inner).join(", ")}${pad}${end}`;
  if (!open && !flat.includes("\n") && indent.length + flat.length <= 90) return flat;
  return `${start}\n${parts(inner)
    .map((part) => inner + part)
    .join(",\n")}\n${indent}${end}`;
}
