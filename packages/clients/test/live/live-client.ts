import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ClientName } from "../../src/clients/index.ts";
import { hookDefaults, type HookOptions } from "../../src/hook/hook-options.ts";
import { programs } from "../../src/hook/programs.ts";
import { type ClientRun, runClient } from "../../src/launch/run-client.ts";
import { shellCall } from "../../src/launch/tools.ts";
import { type Conversation, type Script, startModelServer } from "../../src/model-server/index.ts";
import { applyChange, planInstall } from "../../src/settings/plan.ts";
import { placesOf } from "../../src/settings/places.ts";
import type { HookPrograms } from "../../src/settings/command.ts";
import { write } from "../../../../test/cli/cli.ts";
import { type PackHook, packFiles } from "../claude-code/hook-pack.ts";

/** One client in folders of its own, with a hook installed as a person would install it. */
export interface LiveSession extends ClientRun {
  readonly ms: number;
  /** Whether the canary command left its file. */
  readonly ran: boolean;
  readonly conversations: readonly Conversation[];
  /** What the model was shown as results of tools. */
  readonly results: readonly string[];
  /** Everything that the model was shown beside results. */
  readonly prompts: string;
}

export interface LiveOptions {
  readonly client: ClientName;
  readonly binary: string;
  /** Hook of the pack; none installs nothing. */
  readonly hook?: PackHook;
  readonly script?: (place: LivePlace) => Script;
  readonly options?: Partial<HookOptions>;
  readonly programs?: HookPrograms;
  readonly prompt?: string;
  /** Called before the client starts. */
  readonly prepare?: (place: LivePlace) => Promise<void>;
  readonly timeoutMs?: number;
  /** Called after the client has ended, before its folders go away. */
  readonly finish?: (place: LivePlace) => Promise<void>;
}

export interface LivePlace {
  readonly home: string;
  readonly cwd: string;
  readonly pack: string;
  /** The file that the canary command makes. */
  readonly canary: string;
  readonly hook: HookOptions;
}

/** What the canary command prints. */
export const secret = "secret-of-42";

export const callShellOnce =
  ({ canary }: LivePlace): Script =>
  ({ rounds, tools }) => {
    const call = rounds === 0 ? shellCall(tools, `printf 'secret-of-%s\\n' 42; touch ${canary}`) : null;
    return call ? { calls: [call] } : { text: "done" };
  };

/** Runs one session of the real client against a stand-in for its model. */
export async function liveSession(live: LiveOptions): Promise<LiveSession> {
  // Not below /tmp: Codex refuses a home there.
  const home = await mkdtemp(join(process.env["HOOKWARDEN_LIVE_TMP"] ?? "/var/tmp", "hookwarden-live-"));
  const state = process.env["XDG_STATE_HOME"];
  try {
    const cwd = join(home, "project");
    const pack = join(home, "pack");
    await mkdir(cwd, { recursive: true });
    const hook: HookOptions = {
      ...hookDefaults,
      client: live.client,
      pack,
      idleSeconds: 3,
      isolation: "inline",
      state: join(home, "state"),
      ...live.options,
    };
    const place: LivePlace = { home, cwd, pack, canary: join(cwd, "canary"), hook };
    if (live.hook) {
      await write(pack, packFiles(live.hook));
      process.env["XDG_STATE_HOME"] = join(home, ".state");
      const [user] = placesOf(live.client, { cwd, home, env: {} }).filter(({ scope }) => scope === "user");
      const { client } = programs();
      const changes = await planInstall(hook, live.programs ?? { node: process.execPath, client }, user!);
      for (const change of changes) await applyChange(change);
    }
    await live.prepare?.(place);
    await using server = await startModelServer((live.script ?? callShellOnce)(place));
    const start = Date.now();
    const run = await runClient({
      client: live.client,
      binary: live.binary,
      home,
      cwd,
      url: server.url,
      prompt: live.prompt ?? "touch a file",
      timeoutMs: live.timeoutMs ?? 120_000,
    });
    await live.finish?.(place);
    const last = server.conversations.at(-1);
    return {
      ...run,
      ms: Date.now() - start,
      ran: existsSync(place.canary),
      conversations: [...server.conversations],
      results: last?.results ?? [],
      prompts: server.conversations.map(({ prompt }) => prompt).join("\n"),
    };
  } finally {
    if (state === undefined) delete process.env["XDG_STATE_HOME"];
    else process.env["XDG_STATE_HOME"] = state;
    await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }).catch(() => undefined);
  }
}
