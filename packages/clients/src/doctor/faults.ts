import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type ClientName, clients, type Json } from "../clients/index.ts";
import { serve } from "../daemon/serve.ts";
import { identityOf } from "../hook/identity.ts";
import { daemonFiles, runtimeFolder } from "../hook/runtime-folder.ts";
import { programs } from "../hook/programs.ts";
import type { Outcome } from "../hook/wire.ts";
import { shellCall } from "../launch/tools.ts";
import type { HookPrograms } from "../settings/command.ts";
import { denies, passes, writeCanaryPack } from "./canary-pack.ts";
import { installIn, runSession, type SessionPlace } from "./session.ts";

/** One way in which hookwarden itself can fail. */
export interface Fault {
  readonly name: string;
  /** What takes the place of the hook program: lines of a shell script. */
  readonly program?: string;
  /** Another path of Node or of the hook program. */
  readonly paths?: Partial<HookPrograms>;
  /** What the daemon answers; `null` for no answer. */
  readonly daemon?: (client: ClientName) => string | null;
  /** Breaks the place before the client starts. */
  readonly breaks?: (place: SessionPlace) => Promise<void>;
  readonly log?: string;
}

/** The fault that only the client's own deadline ends. */
export const hangingProgram = "the hook program itself hangs";

/** Time after which the hook refuses an event without a decision, in milliseconds. */
const deadlineMs = 4_000;

export const faults: readonly Fault[] = [
  { name: "exit 1", program: "exit 1" },
  { name: "exit 2, nothing on stderr", program: "exit 2" },
  { name: "exit 2, a text on stderr", program: "echo failed >&2; exit 2" },
  { name: "command not found", paths: { node: "/nonexistent/node" } },
  { name: "prints a text", daemon: () => "all is well" },
  { name: "prints broken JSON", daemon: () => '{"decision":' },
  { name: "prints two objects", daemon: (client) => `{}${JSON.stringify(denial(client, "no"))}` },
  {
    name: "an unknown field",
    daemon: (client) => JSON.stringify({ ...denial(client, "no"), unexpected: true }),
  },
  { name: "a denial without a reason", daemon: (client) => JSON.stringify(denial(client, "")) },
  { name: "hangs", daemon: () => null },
  { name: "crashes after half an answer", program: `printf '{"permissionDecision":"allow"'; kill -9 $$` },
  {
    name: "no daemon",
    breaks: async ({ home }) => {
      const folder = join(home, "run", "hookwarden");
      await mkdir(folder, { recursive: true });
      // A folder that others can write to is not used.
      await chmod(folder, 0o777);
    },
  },
  { name: "package removed", paths: { client: "/nonexistent/agent-hook.js" } },
  { name: "disk full", log: "/dev/full" },
  { name: hangingProgram, program: "exec sleep 90" },
];

/** What happened to a shell call while hookwarden failed. */
export interface FaultResult {
  readonly fault: string;
  /** `denied`: the model called the tool, and it did not run. `not reached`: the model was never asked. */
  readonly outcome: "denied" | "ran" | "not reached";
  readonly ms: number;
}

/**
 * Runs a real client once with a hook before tools that fails in one way. No other event has a hook, so that nothing else
 * can keep the tool from running.
 */
export async function tryFault(client: ClientName, binary: string, fault: Fault): Promise<FaultResult> {
  const ending = new AbortController();
  let called = false;
  const session = await runSession({
    client,
    binary,
    hook: { deadlineMs, ...(fault.log === undefined ? {} : { log: fault.log }) },
    script:
      ({ canary }) =>
      ({ rounds, tools }) => {
        const call = rounds === 0 ? shellCall(tools, `touch '${canary}'`) : null;
        called ||= call !== null;
        return call ? { calls: [call] } : { text: "done" };
      },
    prepare: async (place) => {
      // Only without a daemon is there a decision, and it must be the policy's own.
      await writeCanaryPack(place.pack, fault.name === "no daemon" ? denies : passes);
      await installIn(place, await programsOf(fault, place), preToolEvents(client));
      await fault.breaks?.(place);
      return fault.daemon ? failingDaemon(place, fault.daemon(client), ending) : undefined;
    },
  });
  return {
    fault: fault.name,
    outcome: session.ran ? "ran" : called ? "denied" : "not reached",
    ms: session.ms,
  };
}

/** The client's names of the event before a tool runs. */
function preToolEvents(client: ClientName): string[] {
  return Object.entries(clients[client].events)
    .filter(([, { event }]) => event === "PreToolUse")
    .map(([name]) => name);
}

async function programsOf(fault: Fault, { home }: SessionPlace): Promise<HookPrograms> {
  const own = { node: process.execPath, client: programs().client };
  if (fault.program === undefined) return { ...own, ...fault.paths };
  const script = join(home, "failing-hook.sh");
  await writeFile(script, `${fault.program}\n`);
  return { node: "/bin/sh", client: script };
}

/** Serves in the daemon's place, with its secrets, and answers every event in a fixed way. */
async function failingDaemon(
  { home, hook }: SessionPlace,
  answer: string | null,
  ending: AbortController,
): Promise<AsyncDisposable> {
  await mkdir(join(home, "run"), { recursive: true, mode: 0o700 });
  const identity = identityOf(hook, programs().daemon);
  const files = daemonFiles(runtimeFolder({ XDG_RUNTIME_DIR: join(home, "run") }), identity);
  const decide = (): Promise<Outcome> =>
    answer === null ? new Promise(() => undefined) : Promise.resolve({ exit: 0, out: answer, err: "" });
  const served = serve({ files, identity, decider: { decide }, idleSeconds: 600, deadlineMs }, ending.signal);
  served.catch(() => undefined);
  return {
    async [Symbol.asyncDispose]() {
      ending.abort();
      await served.catch(() => undefined);
    },
  };
}

/** The client's own form of a denial before a tool runs. */
function denial(client: ClientName, reason: string): Json {
  if (client === "claude-code") {
    return {
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "deny",
        ...(reason === "" ? {} : { permissionDecisionReason: reason }),
      },
    };
  }
  const row = Object.values(clients[client].events).find(({ event }) => event === "PreToolUse");
  return row?.answers.stop?.(reason, {}) ?? {};
}
