import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { folder } from "../../../../test/cli/cli.ts";
import { type ClientName, clientNames } from "../../src/clients/index.ts";
import type { Scope } from "../../src/settings/places.ts";
import { describeSwitch, findSwitches, type FoundSwitch } from "../../src/settings/switches.ts";

let made: Awaited<ReturnType<typeof folder>>;
beforeEach(async () => {
  made = await folder();
});
afterEach(() => made[Symbol.asyncDispose]());

async function write(path: string, text: string): Promise<void> {
  const file = join(made.path, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

function find(
  client: ClientName,
  { env = {}, installed = ["user"] }: { env?: NodeJS.ProcessEnv; installed?: readonly Scope[] } = {},
): Promise<FoundSwitch[]> {
  return findSwitches(client, { cwd: join(made.path, "project"), home: made.path, env }, installed);
}

/** Attack: a setting beside the hooks, in a file of the user or of the repository, turns every policy off silently. */
const off: readonly (readonly [ClientName, string, string, string])[] = [
  ["claude-code", ".claude/settings.json", '{ "disableAllHooks": true, }', "disableAllHooks = true"],
  [
    "claude-code",
    "project/.claude/settings.local.json",
    '{"disableAllHooks":true}',
    "disableAllHooks = true",
  ],
  ["codex", ".codex/config.toml", "[features]\nhooks = false\n", "features.hooks = false"],
  ["codex", ".codex/config.toml", "features.hooks = false", "features.hooks = false"],
  ["codex", ".codex/config.toml", "features = { web = true, hooks = false }", "features.hooks = false"],
  ["codex", "project/.codex/config.toml", "[features]\ncodex_hooks = false", "features.codex_hooks = false"],
  [
    "codex",
    ".codex/config.toml",
    "[profiles.fast.features]\nhooks = false",
    "profiles.*.features.hooks = false",
  ],
  ["gemini-cli", ".gemini/settings.json", '{"hooksConfig":{"enabled":false}}', "hooksConfig.enabled = false"],
  [
    "gemini-cli",
    "project/.gemini/settings.json",
    '// mine\n{"hooksConfig":{"disabled":["other","hookwarden"]}}',
    'hooksConfig.disabled = "hookwarden"',
  ],
  ["qwen-code", ".qwen/settings.json", '\ufeff{"disableAllHooks":true}', "disableAllHooks = true"],
  ["copilot-cli", ".copilot/hooks/hookwarden.json", '{"disableAllHooks":true}', "disableAllHooks = true"],
  [
    "copilot-cli",
    "project/.github/copilot/settings.local.json",
    '{"disableAllHooks":true}',
    "disableAllHooks = true",
  ],
  ["droid", ".factory/settings.json", '{"hooks":{"hooksDisabled":true}}', "hooks.hooksDisabled = true"],
  ["droid", ".factory/hooks.json", '{"hooksDisabled":true,"PreToolUse":[]}', "hooksDisabled = true"],
];

describe("settings that turn hooks off", () => {
  test.each(off)("%s: %s: %s", async (client, path, text, setting) => {
    expect(await find(client)).toEqual([]);
    await write(path, text);
    expect(await find(client)).toEqual([{ setting, path: join(made.path, path), state: "off" }]);
  });

  test.each([
    ["claude-code", "CLAUDE_CODE_SIMPLE"],
    ["qwen-code", "QWEN_CODE_SAFE_MODE"],
    ["opencode", "OPENCODE_PURE"],
  ] as const)("%s: the environment variable %s", async (client, variable) => {
    expect(await find(client, { env: { [variable]: "0" } })).toEqual([]);
    const [found, ...rest] = await find(client, { env: { [variable]: "1" } });
    expect(rest).toEqual([]);
    expect(describeSwitch(found!)).toBe(`hooks are off: ${variable}=1 in the environment`);
  });

  test("does not count where it spares the hooks that are installed", async () => {
    await write(".claude/settings.json", '{"disableAllHooks":true}');
    expect(await find("claude-code", { installed: ["managed"] })).toEqual([]);
    expect(await find("claude-code", { installed: ["user", "project"] })).toHaveLength(1);
    const env = { OPENCODE_DISABLE_PROJECT_CONFIG: "1" };
    expect(await find("opencode", { env, installed: ["project"] })).toHaveLength(1);
    expect(await find("opencode", { env })).toEqual([]);
  });

  test("a file that cannot be parsed is reported once, because what it says is unknown", async () => {
    await write(".codex/config.toml", "[features\nhooks = false");
    const [found, ...rest] = await find("codex");
    expect(rest).toEqual([]);
    expect(found).toMatchObject({ state: "unreadable" });
  });

  test("other settings are no switches, whatever they hold", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...clientNames),
        fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$|^__proto__$|^constructor$/), fc.jsonValue(), {
          maxKeys: 5,
        }),
        async (client, settings) => {
          for (const path of [".claude/settings.json", ".gemini/settings.json", ".factory/settings.json"])
            await write(path, JSON.stringify(settings));
          expect(await find(client)).toEqual([]);
        },
      ),
      { seed: 20, numRuns: 40 },
    );
  });
});
