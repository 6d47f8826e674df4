import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { folder } from "../../../../test/cli/cli.ts";
import type { ClientName } from "../../src/clients/index.ts";
import { findClients, type FoundClient } from "../../src/settings/find-clients.ts";

let made: Awaited<ReturnType<typeof folder>>;
beforeEach(async () => {
  made = await folder();
  // No client of this machine is asked for its version.
  vi.stubEnv("PATH", made.path);
  vi.stubEnv("CODEX_HOME", join(made.path, "codex"));
  vi.stubEnv("COPILOT_HOME", join(made.path, "copilot"));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await made[Symbol.asyncDispose]();
});

async function found(client: ClientName, path: string, text: string): Promise<FoundClient> {
  const file = join(made.path, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  const all = await findClients(join(made.path, "project"));
  return all.find(({ name }) => name === client)!;
}

test.each([
  [
    "codex",
    "codex/config.toml",
    '[[hooks.PreToolUse]]\nmatcher = "^Bash$"\n[[hooks.PreToolUse.hooks]]\ntype = "command"\ncommand = "guard"\n',
    "PreToolUse",
  ],
  [
    "codex",
    "project/.codex/config.toml",
    '[hooks]\nStop = [{ hooks = [{ type = "command", command = "guard" }] }]',
    "Stop",
  ],
  [
    "copilot-cli",
    "copilot/settings.json",
    '{"hooks":{"preToolUse":[{"type":"command","bash":"guard"}]}}',
    "preToolUse",
  ],
] as const)("lists the hooks of others: %s: %s", async (client, path, text, event) => {
  const { places } = await found(client, path, text);
  const place = places.find((one) => one.path === join(made.path, path));
  expect(place).toMatchObject({ state: "read", hooks: [{ event, command: "guard", ours: false }] });
});

test("says which settings turn hooks off", async () => {
  const { off } = await found("codex", "codex/config.toml", "[features]\nhooks = false\n");
  expect(off).toEqual([
    { setting: "features.hooks = false", path: join(made.path, "codex/config.toml"), state: "off" },
  ]);
});
