import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

type Files = { readonly [path: string]: string | object | Uint8Array };

/** A mistake that people make, and the command that meets it. */
export interface Mistake {
  readonly name: string;
  /** Arguments of `hookwarden`. Default: `run . --events events.jsonl`. */
  readonly args?: readonly string[];
  /** Files that replace those of the base pack, or are added to it; an empty object is written as `{}`. */
  readonly files?: Files;
  /** Files of the base pack that are not there. */
  readonly without?: readonly string[];
  /** Keys of `no-force/hook.json` that differ; `undefined` removes one. */
  readonly hook?: { readonly [key: string]: unknown };
  /** Keys of `hookwarden.json` that differ. */
  readonly pack?: { readonly [key: string]: unknown };
  /** `no-force/hook.ts`. */
  readonly script?: string;
  /** Keys of the first event in `events.jsonl` that differ. */
  readonly event?: { readonly [key: string]: unknown };
  /** `no-force/cases.json`: the keys of its only case that differ. */
  readonly case?: { readonly [key: string]: unknown };
  readonly input?: string | Buffer;
  readonly env?: { readonly [name: string]: string };
  /** Runs before the command; what it returns is called after it. */
  readonly prepare?: (folder: string) => void | Promise<() => void>;
}

const manifest = {
  apiVersion: 1,
  name: "no-force",
  version: "0.1.0",
  entry: "hook.ts",
  on: [{ event: "PreToolUse", matcher: "Bash" }],
  reads: ["tool_input.command"],
  actions: ["deny"],
};
const event = {
  hook_event_name: "PreToolUse",
  session_id: "example",
  tool_name: "Bash",
  tool_input: { command: "git push --force" },
};
const pack = { apiVersion: 1, name: "team", version: "0.1.0", hooks: ["no-force"] };
const testCase = { name: "denies a force push", event, expect: { verdict: "deny", reason: "force" } };
const script = `import { deny, type PreToolUse } from "hookwarden/hook";

const hook: PreToolUse = (event) =>
  String(event.tool_input.command).includes("--force") ? deny("no force pushes") : undefined;

export default hook;
`;

/** The files of a mistake: a good pack with one hook, and what is wrong with it. */
export function filesOf(mistake: Mistake): Files {
  const files: { [path: string]: string | object | Uint8Array } = {
    "hookwarden.json": { ...pack, ...mistake.pack },
    "no-force/hook.json": { ...manifest, ...mistake.hook },
    "no-force/hook.ts": mistake.script ?? script,
    "no-force/cases.json": [{ ...testCase, ...mistake.case }],
    "events.jsonl": `${JSON.stringify({ ...event, ...mistake.event })}\n`,
    ...mistake.files,
  };
  for (const path of mistake.without ?? []) delete files[path];
  return files;
}

const check = ["check", "."];
const test = ["test", ".", "--engine", "quickjs"];
const body = (code: string): string => `import { deny, type PreToolUse } from "hookwarden/hook";

const hook: PreToolUse = (event) => {
  ${code}
};

export default hook;
`;

const manifests: readonly Mistake[] = [
  { name: "a misspelt key", hook: { actions: undefined, action: ["deny"] } },
  {
    name: "three mistakes in one manifest",
    hook: { versoin: "1", on: [{ event: "PreTooluse" }], actions: ["denny"] },
  },
  {
    name: "three mistakes in one manifest, checked",
    args: check,
    hook: { versoin: "1", on: [{ event: "PreTooluse" }], actions: ["denny"] },
  },
  { name: "mistakes in two manifests", pack: { budget: {} }, hook: { prority: 1 } },
  { name: "an action that is illegal at the event", args: check, hook: { actions: ["deny", "block"] } },
  {
    name: "a matcher that is no regular expression",
    hook: { on: [{ event: "PreToolUse", matcher: "Bash(" }] },
  },
  { name: "a matcher with look-ahead", hook: { on: [{ event: "PreToolUse", matcher: "(?!Bash).*" }] } },
  {
    name: "a matcher in the wrong case",
    args: check,
    hook: { on: [{ event: "PreToolUse", matcher: "bash" }] },
  },
  { name: "a misspelt read", args: check, hook: { reads: ["tool_input.comand"] } },
  { name: "a read of a field that the event lacks", args: check, hook: { reads: ["toolinput.command"] } },
  { name: "a read of another event's field", args: check, hook: { reads: ["tool_response"] } },
  {
    name: "two hooks of one name",
    files: { "other/hook.json": manifest, "other/hook.ts": script },
    pack: { hooks: ["no-force", "other"] },
  },
  {
    name: "a trailing comma",
    files: { "no-force/hook.json": '{\n  "apiVersion": 1,\n  "name": "no-force",\n}\n' },
  },
  { name: "a comment", files: { "hookwarden.json": '{\n  // our pack\n  "apiVersion": 1\n}\n' } },
  { name: "single quotes", files: { "hookwarden.json": "{ 'apiVersion': 1 }\n" } },
  {
    name: "a byte order mark in every file",
    files: {
      "hookwarden.json": `\ufeff${JSON.stringify(pack)}`,
      "no-force/hook.json": `\ufeff${JSON.stringify(manifest)}`,
      "no-force/cases.json": `\ufeff${JSON.stringify([testCase])}`,
      "no-force/hook.ts": `\ufeff${script}`,
    },
  },
  {
    name: "a byte order mark in the events",
    files: { "events.jsonl": `\ufeff${JSON.stringify(event)}\r\n` },
  },
  { name: "UTF-16", files: { "hookwarden.json": Buffer.from(`\ufeff${JSON.stringify(pack)}`, "utf16le") } },
  { name: "an empty manifest", files: { "hookwarden.json": "" } },
  { name: "a listed hook without a folder", pack: { hooks: ["no-force", "ghost"] } },
  {
    name: "a folder that is not listed",
    args: check,
    files: { "other/hook.json": { ...manifest, name: "other" }, "other/hook.ts": script },
  },
  { name: "a hook listed by its manifest", pack: { hooks: ["no-force/hook.json"] } },
  { name: "a version that is no version", hook: { version: "1" } },
  { name: "a hook name with capitals", hook: { name: "No Force" } },
  { name: "a number as text", hook: { priority: "5" } },
  { name: "one event without its list", hook: { on: { event: "PreToolUse" } } },
  {
    name: "the form of Claude Code's settings",
    files: {
      "hookwarden.json": {
        hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "x.sh" }] }] },
      },
    },
  },
  { name: "a grant for a misspelt hook", pack: { grants: { "no-forc": { actions: ["deny"] } } } },
  { name: "a limit above its ceiling", hook: { limits: { memoryKb: 100_000_000 } } },
  { name: "a misspelt limit", hook: { limits: { timeoutMS: 10 } } },
  { name: "an entry that is missing", hook: { entry: "index.ts" } },
  { name: "an entry without its extension", hook: { entry: "hook" } },
  { name: "set_state without state", hook: { actions: ["deny", "set_state"] } },
  { name: "a rewrite of a field that is not read whole", hook: { actions: ["modify_input"] } },
  { name: "a newer manifest version", pack: { apiVersion: 2 } },
];

const scripts: readonly Mistake[] = [
  {
    name: "a forgotten await",
    args: check,
    script: body(
      'const load = async (): Promise<string> => "x";\n  return load().includes("x") ? deny("no") : undefined;',
    ),
  },
  { name: "a string returned", script: body('return event.tool_name === "Bash" ? "deny" : undefined;') },
  {
    name: "a string returned, tested",
    args: test,
    script: body('return event.tool_name === "Bash" ? "deny" : undefined;'),
  },
  { name: "a string returned, checked", args: check, script: body('return "deny";') },
  { name: "`false` returned", script: body("return false;") },
  { name: "an array of texts returned", script: body('return ["deny"];') },
  {
    name: "a promise forgotten in an object",
    script: body('return { action: "deny", reason: Promise.resolve("no") };'),
  },
  {
    name: "the form of Claude Code's answers returned",
    script: body('return { decision: "block", reason: "no" };'),
  },
  { name: "the helper returned instead of its result", script: body("return deny;") },
  { name: "an action without its reason", script: body('return { action: "deny" };') },
  { name: "a misspelt action returned", script: body('return { action: "denny", reason: "no" };') },
  { name: "an action that was not declared", script: body('return { action: "ask", reason: "sure?" };') },
  {
    name: "an action that is illegal at the event",
    script: body('return { action: "block", reason: "no" };'),
  },
  { name: "no default export", script: "const hook = () => undefined;\n" },
  { name: "a named export", script: "export const hook = () => undefined;\n" },
  { name: "CommonJS", script: "module.exports = () => undefined;\n" },
  {
    name: "a type error",
    args: check,
    script: body("const count: number = event.tool_name;\n  return count > 3 ? deny(count) : undefined;"),
  },
  { name: "a syntax error", args: check, script: body("return deny(;") },
  { name: "a syntax error at a run", script: body("return deny(;") },
  {
    name: "`augment` at PreToolUse",
    args: check,
    hook: { actions: ["augment"] },
    script:
      'import { augment, type PreToolUse } from "hookwarden/hook";\n\nconst hook: PreToolUse = () => augment("x");\n\nexport default hook;\n',
  },
  {
    name: "a Node built-in",
    args: check,
    script: `import { readFileSync } from "node:fs";\n${body('return readFileSync("x") ? deny("no") : undefined;')}`,
  },
  {
    name: "`fetch` and `process`",
    args: check,
    script: body('void fetch("https://x.example");\n  return process.env.HOME ? deny("no") : undefined;'),
  },
  { name: "an npm package that is missing", script: `import _ from "lodash";\n${body("return _.noop();")}` },
  {
    name: "a file that is missing",
    script: `import { words } from "./word.ts";\n${body('return words ? deny("no") : undefined;')}`,
    files: { "no-force/words.ts": "export const words = [];\n" },
  },
  {
    name: "an endless loop",
    // Steps are counted; at which time they are used up depends on the machine.
    hook: { limits: { steps: 100_000, wallMs: 10_000 } },
    script: body("for (;;) {}"),
  },
  { name: "a hook that throws", script: body("const config = undefined;\n  return config.bar;") },
  {
    name: "a hook that throws, tested",
    args: test,
    script: body("const config = undefined;\n  return config.bar;"),
  },
  { name: "a script that throws as it loads", script: `throw new Error("no configuration");\n${script}` },
  {
    name: "a field that is not read",
    script: body('return event.tool_input.file_path.includes("x") ? deny("no") : undefined;'),
  },
];

const eventsAndCases: readonly Mistake[] = [
  { name: "an event without a field", event: { tool_name: undefined, toolname: "Bash" } },
  { name: "an event with a misspelt name", event: { hook_event_name: "PreTooluse" } },
  { name: "an event of another system", event: { hook_event_name: "beforeShellExecution" } },
  {
    name: "an event named with a misspelt key",
    event: { hook_event_name: undefined, hookEventName: "PreToolUse" },
  },
  { name: "a field of the wrong type", event: { tool_input: "git push --force" } },
  { name: "a time that is no time", event: { time: "yesterday" } },
  { name: "a verdict that there is not", args: test, case: { expect: { verdict: "denied" } } },
  { name: "a verdict that is illegal at the event", args: test, case: { expect: { verdict: "block" } } },
  { name: "a misspelt key of a case", args: test, case: { expect: undefined, expects: { verdict: "deny" } } },
  { name: "cases that are no list", args: test, files: { "no-force/cases.json": testCase } },
  {
    name: "a case whose event lacks a field",
    args: test,
    case: { event: { hook_event_name: "PreToolUse", tool_name: "Bash" } },
  },
  { name: "a case that fails", args: test, case: { expect: { verdict: "continue" } } },
  {
    name: "a fault code that there is not",
    args: test,
    case: { expect: { verdict: "deny", fault: "time-out" } },
  },
  { name: "no cases at all", args: test, without: ["no-force/cases.json"] },
  { name: "events that are a manifest", args: ["run", ".", "--events", "hookwarden.json"] },
  { name: "an empty file of events", files: { "events.jsonl": "" } },
];

const commands: readonly Mistake[] = [
  { name: "the folder of a hook", args: ["run", "no-force", "--events", "events.jsonl"] },
  {
    name: "the manifest instead of its folder",
    args: ["run", "hookwarden.json", "--events", "events.jsonl"],
  },
  { name: "a folder that is missing", args: ["run", "polices", "--events", "events.jsonl"] },
  { name: "no `--events`", args: ["run", "."] },
  { name: "events that are missing", args: ["run", ".", "--events", "event.jsonl"] },
  { name: "events that are a folder", args: ["run", ".", "--events", "no-force"] },
  { name: "a file where a folder should be", args: ["run", "events.jsonl/x", "--events", "events.jsonl"] },
  { name: "a path through a file", args: ["run", ".", "--events", "events.jsonl/x"] },
  { name: "a misspelt command", args: ["chek", "."] },
  { name: "a misspelt option", args: ["run", ".", "--evnts", "events.jsonl"] },
  {
    name: "a misspelt value of an option",
    args: ["run", ".", "--events", "events.jsonl", "--engine", "quickj"],
  },
  { name: "a misspelt dialect", args: ["run", ".", "--events", "events.jsonl", "--dialect", "claude_code"] },
  { name: "`init` twice", args: ["init", "."] },
  { name: "`init` with a bad name", args: ["init", "new", "--hook", "My Hook"] },
  { name: "`init` with a bad event", args: ["init", "new", "--event", "PreTool"] },
  { name: "`init` in another language", args: ["init", "new", "--lang", "py"] },
  { name: "`init` below a file", args: ["init", "events.jsonl/new"] },
  { name: "a key that would be overwritten", args: ["keygen", "--out", "events.jsonl"] },
  { name: "a log on a full disk", args: ["run", ".", "--events", "events.jsonl", "--log", "/dev/full"] },
  { name: "a log that is a folder", args: ["run", ".", "--events", "events.jsonl", "--log", "no-force"] },
  { name: "`log verify` on events", args: ["log", "verify", "events.jsonl"] },
  { name: "`log verify` on text", args: ["log", "verify", "no-force/hook.ts"] },
  { name: "`log verify` on an empty file", args: ["log", "verify", "empty"], files: { empty: "" } },
  { name: "`log` without its action", args: ["log", "events.jsonl"] },
  { name: "a bundle that is no bundle", args: ["verify", "events.jsonl", "--trust", "hookwarden.json"] },
  { name: "a key that is a trust file", args: ["bundle", ".", "--key", "hookwarden.json", "--out", "x.hwb"] },
  { name: "a port in use", args: ["serve", "--data", "data", "--port", "PORT"], prepare: portInUse },
  { name: "a port that there is not", args: ["serve", "--data", "data", "--port", "80000"] },
  { name: "a misspelt agent client", args: ["install", "claude-cod", "--pack", "."] },
  { name: "`try` in the wrong folder", args: ["try", "no-forc/hook.ts", "--events", "events.jsonl"] },
  { name: "`try` on a manifest", args: ["try", "no-force/hook.json", "--events", "events.jsonl"] },
  { name: "`explain` of a misspelt event", args: ["explain", ".", "--event", "PreTooluse"] },
  {
    name: "a pack that is a link in a circle",
    args: ["run", "loop", "--events", "events.jsonl"],
    prepare: (folder) => symlinkSync("loop", join(folder, "loop")),
  },
  {
    name: "a hook that is a link",
    files: {},
    pack: { hooks: ["link"] },
    prepare: (folder) => symlinkSync("no-force", join(folder, "link")),
  },
  {
    name: "a manifest that is a folder",
    without: ["hookwarden.json"],
    prepare: (folder) => void mkdirSync(join(folder, "hookwarden.json")),
  },
  {
    name: "a script that is too large",
    prepare: (folder) =>
      writeFileSync(join(folder, "no-force/hook.ts"), `/*${"x".repeat(1_100_000)}*/\n${script}`),
  },
];

async function portInUse(): Promise<() => void> {
  const server = createServer();
  // Where another program listens there already, the port is in use as well.
  await new Promise<void>((done) =>
    server.on("error", () => done()).listen(takenPort, "127.0.0.1", () => done()),
  );
  return () => void server.close();
}
/** No other test listens there. */
const takenPort = 47_113;

export const topics: { readonly [topic: string]: readonly Mistake[] } = {
  manifests,
  scripts,
  "events-and-cases": eventsAndCases,
  commands: commands.map((one) => ({
    ...one,
    ...(one.args
      ? { args: one.args.map((argument) => (argument === "PORT" ? String(takenPort) : argument)) }
      : {}),
  })),
};
