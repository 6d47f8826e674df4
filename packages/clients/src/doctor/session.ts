import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ClientName } from "../clients/index.ts";
import { hookDefaults, type HookOptions } from "../hook/hook-options.ts";
import { endProcessesOf } from "./end-processes.ts";
import { type ClientRun, runClient } from "../launch/run-client.ts";
import { type Conversation, type Script, startModelServer } from "../model-server/index.ts";
import type { HookPrograms } from "../settings/command.ts";
import { planInstall } from "../settings/plan.ts";
import { placesOf } from "../settings/places.ts";

/** The folders of one session, which go away after it. */
export interface SessionPlace {
  readonly home: string;
  readonly cwd: string;
  readonly pack: string;
  /** The file that a canary call makes if it runs. */
  readonly canary: string;
  /** The options of the hook, if one is installed here. */
  readonly hook: HookOptions;
}

export interface SessionOptions {
  readonly client: ClientName;
  /** Path of the client's program. */
  readonly binary: string;
  readonly script: (place: SessionPlace) => Script;
  /** Called before the client starts. What it returns is disposed of after the client has ended. */
  readonly prepare?: (place: SessionPlace) => Promise<AsyncDisposable | void>;
  /** Called after the client has ended, before the folders go away. */
  readonly finish?: (place: SessionPlace) => Promise<void>;
  readonly hook?: Partial<HookOptions>;
  readonly prompt?: string;
  /** See `LaunchOptions`. */
  readonly patches?: boolean;
  /** Serves the canary tool by MCP. */
  readonly mcp?: (place: SessionPlace) => readonly [string, ...string[]];
  /** After how many milliseconds the client is killed. Default 120,000. */
  readonly timeoutMs?: number;
}

export interface Session extends ClientRun {
  readonly ms: number;
  /** Whether the canary call ran. */
  readonly ran: boolean;
  readonly conversations: readonly Conversation[];
}

/** Where sessions have their folders: not below `/tmp`, where Codex refuses to have a home. */
const parent = process.platform === "linux" ? "/var/tmp" : "/private/var/tmp";

/** Runs one session of a real client in folders of its own, against a stand-in for its model. */
export async function runSession(options: SessionOptions): Promise<Session> {
  const home = await mkdtemp(join(parent, "hookwarden-doctor-"));
  try {
    const cwd = join(home, "project");
    const pack = join(home, "pack");
    await mkdir(cwd);
    const hook: HookOptions = {
      ...hookDefaults,
      client: options.client,
      pack,
      idleSeconds: 3,
      state: join(home, "state"),
      ...options.hook,
    };
    const place: SessionPlace = { home, cwd, pack, canary: join(cwd, "canary"), hook };
    await using _ = (await options.prepare?.(place)) ?? nothing;
    await using server = await startModelServer(options.script(place));
    const start = Date.now();
    const run = await runClient({
      client: options.client,
      binary: options.binary,
      home,
      cwd,
      url: server.url,
      prompt: options.prompt ?? "Do what the tests need.",
      timeoutMs: options.timeoutMs ?? 120_000,
      ...(options.patches === undefined ? {} : { patches: options.patches }),
      ...(options.mcp ? { mcp: options.mcp(place) } : {}),
    });
    const ms = Date.now() - start;
    await options.finish?.(place);
    return { ...run, ms, ran: existsSync(place.canary), conversations: [...server.conversations] };
  } finally {
    await endProcessesOf(home);
    await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }).catch(() => undefined);
  }
}

const nothing: AsyncDisposable = { [Symbol.asyncDispose]: () => Promise.resolve() };

/**
 * Installs a hook for a session as `install` does for a person.
 *
 * @param events the client's events that get a hook. Default: all of them.
 */
export async function installIn(
  place: SessionPlace,
  programs: HookPrograms,
  events?: readonly string[],
): Promise<void> {
  const { home, cwd, hook } = place;
  const user = placesOf(hook.client, { cwd, home, env: {} }).find(({ scope }) => scope === "user");
  if (!user) throw new Error(`${hook.client} has no configuration of a user`);
  for (const { file, after, mode } of await planInstall(hook, programs, user, events)) {
    await mkdir(dirname(file.path), { recursive: true });
    await writeFile(file.path, after ?? "", { mode: mode ?? 0o600 });
  }
}
