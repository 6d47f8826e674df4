/**
 * Decides events of hostile and honest hooks with a log, and makes the decisions again where the engine is in another
 * state: warm, cold, after its process was killed, and in this process. What differs is counted by hook and fault.
 */
import { createReadStream, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Call, defaultLimits, type Sandbox } from "@hookwarden/sandbox";
import { createProcessSandbox } from "@hookwarden/sandbox/process";
import { createQuickjsSandbox } from "@hookwarden/sandbox/quickjs";
import { HookwardenError } from "../../src/errors/index.ts";
import { createWarden, type Warden } from "../../src/warden/index.ts";
import type { LoadedPack } from "../../src/pack/types.ts";
import { replayLog } from "../../src/replay/replay.ts";
import { completePack } from "../../src/pack/assemble.ts";
import { compileEach } from "../../src/compile/compile-scripts.ts";
import { folderSource } from "../../src/files/folder.ts";
import { readManifests } from "../../src/pack/load.ts";
import { moody } from "../log/packs.ts";
import { hostileScripts, writeHostilePack } from "./hostile-corpus.ts";

export interface ReplayTrialOptions {
  readonly decisions: number;
  /** Chooses the order of the hooks, and their events. */
  readonly seed: number;
  /** Most hostile hooks; they are chosen evenly from the corpus. Default: all. */
  readonly hostile?: number;
  /** How many hooks are replayed between two kills, or in one cold sandbox. Default 1. */
  readonly every?: number;
}

export type ReplayState = (typeof replayStates)[number];
export const replayStates = ["warm", "cold", "after kills", "inline"] as const;

export interface ReplayTrialResult {
  readonly decided: number;
  /** Faults of the decisions that were recorded, by code. */
  readonly faults: { readonly [code: string]: number };
  readonly replays: readonly {
    readonly state: ReplayState;
    readonly same: number;
    readonly different: number;
    /** How often each difference occurred, by hook, place and both values. */
    readonly causes: { readonly [cause: string]: number };
  }[];
}

/** What the corpus does not have: programs whose loading decides what their calls see or cost. */
const loadHooks: { readonly [name: string]: string } = {
  "load-throws": "throw new Error('at load'); export default () => null;",
  "load-does-not-parse": "export default (",
  "load-jobs":
    "let ready = 0; Promise.resolve().then(() => { ready++; }); (async () => { await 0; await 0; ready++; })(); export default () => ({ action: 'deny', reason: String(ready) });",
  "load-storm": "await { then(done) { done({ then: this.then }); } }; export default () => null;",
  "load-allocates":
    "const table = Array.from({ length: 2e4 }, (_, i) => ({ i })); export default () => ({ action: 'deny', reason: String(table.length) });",
  busy: "export default (event) => { let sum = 0; for (let i = 0; i < event.tool_input.command.length * 1000; i++) sum += i; return null; };",
  plain: "export default () => { throw new Error('plain'); };",
};

interface Subject {
  readonly name: string;
  readonly pack: LoadedPack;
  readonly log: string;
}

/** @throws {Error} where a log is broken */
export async function runReplayTrial(options: ReplayTrialOptions): Promise<ReplayTrialResult> {
  const root = mkdtempSync(join(tmpdir(), "hookwarden-replay-"));
  try {
    const subjects = await subjectsIn(root, options.hostile ?? Infinity);
    await using sandbox = await createProcessSandbox({ engine: "quickjs", processes: 2 });
    const faults = await decide(subjects, sandbox, options);
    const decided = subjects.filter(({ log }) => existsSync(log));
    const replays: ReplayTrialResult["replays"][number][] = [];
    for (const state of replayStates)
      replays.push({
        state,
        ...(await replay(decided, state, { warm: sandbox, every: options.every ?? 1 })),
      });
    return { decided: options.decisions, faults, replays };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** One pack for each hook, so that no hook's verdict keeps another one from running. */
async function subjectsIn(root: string, hostile: number): Promise<Subject[]> {
  const scripts = hostileScripts.filter(({ event }) => event === "PreToolUse");
  const step = Math.max(1, scripts.length / hostile);
  const folders = Array.from({ length: Math.min(hostile, scripts.length) }, (_, index) =>
    writeHostilePack(root, scripts[Math.floor(index * step)]!),
  );
  for (const [name, source] of Object.entries(loadHooks)) folders.push(writePack(root, name, source));
  for (const [name, { script, manifest }] of Object.entries(moody))
    folders.push(writePack(root, name, script, manifest));
  const name = (folder: string): string => folder.slice(root.length + 1);
  const entries = folders.map((folder) => ({ name: name(folder), path: `${name(folder)}/hostile/hook.js` }));
  const bundled = await compileEach(root, entries, { compileTimeoutMs: 200_000 });
  const subjects: Subject[] = [];
  for (const [index, folder] of folders.entries()) {
    const one = bundled[index]!;
    // The bundler refused it: there is nothing to run.
    if (one instanceof HookwardenError) continue;
    const source = await folderSource(folder);
    const { manifest, hooks } = await readManifests(source);
    // A replay finds what was recorded by the hook's name, which is the program's.
    const program = { ...one.program, name: "hostile" };
    const pack = completePack(manifest, hooks, [program], source.root);
    subjects.push({ name: name(folder), pack, log: join(root, `${index}.jsonl`) });
  }
  return subjects;
}

function writePack(root: string, name: string, source: string, more: object = {}): string {
  const folder = join(root, name);
  mkdirSync(join(folder, "hostile"), { recursive: true });
  const manifest = {
    apiVersion: 1,
    name: "hostile",
    version: "1.0.0",
    entry: "hook.js",
    on: [{ event: "PreToolUse" }],
    reads: ["*"],
    actions: ["deny", "ask", "notify", "modify_input", "set_state"],
    state: { scope: "session", maxBytes: 1_024 },
    limits: { wallMs: 2_000 },
    ...more,
  };
  writeFileSync(join(folder, "hostile", "hook.js"), source);
  writeFileSync(join(folder, "hostile", "hook.json"), JSON.stringify(manifest));
  writeFileSync(join(folder, "hookwarden.json"), JSON.stringify({ apiVersion: 1, hooks: ["hostile"] }));
  return folder;
}

async function decide(
  subjects: readonly Subject[],
  sandbox: Sandbox,
  { decisions, seed }: ReplayTrialOptions,
): Promise<{ [code: string]: number }> {
  const random = generator(seed);
  const faults: { [code: string]: number } = {};
  const wardens = new Map<Subject, Warden>();
  try {
    for (let index = 0; index < decisions; index++) {
      // Each of them once, then in any order.
      const subject = subjects[index < subjects.length ? index : random() % subjects.length]!;
      let warden = wardens.get(subject);
      if (!warden) {
        warden = await createWarden({ pack: subject.pack, sandbox, log: subject.log });
        wardens.set(subject, warden);
      }
      const command = ["ls -la", "sudo rm -rf /tmp/x", "boom", "x".repeat(1 + (random() % 40))][random() % 4];
      const { trace } = await warden.dispatch(
        {
          hook_event_name: "PreToolUse",
          session_id: `s${random() % 5}`,
          tool_name: "Bash",
          tool_input: { command },
        },
        { tenant: `t${random() % 3}` },
      );
      const code = trace[0]?.fault?.code ?? "none";
      faults[code] = (faults[code] ?? 0) + 1;
    }
  } finally {
    for (const warden of wardens.values()) await warden[Symbol.asyncDispose]();
  }
  return faults;
}

async function replay(
  subjects: readonly Subject[],
  state: ReplayState,
  { warm, every }: { readonly warm: Sandbox; readonly every: number },
): Promise<Omit<ReplayTrialResult["replays"][number], "state">> {
  const causes: { [cause: string]: number } = {};
  let same = 0;
  let different = 0;
  let own: Sandbox | null = null;
  try {
    for (const [index, { name, pack, log }] of subjects.entries()) {
      const isTurn = index % every === 0;
      if (own === null || (state === "cold" && isTurn)) {
        await own?.[Symbol.asyncDispose]();
        own =
          state === "inline"
            ? await createQuickjsSandbox()
            : await createProcessSandbox({ engine: "quickjs", processes: 1, spares: 0 });
      }
      if (state === "after kills" && isTurn) await killChild(own);
      const sandbox = state === "warm" ? warm : own;
      for await (const { result, difference } of replayLog(createReadStream(log), {
        packs: [pack],
        sandbox: () => sandbox,
      })) {
        if (result === "same") same++;
        if (!difference) continue;
        different++;
        const cause = `${name} ${difference.pointer}: ${difference.logged} -> ${difference.replayed}`;
        causes[cause] = (causes[cause] ?? 0) + 1;
      }
    }
  } finally {
    await own?.[Symbol.asyncDispose]();
  }
  return { same, different, causes };
}

/** A hook that no engine can stop has its process killed; whatever comes next runs in a new one. */
async function killChild(sandbox: Sandbox): Promise<void> {
  const source = "export default () => new Array(2 ** 28).join();";
  const call: Call = {
    program: { key: `killer ${Math.random()}`, name: "killer", source },
    tenant: "t0",
    handler: "PreToolUse",
    args: ["{}", "{}"],
    time: 0,
    seed: [1, 2, 3, 4],
    limits: { ...defaultLimits, wallMs: 1, steps: 500_000_000 },
  };
  const outcome = await sandbox.call(call);
  if (outcome.ok || !outcome.killed) throw new Error("the process was not killed");
}

/** Numbers of 31 bits, the same for the same seed. */
function generator(seed: number): () => number {
  let state = (seed % 2_147_483_646) + 1;
  return () => (state = (state * 48_271) % 2_147_483_647) >> 3;
}
