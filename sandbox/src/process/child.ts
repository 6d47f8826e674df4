/**
 * The program of a child process: reads calls from standard input, runs them in an engine, writes answers to standard
 * output. It blocks or spins while it reads, which keeps round trips short, and holds nothing that must be saved, so that
 * it can be killed at any moment.
 *
 * Arguments: name of the engine, options as JSON, and for tests the path of a module that stands in for the engine.
 */
import { readSync, writeSync } from "node:fs";
import type { EngineName, RealmKind, Sandbox } from "../contract.ts";
import { EngineMissingError } from "../engine-missing.ts";
import { SpinningStdin } from "./spinning-stdin.ts";
import { CallGroups } from "./call-groups.ts";
import { protocolVersion, RequestReader } from "./request.ts";
import { StdinSource } from "./stdin-source.ts";
import { warmUp } from "./warm-up.ts";
import {
  writeInspection,
  writeLoad,
  writeMissing,
  writeOutcome,
  writeReady,
  writeSkipped,
} from "./write-reply.ts";

interface EngineModule {
  createSandbox(options: unknown): Promise<Sandbox>;
}

async function loadEngine(
  name: EngineName,
  options: { pristine?: boolean; realm?: RealmKind; onLoad?: (begins: boolean) => void },
  modulePath: string | undefined,
): Promise<Sandbox> {
  if (modulePath !== undefined) return ((await import(modulePath)) as EngineModule).createSandbox(options);
  if (name === "isolate") return (await import("../isolate/index.ts")).createIsolateSandbox(options);
  return (await import("../quickjs/index.ts")).createQuickjsSandbox(options);
}

/** Gives up the process's permissions, where the version of Node.js can: from here on not even this module can read a file. */
function dropRights(): void {
  const permission = process.permission as { drop?(scope: string): void } | undefined;
  for (const scope of ["fs.read", "fs.write", "addon", "child", "worker", "wasi", "inspector", "net"]) {
    try {
      permission?.drop?.(scope);
    } catch {
      // This version does not know the scope.
    }
  }
}

/** Writes the whole text. The descriptor blocks: a slow parent only makes this child wait. */
function send(text: string): void {
  if (text.length < 16_384) {
    const size = Buffer.byteLength(text);
    if (writeSync(1, text) === size) return;
    // A short write of a small frame does not happen on a blocking pipe; if it does, the stream is beyond repair.
    process.exit(1);
  }
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
    }
  }
}

/** Reading blocks the event loop, so it runs only when the engine waits for it, and after this many calls for V8's own tasks. */
const callsPerTurn = 1_000;

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

interface ChildOptions {
  readonly pristine?: boolean;
  readonly realm?: RealmKind;
  readonly spinUs: number;
}

/** Loads the engine; reports one that is not installed, and exits. */
async function startEngine(...parts: Parameters<typeof loadEngine>): Promise<Sandbox> {
  try {
    return await loadEngine(...parts);
  } catch (error) {
    if (!(error instanceof EngineMissingError)) throw error;
    send(writeMissing(error.message));
    process.exit(69);
  }
}

async function main(): Promise<void> {
  const [name, json, modulePath] = process.argv.slice(2) as [EngineName, string, string?];
  const { spinUs, ...options } = JSON.parse(json) as ChildOptions;
  /** Id of the running call; the parent has separate deadlines for loading and running it. */
  let running: number | null = null;
  let reported: "nothing" | "loading" | "running" = "nothing";
  // Reported once a call: a program that a frozen realm cannot take is loaded again in a fresh one.
  const onLoad = (begins: boolean): void => {
    if (running === null || reported !== (begins ? "nothing" : "loading")) return;
    reported = begins ? "loading" : "running";
    send(writeLoad(running, begins));
  };
  const engine = await startEngine(name, { ...options, onLoad }, modulePath);
  dropRights();
  send(writeReady(engine.version, protocolVersion));
  let calls = 0;
  const source = new StdinSource(readSync);
  const spinning = SpinningStdin.open(source, spinUs);
  // Warm up while idle; stop when a request is pending. A child that blocks on reads cannot know, and skips it.
  if (engine.engine === "quickjs" && modulePath === undefined) {
    await warmUp(engine, () => spinning !== null && source.poll(0));
  }
  const requests = new RequestReader(source);
  const groups = new CallGroups();
  for (;;) {
    const ready = spinning?.next() ?? true;
    if (ready !== true) await ready;
    const request = requests.next();
    if (request === null) break;
    if (request.kind === "group") groups.add(request.group, request.options);
    else if (request.kind === "call") {
      const { id, group } = request;
      const call = groups.next(group, request.call);
      if (call === null) {
        send(writeSkipped(id));
        continue;
      }
      running = id;
      reported = "nothing";
      const answer = engine.call(call);
      const outcome = answer instanceof Promise ? await answer : answer;
      running = null;
      send(writeOutcome(id, outcome, call.limits));
      groups.answered(group, outcome);
      engine.tidy?.();
      if (outcome !== answer || ++calls % callsPerTurn === 0) await turn();
    } else if (request.kind === "inspect") {
      const { id, program, limits, tenant } = request;
      send(writeInspection(id, await engine.inspect(program, limits, tenant)));
    } else if (request.kind === "forget") engine.forget(request.program.key);
  }
  process.exit(0);
}

// Node.js exits when nothing is pending in the middle of a call; that is not success.
process.exitCode = 70;
main().catch((error: unknown) => {
  // For debugging only: the parent keeps the end of it, and does not pass it on.
  try {
    writeSync(2, `${error instanceof Error ? error.stack : String(error)}\n`);
  } catch {
    // The parent is gone.
  }
  process.exit(70);
});
