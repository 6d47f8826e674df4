import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parse } from "jsonc-parser";
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

/**
 * Configurations of single clients, each a class of formatting found in public repositories and written anew. `refused`: the
 * file cannot be changed without guessing what it means, and must stay as it is.
 */
const ofClients: readonly {
  readonly client: ClientName;
  readonly formatting: string;
  readonly text: string;
  readonly refused?: true;
}[] = [
  {
    client: "claude-code",
    formatting: "a long list of permissions before one guard",
    text: `{\n  "includeCoAuthoredBy": false,\n  "permissions": {\n    "allow": [\n${["ls", "cat:*", "git diff:*", "rg:*"].map((one) => `      "Bash(${one})"`).join(",\n")}\n    ],\n    "deny": []\n  },\n  "hooks": {\n    "PreToolUse": [\n      {\n        "matcher": "Bash",\n        "hooks": [\n          {\n            "type": "command",\n            "command": "~/bin/check-add"\n          }\n        ]\n      }\n    ]\n  }\n}\n`,
  },
  {
    client: "claude-code",
    formatting: "shell quoting inside commands, and members after the hooks",
    text: `{\n  "hooks": {\n    "Stop": [\n      {\n        "matcher": ".*",\n        "hooks": [\n          {\n            "type": "command",\n            "command": "H=\\"$CLAUDE_PROJECT_DIR/.claude/h.sh\\"; [ -x \\"$H\\" ] && exec \\"$H\\"; exit 0"\n          }\n        ]\n      }\n    ]\n  },\n  "search": {\n    "weights": [\n      0.4,\n      0.6\n    ]\n  }\n}\n`,
  },
  {
    client: "claude-code",
    formatting: "groups that open on the line of their bracket",
    text: `{\n  "hooks": {\n    "PreToolUse": [\n      { "matcher": "Write|Edit",\n        "hooks": [ { "type": "command",\n                     "command": "python3 /opt/check.py" } ] }\n    ]\n  }\n}\n`,
  },
  {
    client: "claude-code",
    formatting: "an empty matcher, and escapes for letters beyond ASCII",
    text: `{"hooks": {"UserPromptSubmit": [{"matcher": "", "hooks": [{"type": "command", "command": "echo \\u65e5\\u672c $(date -u +%FT%TZ)"}]}]}}`,
  },
  {
    client: "codex",
    formatting: "a description before the hooks",
    text: `{\n  "description": "Hooks of this workspace.",\n  "hooks": {\n    "PostToolUse": [\n      {\n        "matcher": "Edit|Write",\n        "hooks": [\n          {\n            "type": "command",\n            "command": "uv run python \\"$(git rev-parse --show-toplevel)/.codex/size.py\\"",\n            "timeout": 10,\n            "statusMessage": "Checking size"\n          }\n        ]\n      }\n    ]\n  }\n}\n`,
  },
  {
    client: "codex",
    formatting: "sorted members, with the matcher after the hooks",
    text: `{\n  "hooks": {\n    "PreCompact": [\n      {\n        "hooks": [\n          {\n            "command": "notes hook PreCompact",\n            "statusMessage": "Checking notes",\n            "type": "command"\n          }\n        ],\n        "matcher": "manual|auto"\n      }\n    ]\n  }\n}\n`,
  },
  {
    client: "codex",
    formatting: "fields of another client in the entries",
    text: `{\n  "hooks": {\n    "SessionStart": [\n      {\n        "hooks": [\n          {\n            "type": "command",\n            "command": "$HOME/start.sh",\n            "shell": "bash",\n            "async": false\n          }\n        ]\n      }\n    ]\n  }\n}\n`,
  },
  {
    client: "gemini-cli",
    formatting: "many settings, no hooks, no line end",
    text: `{\n  "ide": {\n    "hasSeenNudge": true\n  },\n  "security": {\n    "auth": {\n      "selectedType": "oauth-personal"\n    }\n  },\n  "ui": {\n    "theme": "GitHub"\n  },\n  "mcpServers": {\n    "docs": {\n      "httpUrl": "https://mcp.example/mcp"\n    }\n  }\n}`,
  },
  {
    client: "gemini-cli",
    formatting: "entries without a group",
    text: `{\n  "hooks": {\n    "SessionStart": [\n      {\n        "type": "command",\n        "command": "git config core.hooksPath .githooks"\n      }\n    ]\n  }\n}\n`,
  },
  {
    client: "gemini-cli",
    formatting: "a comment of another language before the object",
    text: `# settings of this project\n{\n  "mcpServers": {}\n}\n`,
    refused: true,
  },
  {
    client: "gemini-cli",
    formatting: "an object of switches beside the hooks",
    text: `{\n    "tools": {\n        "enableHooks": true\n    },\n    "hooks": {\n        "enabled": true,\n        "BeforeTool": [\n            {\n                "matcher": "write_file|replace",\n                "hooks": [\n                    { "name": "secrets", "type": "command", "command": "./scan.sh", "timeout": 5000 }\n                ]\n            }\n        ]\n    }\n}\n`,
  },
  {
    client: "qwen-code",
    formatting: "a version as the last member",
    text: `{\n  "mcpServers": {\n    "lisp": {\n      "command": "lisp-mcp",\n      "args": ["--log", "mcp.log", "--verbose"],\n      "env": {\n        "PORT": "9991"\n      }\n    }\n  },\n  "$version": 2\n}\n`,
  },
  {
    client: "qwen-code",
    formatting: "brackets, commas and quotes inside texts, no line end",
    text: `{\n  "permissions": {\n    "allow": [\n      "Bash('=', *)",\n      "Bash('\\"')",\n      "Bash(})",\n      "Bash(,)",\n      "Bash([\\"1\\"]})"\n    ]\n  },\n  "$version": 3\n}`,
  },
  {
    client: "qwen-code",
    formatting: "a byte order mark",
    text: `\ufeff{\n  "model": {\n    "name": "coder"\n  }\n}\n`,
  },
  {
    client: "qwen-code",
    formatting: "line ends of Windows and tabs",
    text: `{\r\n\t"tools": {\r\n\t\t"approvalMode": "yolo"\r\n\t},\r\n\t"hooks": {\r\n\t\t"Stop": [{ "hooks": [{ "type": "command", "command": "true" }] }]\r\n\t}\r\n}\r\n`,
  },
  {
    client: "droid",
    formatting: "events at the root",
    text: `{\n  "PostToolUse": [\n    {\n      "matcher": "Edit",\n      "hooks": [\n        {\n          "type": "command",\n          "command": "npx prettier --write .",\n          "timeout": 30\n        }\n      ]\n    }\n  ]\n}\n`,
  },
  {
    // droid does not read them there, and reads events at the root beside them.
    client: "droid",
    formatting: "events in an object of hooks, no line end",
    text: `{\n  "hooks": {\n    "PreToolUse": [\n      {\n        "hooks": [\n          {\n            "type": "command",\n            "command": "gate hook PreToolUse",\n            "timeout": 30\n          }\n        ],\n        "matcher": "Execute|mcp__.*"\n      }\n    ]\n  }\n}`,
  },
  {
    client: "droid",
    formatting: "uneven indentation",
    text: `{\n    "PostToolUse": [\n      {\n          "matcher": "",\n          "hooks": [\n            {\n                "type": "command",\n                "command": "cat >/dev/null || true"\n            }\n          ]\n      }\n      ]\n  }\n`,
  },
  {
    client: "droid",
    formatting: "a command in the place of an event's list",
    text: `{\n  "PreToolUse": "./cli hook PreToolUse droid"\n}\n`,
    refused: true,
  },
  {
    client: "claude-code",
    formatting: "a command in the place of an event's list",
    text: `{\n  "hooks": {\n    "PreToolUse": "./cli hook PreToolUse"\n  }\n}\n`,
    refused: true,
  },
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

test.each(ofClients)(
  "$client has its file back byte for byte: $formatting",
  async ({ client, text, refused }) => {
    const place = userPlace(client);
    await mkdir(dirname(place.path), { recursive: true });
    await writeFile(place.path, text);
    if (refused) {
      await expect(install(client, place)).rejects.toMatchObject({ code: "settings-invalid" });
      expect(await contents(place.path)).toBe(text);
      return;
    }
    await install(client, place);
    const installed = (await contents(place.path)) ?? "";
    expect(installed).toContain("agent-hook.js");
    await uninstall(client, place);
    expect(await contents(place.path)).toBe(text);
    // Without the record of the installation, only the texts between ours and theirs are left to go by.
    await writeFile(place.path, installed);
    await rm(join(made.path, "state"), { recursive: true, force: true });
    await uninstall(client, place);
    const left = (await contents(place.path)) ?? "";
    expect(left).not.toContain("agent-hook.js");
    const plain = (json: string): unknown =>
      parse(json.replace(/^\ufeff/, ""), [], { allowTrailingComma: true });
    expect(plain(left)).toEqual(plain(text));
  },
);

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

describe.each(["linux", "darwin"] as const)("settings of the whole machine on %s", (platform) => {
  const managed = clientNames.flatMap((client) => {
    const place = placesOf(client, { cwd: "/", platform }).find(({ scope }) => scope === "managed");
    return place ? [{ client, place }] : [];
  });

  test.each(managed)("$client has them back byte for byte", async ({ client, place }) => {
    const here: Place = { ...place, path: join(made.path, place.path) };
    const file = here.kind === "file" ? here.path : join(here.path, "other.json");
    const text = '{\n  // set by the administrator\n  "permissions": {}\n}\n';
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text, { mode: 0o644 });
    await install(client, here);
    const written = here.kind === "file" ? file : join(here.path, "hookwarden.json");
    expect(await contents(written)).toContain("agent-hook.js");
    // Copilot ignores a policy that others than its owner can write.
    expect((await stat(written)).mode & 0o022).toBe(0);
    await uninstall(client, here);
    expect(await contents(file)).toBe(text);
    if (here.kind === "folder") expect(await readdir(here.path)).toEqual(["other.json"]);
  });
});
