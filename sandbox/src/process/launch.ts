import type { ChildProcessByStdio } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { type ChildSpec, contain, killGroup, spawnContained } from "../containment/index.ts";
import { limitCeilings } from "../limits.ts";
import { childLocation } from "./child-location.ts";
import { closedStdio } from "./descriptors.ts";
import { largeStackLauncher, schedulingLauncher, smallStack } from "./launcher.ts";
import type { Settings } from "./options.ts";

export interface ChildEvents {
  error: [error: Error];
  exit: [code: number | null, signal: NodeJS.Signals | null];
}

/** A child process: this one's, or one that the fork server has started. */
export interface Child {
  readonly pid?: number | undefined;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  kill(signal: "SIGKILL"): boolean;
  once<Name extends keyof ChildEvents>(event: Name, tell: (...news: ChildEvents[Name]) => void): unknown;
}

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly stdio: ("pipe" | "ignore" | number)[];
  /** Filter for system calls, for the program that starts the child; `null` where there is none. */
  readonly filter: Uint8Array | null;
}

/** Most descriptors of a child: Node.js itself holds about 25. */
const descriptors = 128;

/** What a child needs of the machine, and the most that it may take. */
export function specOf(settings: Settings): ChildSpec {
  const { engine, childModule, engineModule, rssRetireBytes, rssMarginBytes } = settings;
  const { reads } = childLocation(engine);
  return {
    reads: [...reads, ...[childModule, engineModule].filter((path) => path !== undefined)],
    memoryBytes: rssRetireBytes + limitCeilings.memoryKb * 1_024 + rssMarginBytes,
    descriptors,
    startsProcesses: false,
  };
}

/** The command line and the environment of a child; made once for a pool. */
export async function launchOf(settings: Settings): Promise<Launch> {
  const { engine, childModule, engineModule } = settings;
  if (Number(process.versions.node.split(".")[0]) < 24) {
    throw new Error("child processes need Node.js 24 or newer");
  }
  const { script } = childLocation(engine);
  const spec = specOf(settings);
  const { line: walls, filter } = await contain(spec, settings.containment);
  // isolated-vm gives its isolates stacks of their own size.
  const stack = engine === "isolate" ? smallStack : await largeStackLauncher();
  const line = [
    ...stack.launcher,
    ...(settings.launcher ?? (await schedulingLauncher(settings.gather))),
    ...(settings.launcher && settings.containment === "none" ? [] : walls),
    process.execPath,
    "--permission",
    ...spec.reads.map((path) => `--allow-fs-read=${path}`),
    // isolated-vm is a native addon, and crashes where the process was made from Node's start-up snapshot.
    ...(engine === "isolate" ? ["--allow-addons", "--no-node-snapshot"] : []),
    // No inspector, neither by signal nor by flag: there is no environment to carry NODE_OPTIONS.
    "--disable-sigusr1",
    "--disallow-code-generation-from-strings",
    "--disable-proto=delete",
    "--no-warnings",
    // A guest's recursion in the engine is recursion on this stack.
    `--stack-size=${stack.v8StackKb}`,
    `--max-old-space-size=${settings.heapMb}`,
    // What a call leaves on V8's heap is a few kilobytes: more room for it would only be memory that is never given back.
    "--max-semi-space-size=4",
    childModule ?? script,
    engine,
    JSON.stringify({ pristine: settings.pristine, realm: settings.realm, spinUs: settings.spinUs }),
    ...(engineModule === undefined ? [] : [engineModule]),
  ];
  return {
    command: line[0]!,
    args: line.slice(1),
    // Windows cannot start a process without its system folder.
    env: process.platform === "win32" ? { TZ: "UTC", SystemRoot: process.env["SystemRoot"] } : { TZ: "UTC" },
    stdio: closedStdio(),
    filter,
  };
}

/** Starts a child that keeps nothing of its parent's: no environment, no folder, no descriptor but three pipes. */
export function launchChild({ command, args, env, stdio, filter }: Launch): Child {
  const options = { cwd: "/", env, stdio, windowsHide: true };
  const child = spawnContained(command, args, filter, options) as ChildProcessByStdio<
    Writable,
    Readable,
    Readable
  >;
  child.kill = () => killGroup(child.pid);
  // What keeps the parent alive is the pool's timer, which runs while calls are in flight.
  child.unref();
  for (const stream of [child.stdin, child.stdout, child.stderr])
    (stream as Partial<NodeJS.RefCounted>).unref?.();
  return child;
}
