import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ClientName, clientNames } from "../../src/clients/index.ts";
import { hookDefaults } from "../../src/hook/hook-options.ts";
import { applyChange, planInstall, planUninstall } from "../../src/settings/plan.ts";
import { type Place, placesOf } from "../../src/settings/places.ts";
import { folder } from "../../../../test/cli/cli.ts";

/** Configurations of the kinds that people have: layouts, comments, other tools' hooks, and odd but valid JSON. */
const configurations: readonly (readonly [string, string | null])[] = [
  ["no file", null],
  ["an empty file", ""],
  ["an empty object", "{}"],
  ["an empty object with a line end", "{}\n"],
  ["an object with a space", "{ }\n"],
  ["an empty object of hooks", '{\n  "hooks": {}\n}\n'],
  ["an empty event", '{\n  "hooks": {\n    "PreToolUse": []\n  }\n}\n'],
  ["an empty group", '{ "hooks": { "PreToolUse": [{ "matcher": "Bash", "hooks": [] }] } }\n'],
  ["one line", '{"theme":"dark","hooks":{"Stop":[{"hooks":[{"type":"command","command":"say done"}]}]}}'],
  ["two spaces", '{\n  "model": "opus",\n  "permissions": {\n    "allow": ["Bash(ls:*)"]\n  }\n}\n'],
  ["four spaces", '{\n    "model": "opus",\n    "env": {\n        "FOO": "1"\n    }\n}\n'],
  ["tabs", '{\n\t"hooks": {\n\t\t"PreToolUse": [\n\t\t\t{ "matcher": "*", "hooks": [] }\n\t\t]\n\t}\n}\n'],
  ["line ends of Windows", '{\r\n  "theme": "light",\r\n  "hooks": {\r\n  }\r\n}\r\n'],
  ["no line end", '{\n  "selectedAuthType": "oauth-personal"\n}'],
  ["line comments", '{\n  // mine\n  "vimMode": true // yes\n}\n'],
  ["block comments", '{\n  /* hooks follow */\n  "hooks": { /* none */ }\n}\n'],
  ["a trailing comma", '{\n  "a": [1, 2,],\n  "hooks": {},\n}\n'],
  ["blank lines", '\n\n{\n\n  "a": 1\n\n}\n\n'],
  ["MCP servers", '{\n  "mcpServers": {\n    "db": { "command": "npx", "args": ["-y", "db"] }\n  }\n}\n'],
  [
    "a formatter after edits",
    '{\n  "hooks": {\n    "PostToolUse": [\n      {\n        "matcher": "Edit|Write",\n        "hooks": [{ "type": "command", "command": "prettier --write" }]\n      }\n    ]\n  }\n}\n',
  ],
  [
    "a guard before tools, and a notification",
    '{\n  "hooks": {\n    "PreToolUse": [{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "guard.py", "timeout": 10 }] }],\n    "Notification": [{ "hooks": [{ "type": "command", "command": "notify-send hi" }] }]\n  }\n}\n',
  ],
  ["letters of many languages", '{\n  "greeting": "grüße, 你好, 👋",\n  "hooks": {}\n}\n'],
  [
    "events of Gemini CLI",
    '{ "hooks": { "BeforeTool": [{ "matcher": "run_.*", "hooks": [{ "name": "x", "type": "command", "command": "true" }] }] } }',
  ],
  ["other members named like ours", '{ "hookwarden": { "enabled": true }, "hooks": { "SessionEnd": [] } }\n'],
];

const programs = { node: "/opt/node/bin/node", client: "/opt/hookwarden/dist/agent-hook.js" };
let made: Awaited<ReturnType<typeof folder>>;
let before: string | undefined;

beforeEach(async () => {
  made = await folder();
  before = process.env["XDG_STATE_HOME"];
  process.env["XDG_STATE_HOME"] = join(made.path, "state");
});
afterEach(async () => {
  if (before === undefined) delete process.env["XDG_STATE_HOME"];
  else process.env["XDG_STATE_HOME"] = before;
  await made[Symbol.asyncDispose]();
});

function userPlace(client: ClientName): Place {
  const home = join(made.path, "home");
  const place = placesOf(client, { cwd: made.path, home, env: {} }).find(({ scope }) => scope === "user");
  if (!place) throw new Error(client);
  return place;
}

async function install(client: ClientName, place: Place, pack = "/policies"): Promise<void> {
  const options = { ...hookDefaults, client, pack };
  for (const change of await planInstall(options, programs, place)) await applyChange(change);
}

async function uninstall(client: ClientName, place: Place): Promise<void> {
  for (const change of await planUninstall(client, place)) await applyChange(change);
}

const contents = (path: string): Promise<string | null> => readFile(path, "utf8").catch(() => null);

const withFiles = clientNames.filter((name) => !["opencode", "copilot-cli", "cline"].includes(name));

describe.each(withFiles)("%s", (client) => {
  test.each(configurations)("has its file back byte for byte: %s", async (_, text) => {
    const place = userPlace(client);
    await mkdir(dirname(place.path), { recursive: true });
    if (text !== null) await writeFile(place.path, text);
    // A file of hooks alone has its events at the root, and none of the others is one for it.
    const fits = place.layout !== "at-root" || text === null || !/"\w+"\s*:/.test(text);
    if (!fits) return;
    await install(client, place);
    expect(await contents(place.path)).toContain("/opt/hookwarden/dist/agent-hook.js");
    await install(client, place, "/other");
    await uninstall(client, place);
    expect(await contents(place.path)).toBe(text);
  });

  test("keeps what a person changed after the installation", async () => {
    const place = userPlace(client);
    await mkdir(dirname(place.path), { recursive: true });
    await install(client, place);
    const text = (await contents(place.path)) ?? "";
    const mine = text.replace("{", '{\n  "Mine": [],');
    await writeFile(place.path, mine);
    await uninstall(client, place);
    const after = await contents(place.path);
    expect(after).toContain('"Mine"');
    expect(after).not.toContain("agent-hook");
  });
});

describe.each(["opencode", "copilot-cli", "cline"] as const)("%s", (client) => {
  test("has its folder back, with the files of others", async () => {
    const place = userPlace(client);
    await mkdir(place.path, { recursive: true });
    await writeFile(join(place.path, "other.json"), '{"version":1,"hooks":{}}\n');
    await install(client, place);
    expect((await readdir(place.path)).length).toBeGreaterThan(1);
    await install(client, place, "/other");
    await uninstall(client, place);
    expect(await readdir(place.path)).toEqual(["other.json"]);
  });

  test("never takes the place of a hook that somebody else wrote", async () => {
    const place = userPlace(client);
    await install(client, place);
    const [name] = await readdir(place.path);
    await writeFile(join(place.path, name ?? ""), "theirs");
    await expect(install(client, place)).rejects.toThrow("is another hook");
    await uninstall(client, place);
    expect(await readdir(place.path)).toEqual([name]);
  });
});
