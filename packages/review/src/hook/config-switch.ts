import type { Input } from "../run/input.ts";
import { opens } from "../run/effect.ts";
import type { Run, Runner } from "../run/runner.ts";
import type { Comparison } from "../instrumented/recording.ts";

/** A comparison of the configuration with something that its schema does not speak of. */
export interface ConfigSwitch {
  /** What it is compared with; `null` where it is only asked for. */
  readonly constant: string | null;
  /** The path in the configuration; `null` where it is not known. */
  readonly path: string | null;
  readonly pair: Comparison | null;
  readonly input: Input;
}

const mark = "cfgqzxw";
/** The same for numbers; constants up to the second are counts and flags. */
const markNumber = 739_391;
const smallNumber = 12;
const shortest = 3;
const maxHeld = 2;
const maxKeys = 16;

/**
 * Gives the hook a configuration whose texts are words that stand nowhere else, and sees what it compares them with. A
 * documented switch has its values in the schema.
 *
 * @param properties names that the code asks objects for: the configuration may be one of them.
 */
export async function findConfigSwitches(
  runner: Runner,
  properties: readonly string[],
  inputs: readonly Input[],
  held: readonly Run[],
): Promise<readonly ConfigSwitch[]> {
  const schema = JSON.stringify(runner.hook.manifest.config ?? null);
  // What the pack itself sets is no secret of the hook.
  const known = new Set([
    ...documentedNames(runner.hook.manifest.config),
    ...Object.keys(configured(runner.hook)),
  ]);
  if (properties.length === 0) return [];
  const config = markedConfig(runner.hook, properties);
  // Where every text is marked, what holds an event may not be there any more.
  const single = textNames(runner.hook).map((name) => withText(runner.hook, name, mark));
  const tried = [
    ...inputs.map((input) => ({ ...input, config })),
    ...held.slice(0, maxHeld).flatMap(({ input }) => single.map((one) => ({ ...input, config: one }))),
  ];
  const asked = new Set<string>();
  const found = new Map<string, ConfigSwitch>();
  const keys = new Set<string>();
  for (const input of tried) {
    const run = await runner.runInstrumented(input, true);
    for (const { of, path } of run?.watched?.reads ?? [])
      if (of === "context" && path[0] === "config" && path[1] !== undefined) asked.add(path[1]);
    for (const pair of run?.watched?.pairs ?? []) {
      if (pair.op === "of" && pair.a === mark && !schema.includes(String(pair.b))) keys.add(String(pair.b));
      if (pair.op !== "==" && pair.op !== "in") continue;
      for (const [seen, constant] of [
        [pair.a, pair.b],
        [pair.b, pair.a],
      ]) {
        if (
          seen === markNumber &&
          isOddNumber(constant) &&
          pair.op === "==" &&
          !schema.includes(String(constant))
        )
          found.set(String(constant), {
            constant: String(constant),
            path: null,
            pair,
            input,
          });
        if (typeof seen !== "string" || typeof constant !== "string" || !seen.includes(mark)) continue;
        if (constant.length < shortest || constant.includes(mark) || schema.includes(constant)) continue;
        // Punctuation is the syntax of a configured text, such as the `**/` of a glob; facts have marks of their own.
        if (!/[\p{L}\p{N}]/u.test(constant) || /\p{Cc}/u.test(constant)) continue;
        if (
          run?.args[0].includes(constant) ||
          constant === input.tenant ||
          input.event.time.includes(constant)
        )
          continue;
        // A piece of an event that was worked on is in the program no more than in the event.
        if (
          !runner.hook.program.source.includes(constant) &&
          (input.config !== config || isOfEvent(constant, run?.args[0] ?? ""))
        )
          continue;
        found.set(constant, { constant, path: null, pair, input });
      }
    }
  }
  // What is spread asks for every name.
  if (asked.has(mark)) asked.clear();
  for (const name of asked) {
    if (known.has(name) || name === "*") continue;
    found.set(`path ${name}`, { constant: null, path: name, pair: null, input: inputs[0] as Input });
  }
  return [...found.values(), ...(await openingKeys(runner, held, [...keys]))];
}

/** Names of a table that let an event go, in place of a text of the configuration. */
async function openingKeys(
  runner: Runner,
  held: readonly Run[],
  keys: readonly string[],
): Promise<readonly ConfigSwitch[]> {
  for (const base of held.slice(0, maxHeld))
    for (const constant of keys.slice(0, maxKeys))
      for (const name of textNames(runner.hook)) {
        const input = {
          ...base.input,
          config: withText(runner.hook, name, constant),
          origin: "made" as const,
        };
        const run = await runner.run(input);
        if (run && opens(base.effect, run.effect)) return [{ constant, path: name, pair: null, input }];
      }
  return [];
}

/** The names that a schema has texts for, at its first level. */
function textNames({ manifest }: Runner["hook"]): readonly string[] {
  const values = (made(manifest.config) ?? {}) as object;
  return Object.entries(values).flatMap(([name, value]) => (value === mark ? [name] : []));
}

function withText(hook: Runner["hook"], name: string, text: string): string {
  return JSON.stringify({ ...configured(hook), [name]: text });
}

/** The hook's configuration with marks in place of its values, in whatever its schema or its code asks for. */
function markedConfig({ configJson, manifest }: Runner["hook"], properties: readonly string[]): string {
  const own: unknown = JSON.parse(configJson);
  const parts = [
    Object.fromEntries([mark, ...properties].map((name) => [name, mark])),
    marked(made(manifest.config)),
    marked(own),
  ];
  return JSON.stringify(
    Object.assign(
      {},
      ...parts.filter((one) => typeof one === "object" && one !== null && !Array.isArray(one)),
    ),
  );
}

function configured({ configJson }: Runner["hook"]): object {
  const own: unknown = JSON.parse(configJson);
  return typeof own === "object" && own !== null ? own : {};
}

/** Whether a number is none that any setting is compared with. */
function isOddNumber(constant: Comparison["a"] | undefined): boolean {
  return typeof constant === "number" && Math.abs(constant) > smallNumber;
}

/** Names that a schema speaks of, at its first level. */
export function documentedNames(schema: unknown): ReadonlySet<string> {
  const properties = (schema as { readonly properties?: unknown } | null | undefined)?.properties;
  if (schema === undefined || schema === null) return new Set();
  return typeof properties === "object" && properties !== null ? new Set(Object.keys(properties)) : new Set();
}

function isOfEvent(constant: string, args: string): boolean {
  const lower = args.toLowerCase();
  return (constant.toLowerCase().match(/[a-z0-9]{2,}/g) ?? []).every((word) => lower.includes(word));
}

function marked(value: unknown): unknown {
  if (typeof value === "string") return mark;
  if (typeof value === "number") return markNumber;
  if (Array.isArray(value)) return value.map(marked);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, marked(member)]));
}

/** A value of the kind that a schema asks for. */
function made(schema: unknown): unknown {
  if (typeof schema !== "object" || schema === null) return null;
  const { type, properties, items } = schema as {
    readonly type?: unknown;
    readonly properties?: object;
    readonly items?: unknown;
    readonly enum?: unknown;
  };
  if (type === "array") return [made(items)];
  if (type === "string" || "enum" in schema) return mark;
  if (type === "number" || type === "integer") return markNumber;
  if (type === "boolean") return true;
  return properties
    ? Object.fromEntries(Object.entries(properties).map(([key, member]) => [key, made(member)]))
    : null;
}
