import { type ChildProcess, execFileSync } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { containWith } from "../../src/containment/containment.ts";
import { spawnContained, type Wrapper } from "../../src/containment/index.ts";
import type { BackendName } from "../../src/containment/walls.ts";
import { launchOf, specOf } from "../../src/process/launch.ts";
import { type ProcessSandboxOptions, settingsOf } from "../../src/process/options.ts";
import { nativeAttacks } from "./attacks.ts";

const childModule = fileURLToPath(new URL("./broken-child.mts", import.meta.url));
/** Locks of Node.js itself, which native code does not meet: the broken engine runs without them. */
const ownLocks = /^--(permission|allow-|disallow-code-generation|disable-proto)/;

/** A child as a pool would start it, with a program that runs what it is sent with all of Node.js. */
export class BrokenEngine implements AsyncDisposable {
  readonly process: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  private constructor(child: ChildProcess) {
    this.process = child;
    this.#lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  }

  /** @returns the child, or why this machine cannot have the backend. */
  static async start(
    backend: BackendName,
    options: Partial<ProcessSandboxOptions> = {},
  ): Promise<BrokenEngine | string> {
    const settings = settingsOf({ engine: "quickjs", childModule, containment: "none", ...options });
    const none: Wrapper = { line: [], filter: null };
    const wrapper = backend === "none" ? none : await containWith(backend, specOf(settings));
    if (typeof wrapper === "string") return wrapper;
    const launch = await launchOf(settings);
    const line = [launch.command, ...launch.args];
    const node = line.slice(line.indexOf(process.execPath)).filter((part) => !ownLocks.test(part));
    const [command = "", ...args] = [...wrapper.line, ...node];
    const stdio = ["pipe", "pipe", "inherit"];
    return new BrokenEngine(
      spawnContained(command, args, wrapper.filter, { cwd: "/", env: launch.env, stdio: stdio as "pipe"[] }),
    );
  }

  /** Runs bodies of functions one after another; what came of each: its value, or the code of its error. */
  async run(bodies: { readonly [name: string]: string }): Promise<{ readonly [name: string]: string }> {
    this.process.stdin!.write(`${JSON.stringify(bodies)}\n`);
    const { value } = (await this.#lines.next()) as { value?: string };
    if (value === undefined) throw new Error("the child has ended");
    return JSON.parse(value) as { [name: string]: string };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { exitCode, signalCode } = this.process;
    if (exitCode !== null || signalCode !== null) return;
    const ended = once(this.process, "exit");
    this.process.kill("SIGKILL");
    await ended;
  }
}

/** Compiles a library that makes system calls when it is loaded; `null` where there is no compiler. */
export function nativeLibrary(folder: string): string | null {
  const calls = Object.entries(nativeAttacks).map(
    ([name, parameters]) => `  try("${name}", syscall(SYS_${name}, ${parameters}));`,
  );
  const source = `
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
static char said[8192];
static int at;
static int pair[2];
static void try(const char *name, long result) {
  at += snprintf(said + at, sizeof said - at, "%s %d,", name, result < 0 ? errno : 0);
}
static void fork_like(void) {
  /* clone with SIGCHLD only: a process, not a thread. */
  long pid = syscall(SYS_clone, 17L, 0L, 0L, 0L, 0L);
  if (pid == 0) _exit(0);
  try("clone", pid);
}
__attribute__((constructor)) static void attack(void) {
${calls.join("\n")}
  fork_like();
  setenv("NATIVE_RESULTS", said, 1);
}
`;
  const file = `${folder}/attack.c`;
  const library = `${folder}/attack.node`;
  writeFileSync(file, source.replace("#include <unistd.h>", "#include <stdlib.h>\n#include <unistd.h>"));
  try {
    execFileSync("cc", ["-shared", "-fPIC", "-w", "-o", library, file], { stdio: "pipe" });
    return library;
  } catch {
    return null;
  }
}
