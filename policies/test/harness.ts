import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createContext, Script } from "node:vm";
import { build, type Plugin } from "esbuild";
import { FactSet, factsOf } from "hookwarden/facts";

/** The folder of the shipped policies. */
export const policiesFolder = fileURLToPath(new URL("../", import.meta.url));
const helpers = fileURLToPath(new URL("../../src/hook/index.ts", import.meta.url));

export interface Manifest {
  readonly name: string;
  readonly entry: string;
  readonly on: readonly { readonly event: string; readonly matcher?: string }[];
  readonly reads: readonly string[];
  readonly actions: readonly string[];
  readonly state?: { readonly scope: "session" | "tenant"; readonly maxBytes: number };
}

type Json = Record<string, unknown>;
type Text = string | { readonly matches: string } | { readonly equals: string } | null;

export interface Expectation {
  readonly verdict: string;
  readonly reason?: Text;
  readonly feedback?: Text;
  readonly changes?: Json;
  readonly additions?: {
    readonly augment?: Text;
    readonly context?: readonly Text[];
    readonly messages?: readonly { readonly role: string; readonly content: Text }[];
    readonly notices?: readonly Text[];
  };
  readonly state?: unknown;
}

export interface Case {
  readonly name: string;
  readonly event?: Json;
  readonly events?: readonly Json[];
  readonly state?: unknown;
  readonly config?: unknown;
  readonly expect: Expectation | readonly (Expectation | null)[];
}

export function hookNames(): readonly string[] {
  return (readJson(join(policiesFolder, "hookwarden.json")) as { hooks: readonly string[] }).hooks;
}

export function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, "utf8"));
}

export function manifestOf(hook: string): Manifest {
  return readJson(join(policiesFolder, hook, "hook.json")) as Manifest;
}

/** Cases by policy: the same objects every time, so that what is worked out of their events is kept with them. */
const caseLists = new Map<string, readonly Case[]>();

export function casesOf(hook: string): readonly Case[] {
  let cases = caseLists.get(hook);
  if (cases === undefined) {
    cases = readJson(join(policiesFolder, hook, "cases.json")) as readonly Case[];
    caseLists.set(hook, cases);
  }
  return cases;
}

export function configOf(hook: string): unknown {
  const pack = readJson(join(policiesFolder, "hookwarden.json")) as { config?: Record<string, unknown> };
  return pack.config?.[hook] ?? {};
}

/** Bundles a hook into one script; `replaced` gives other texts for some of its files. */
export async function bundle(
  hook: string,
  replaced: ReadonlyMap<string, string> = new Map(),
): Promise<string> {
  const overlay: Plugin = {
    name: "overlay",
    setup: (api) => {
      api.onResolve({ filter: /^hookwarden\/hook$/ }, () => ({ path: helpers }));
      api.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const contents = replaced.get(path);
        return contents === undefined ? null : { contents, loader: "ts" };
      });
    },
  };
  const result = await build({
    entryPoints: [join(policiesFolder, hook, manifestOf(hook).entry)],
    bundle: true,
    write: false,
    format: "iife",
    globalName: "hook",
    target: "es2023",
    logLevel: "silent",
    plugins: [overlay],
  });
  return result.outputFiles[0]?.text ?? "";
}

type Call = (event: Json, context: Json) => unknown;

/** Runs a bundled hook in a bare context, with JSON in and JSON out, for at most `timeout` milliseconds a call. */
export function load(code: string, timeout = 2_000): Call {
  const context = createContext(Object.create(null));
  new Script(`${code};globalThis.hook=hook.default;delete globalThis.TextDecoder;0`).runInContext(context, {
    timeout,
  });
  const call = new Script(
    `(() => { const [event, ctx] = JSON.parse(input); const f = typeof hook === "function" ? hook : hook[event.hook_event_name]; return JSON.stringify(f(event, ctx) ?? null); })()`,
  );
  return (event, ctx) => {
    (context as Json)["input"] = JSON.stringify([event, ctx]);
    return JSON.parse(call.runInContext(context, { timeout }) as string);
  };
}

/** Runs the cases of a hook, and returns what went wrong. */
export function failuresOf(
  call: Call,
  manifest: Manifest,
  cases: readonly Case[],
  packConfig: unknown,
): readonly string[] {
  return cases.flatMap((test) => {
    let state: unknown = test.state ?? null;
    const events = test.events ?? [test.event ?? {}];
    const expected = (
      Array.isArray(test.expect) ? test.expect : [test.expect]
    ) as readonly (Expectation | null)[];
    if (events.length !== expected.length)
      return [`${test.name}: ${events.length} events, ${expected.length} expectations`];
    return events.flatMap((given, step) => {
      const event = seenBy(manifest, given);
      const actions =
        event === null ? [] : actionsOf(call(event, contextOf(manifest, state, test.config ?? packConfig)));
      const got = composed(actions, manifest, state);
      state = got.state;
      const wanted = expected[step];
      return wanted === null || wanted === undefined
        ? got.illegal.map((text) => `${test.name}: ${text}`)
        : [...got.illegal, ...differences(got, wanted)].map(
            (text) => `${test.name}${events.length > 1 ? ` [${step}]` : ""}: ${text}`,
          );
    });
  });
}

/** What a hook answers to one event. */
export function answerOf(
  call: Call,
  manifest: Manifest,
  { event = {}, state = null }: Pick<Case, "event" | "state">,
  config: unknown,
): Got {
  const seen = seenBy(manifest, event);
  return composed(
    seen === null ? [] : actionsOf(call(seen, contextOf(manifest, state, config))),
    manifest,
    state,
  );
}

/** Events as a policy sees them, by manifest: facts are worked out once, however many mutants they are put to. */
const seenEvents = new WeakMap<Json, Map<string, Json | null>>();

/** An event as a policy sees it; `null` where it has not subscribed to it. */
function seenBy(manifest: Manifest, given: Json): Json | null {
  const byHook = seenEvents.get(given) ?? new Map<string, Json | null>();
  seenEvents.set(given, byHook);
  let seen = byHook.get(manifest.name);
  if (seen === undefined) {
    const event: Json = { session_id: "case", time: "2026-01-01T00:00:00Z", ...given };
    seen = isSubscribed(manifest, event) ? projected(event, manifest.reads) : null;
    byHook.set(manifest.name, seen);
  }
  return seen;
}

function contextOf(manifest: Manifest, state: unknown, config: unknown): Json {
  return { state, tenant: "default", hook: manifest.name, time: "2026-01-01T00:00:00Z", config };
}

const matched: Record<string, string> = {
  SessionStart: "source",
  PreCompact: "trigger",
  Notification: "notification_type",
};

function isSubscribed(manifest: Manifest, event: Json): boolean {
  return manifest.on.some(({ event: name, matcher }) => {
    if (name !== event["hook_event_name"]) return false;
    if (matcher === undefined) return true;
    const text = String(event[matched[name] ?? "tool_name"] ?? event["model"] ?? event["agent_type"]);
    if (/^[A-Za-z0-9_\-,| ]*$/.test(matcher))
      return matcher.split(/[|,]/).some((item) => item.trim() === text);
    const ignoresCase = matcher.startsWith("(?i)");
    return new RegExp(`^(?:${ignoresCase ? matcher.slice(4) : matcher})$`, ignoresCase ? "i" : "").test(text);
  });
}

function projected(event: Json, reads: readonly string[]): Json {
  if (reads.includes("*")) return event;
  const out: Json = {
    hook_event_name: event["hook_event_name"],
    session_id: event["session_id"],
    time: event["time"],
  };
  for (const path of reads) {
    const [field = "", key] = path.split(".");
    const value = event[field];
    if (value === undefined || field === "facts") continue;
    if (key === undefined) out[field] = value;
    else {
      const inner = (out[field] ??= {}) as Json;
      if (typeof value === "object" && value !== null && key in value) inner[key] = (value as Json)[key];
    }
  }
  for (const field of ["tool_input"]) if (field in event) out[field] ??= {};
  const facts = new FactSet(event);
  const known = factsOf(String(event["hook_event_name"])).filter((name) => reads.includes(`facts.${name}`));
  if (known.length > 0) out["facts"] = Object.fromEntries(known.map((name) => [name, facts.valueOf(name)]));
  return out;
}

/** What a hook's actions come to. */
export interface Got {
  readonly verdict: string;
  readonly reason: string | null;
  readonly feedback: string | null;
  readonly changes: Json;
  readonly additions: {
    augment: string | null;
    context: string[];
    messages: { role: string; content: string }[];
    notices: string[];
  };
  readonly state: unknown;
  readonly illegal: readonly string[];
}

function actionsOf(answer: unknown): readonly Json[] {
  if (answer === null) return [];
  return (Array.isArray(answer) ? answer : [answer]) as Json[];
}

const verdicts = new Set([
  "continue",
  "allow",
  "ask",
  "retry",
  "drop_chunk",
  "skip",
  "deny",
  "block",
  "halt",
]);
const rewritten: Record<string, readonly (readonly [string, string])[]> = {
  modify_input: [["input", "tool_input"]],
  replace_result: [
    ["result", "tool_response"],
    ["is_error", "is_error"],
  ],
  replace_error: [["error", "error"]],
  replace_response: [["message", "message"]],
  replace_chunk: [["chunk", "chunk"]],
  set_params: [["params", "params"]],
};

function composed(actions: readonly Json[], manifest: Manifest, before: unknown): Got {
  const additions: Got["additions"] = { augment: null, context: [], messages: [], notices: [] };
  const changes: Json = {};
  const illegal: string[] = [];
  let [verdict, reason, feedback, state]: [string, string | null, string | null, unknown] = [
    "continue",
    null,
    null,
    before,
  ];
  for (const action of actions) {
    const name = String(action["action"]);
    if (!manifest.actions.includes(name) && name !== "continue")
      illegal.push(`\`${name}\` is not in the manifest`);
    if (verdicts.has(name)) {
      verdict = name;
      reason = (action["reason"] as string | undefined) ?? null;
      feedback = (action["feedback"] as string | undefined) ?? null;
    } else if (name === "augment") additions.augment = String(action["text"]);
    else if (name === "add_context") additions.context.push(String(action["text"]));
    else if (name === "notify") additions.notices.push(String(action["text"]));
    else if (name === "inject")
      additions.messages.push(...(action["messages"] as Got["additions"]["messages"]));
    else if (name === "set_state") {
      state = action["value"];
      const bytes = Buffer.byteLength(JSON.stringify(state));
      if (bytes > (manifest.state?.maxBytes ?? 0)) illegal.push(`state of ${bytes} bytes`);
    } else for (const [from, to] of rewritten[name] ?? []) if (from in action) changes[to] = action[from];
  }
  return { verdict, reason, feedback, changes, additions, state, illegal };
}

function differences(got: Got, wanted: Expectation): readonly string[] {
  const out: string[] = [];
  const check = (what: string, same: boolean, value: unknown): void => {
    if (!same) out.push(`${what} is ${JSON.stringify(value)}`);
  };
  check("verdict", got.verdict === wanted.verdict, `${got.verdict}: ${got.reason}`);
  if (wanted.reason !== undefined) check("reason", fits(got.reason, wanted.reason), got.reason);
  if (wanted.feedback !== undefined) check("feedback", fits(got.feedback, wanted.feedback), got.feedback);
  if (wanted.changes !== undefined) check("changes", same(got.changes, wanted.changes), got.changes);
  if (wanted.state !== undefined) check("state", same(got.state, wanted.state), got.state);
  const { augment, context, messages, notices } = wanted.additions ?? {};
  if (augment !== undefined) check("augment", fits(got.additions.augment, augment), got.additions.augment);
  if (context !== undefined) check("context", allFit(got.additions.context, context), got.additions.context);
  if (notices !== undefined) check("notices", allFit(got.additions.notices, notices), got.additions.notices);
  if (messages !== undefined) {
    const contents = got.additions.messages.map(({ content }) => content);
    check(
      "messages",
      allFit(
        contents,
        messages.map(({ content }) => content),
      ),
      got.additions.messages,
    );
  }
  return out;
}

function allFit(got: readonly string[], wanted: readonly Text[]): boolean {
  return got.length === wanted.length && got.every((text, index) => fits(text, wanted[index] ?? null));
}

function fits(got: string | null, wanted: Text): boolean {
  if (wanted === null || got === null) return wanted === got;
  if (typeof wanted === "string") return got.includes(wanted);
  return "equals" in wanted ? got === wanted.equals : new RegExp(wanted.matches).test(got);
}

function same(left: unknown, right: unknown): boolean {
  return JSON.stringify(sorted(left)) === JSON.stringify(sorted(right));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  );
}

/** Names of the folders that hold a hook. */
export function hookFolders(): readonly string[] {
  return readdirSync(policiesFolder, { withFileTypes: true })
    .filter(
      (entry) => entry.isDirectory() && !["lib", "node_modules", "scripts", "test"].includes(entry.name),
    )
    .map((entry) => entry.name);
}
