import type { ActionRow } from "../../src/catalogue/actions.ts";
import { commonFields } from "../../src/catalogue/fields.ts";
import { actionRows, eventRows, legalActions } from "../../src/catalogue/lookup.ts";
import type { Field, JsonSchema } from "../../src/catalogue/schema.ts";
import { unknownReasons } from "../../src/facts/fact.ts";
import { factRows, factsOf } from "../../src/facts/table.ts";
import { notice } from "./text.ts";

type Fields = { readonly [name: string]: Field };

/** `modify_input` becomes `ModifyInput`. */
export const pascal = (name: string): string =>
  name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
/** Name of an action's interface. */
export const actionType = (name: string): string => `${pascal(name)}Action`;

/** The TypeScript type of what a schema accepts. */
export function typeOf(schema: JsonSchema): string {
  if (schema.tsType !== undefined) return schema.tsType;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(" | ");
  switch (schema.type) {
    case undefined:
      return "unknown";
    case "integer":
      return "number";
    case "array":
      return `readonly (${schema.items ? typeOf(schema.items) : "unknown"})[]`;
    case "object":
      return schema.properties ? objectType(schema) : "Record<string, unknown>";
    default:
      return schema.type;
  }
}

function objectType({ properties = {}, required = [], additionalProperties }: JsonSchema): string {
  const members = Object.entries(properties).map(
    ([name, part]) =>
      `${part.description ? `/** ${sentence(part.description)} */\n` : ""}readonly ${name}${required.includes(name) ? "" : "?"}: ${typeOf(part)};`,
  );
  return `{ ${members.join("\n")}${additionalProperties === false ? "" : " readonly [key: string]: unknown;"} }`;
}

const members = (fields: Fields, typeFor: (field: Field) => string): string =>
  Object.entries(fields)
    .map(
      ([name, field]) =>
        `/** ${sentence(field.doc)} */\nreadonly ${name}${field.optional ? "?" : ""}: ${typeFor(field)};`,
    )
    .join("\n");

const sentence = (text: string): string => `${text[0]!.toUpperCase()}${text.slice(1)}.`;

/** State is what its hook says it is; nothing else of a payload depends on the hook. */
const holdsState = (row: ActionRow | undefined): boolean => row?.target === "state";

function eventInterface(name: string, when: string, own: Fields): string {
  const inherited = Object.keys(commonFields).filter((field) => field in own);
  const base =
    inherited.length > 0
      ? `Omit<EventBase, ${inherited.map((field) => `"${field}"`).join(" | ")}>`
      : "EventBase";
  return `/** ${sentence(when)} */
export interface ${name}Event extends ${base} {
  readonly hook_event_name: "${name}";
  ${members(own, ({ schema }) => typeOf(schema))}${factsMember(name)}
}`;
}

function factsMember(event: string): string {
  const types = [
    ...factsOf(event).map((name) => `readonly ${name}: ${pascal(name)}Fact;`),
    "/** Facts of the host, as far as `reads` names them. */ readonly host: { readonly [name: string]: HostFact };",
  ];
  return `\n/** Facts, as far as \`reads\` names them. */\nreadonly facts: { ${types.join(" ")} };`;
}

/** The types of facts. */
function factTypes(): readonly string[] {
  return [
    `/** A fact that is not known. */
export interface NotKnown {
  readonly ok: false;
  /** Why. */
  readonly why: ${Object.keys(unknownReasons)
    .map((why) => JSON.stringify(why))
    .join(" | ")};
}`,
    `/** A fact of the host, which says what its members are; one that the host does not have is \`absent\`. */
export type HostFact = NotKnown | { readonly ok: true; readonly [member: string]: unknown };`,
    ...[...factRows].flatMap(([name, { doc, members: own, types = {} }]) => [
      ...Object.entries(types).map(
        ([type, { doc: what, schema }]) =>
          `/** ${sentence(what)} */\nexport type ${type} = ${typeOf(schema)};`,
      ),
      `/** \`facts.${name}\`: ${doc}. */
export type ${pascal(name)}Fact = NotKnown | { readonly ok: true;
  ${members(own, ({ schema }) => typeOf(schema))}
};`,
    ]),
  ];
}

function actionInterface(name: string, row: ActionRow): string {
  const generic = holdsState(row) ? "<State = unknown>" : "";
  return `/** ${sentence(row.means)} */
export interface ${actionType(name)}${generic} {
  readonly action: "${name}";
  ${members(row.payload, ({ schema }) => (generic ? "State | null" : typeOf(schema)))}
}`;
}

const actionUse = (name: string): string =>
  `${actionType(name)}${holdsState(actionRows.get(name)) ? "<State>" : ""}`;

const byName = (names: Iterable<string>, type: (name: string) => string): string =>
  [...names].map((name) => `readonly ${name}: ${type(name)};`).join("\n");

/** The module of all types of events, actions and handlers. */
export function typesModule(): string {
  const everywhere = [...actionRows].filter(([, row]) => row.everywhere).map(([name]) => name);
  const parts = [
    notice,
    `/** What every event has. */
export interface EventBase {
  ${members(commonFields, ({ schema }) => typeOf(schema))}
}`,
    ...factTypes(),
    ...[...eventRows].map(([name, row]) => eventInterface(name, row.when, row.fields)),
    `/** Every event by its name. */
export interface EventMap { ${byName(eventRows.keys(), (name) => `${name}Event`)} }`,
    `/** Any event; \`hook_event_name\` says which. */
export type HookEvent = EventMap[keyof EventMap];`,
    ...[...actionRows].map(([name, row]) => actionInterface(name, row)),
    `/** Every action by its name. */
export interface ActionMap<State = unknown> { ${byName(actionRows.keys(), actionUse)} }`,
    `/** Any action; \`action\` says which. Not every one is legal at every event. */
export type HookAction<State = unknown> = ActionMap<State>[keyof ActionMap];`,
    `/** The actions that are legal at every event. */
export type EverywhereAction<State = unknown> = ${everywhere.map(actionUse).join(" | ")};`,
    ...handlerTypes,
    ...eventTypes(everywhere),
    `/** A default export with a function for each event that the hook runs at. */
export interface Hooks<State = unknown, Config = unknown> {
  ${[...eventRows.keys()].map((name) => `readonly ${name}?: ${name}<State, Config>;`).join("\n")}
}`,
    `/** A default export that is one function for all events of its manifest. Which actions are legal depends on the event. */
export type Hook<State = unknown, Config = unknown> = Handler<HookEvent, HookAction<State>, State, Config>;`,
  ];
  return `${parts.join("\n\n")}\n`;
}

/** What handlers of all events have in common. */
const handlerTypes: readonly string[] = [
  `/**
 * What a hook may return: nothing, one action, or up to 16 of them with at most one verdict. \`undefined\` and \`null\`
 * mean \`continue\`.
 */
export type HookResult<Action> = Action | readonly Action[] | null | undefined | void;`,
  `/** What a hook gets in addition to the event. */
export interface HookContext<State = unknown, Config = unknown> {
  /** What this hook's last \`set_state\` kept; \`null\` before the first, and where the manifest declares no state. */
  readonly state: State | null;
  /** Whose agent it is. */
  readonly tenant: string;
  /** Name of the hook. */
  readonly hook: string;
  /** The event's time, ISO 8601. \`Date\` stands at it. */
  readonly time: string;
  /** The hook's configuration, as the pack gives it. */
  readonly config: Config;
}`,
  `/**
 * A hook's function for one kind of event.
 *
 * A hook sees the fields that its manifest's \`reads\` name, and no other: a field that is not declared there is absent
 * from the event, also where its type says that the event always has it.
 */
export type Handler<Event, Action, State = unknown, Config = unknown> = (
  event: Event,
  ctx: HookContext<State, Config>,
) => HookResult<Action> | Promise<HookResult<Action>>;`,
];

/** For each event: what is legal there, and its handler. */
function eventTypes(everywhere: readonly string[]): readonly string[] {
  return [...eventRows].flatMap(([name]) => {
    const own = [...legalActions(name)].filter((action) => !everywhere.includes(action));
    return [
      `/** What is legal at ${name}. */
export type ${name}Action<State = unknown> = ${[...own.map(actionUse), "EverywhereAction<State>"].join(" | ")};`,
      `/** What a hook may return at ${name}. */
export type ${name}HookResult<State = unknown> = HookResult<${name}Action<State>>;`,
      `/** A hook for ${name}. */
export type ${name}<State = unknown, Config = unknown> = Handler<${name}Event, ${name}Action<State>, State, Config>;`,
    ];
  });
}
