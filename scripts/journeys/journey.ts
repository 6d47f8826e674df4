import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { userEnv, withTarballs } from "../ci/packed.ts";

export interface Expected {
  /** Exit status. Default 0. */
  readonly status?: number;
  /** Text that the output must contain. */
  readonly text?: string;
  readonly input?: string;
}

/** A folder in which commands run as a user types them. Each is printed, with its output and its time. */
export class Journey {
  readonly folder = mkdtempSync(join(tmpdir(), "hookwarden-journey-"));
  readonly #children: (() => Promise<void>)[] = [];
  readonly #env: NodeJS.ProcessEnv;

  constructor() {
    const { XDG_CACHE_HOME: _, XDG_STATE_HOME: __, XDG_CONFIG_HOME: ___, ...env } = userEnv;
    this.#env = { ...env, HOME: this.folder };
  }

  /**
   * Runs a command in a shell.
   *
   * @returns both of its streams, as a terminal shows them.
   * @throws where its status or output is not the expected one.
   */
  run(command: string, { status: wanted = 0, text = "", input = "" }: Expected = {}): string {
    const begun = performance.now();
    const { status, stdout } = spawnSync("sh", ["-c", `${withTarballs(command)} 2>&1`], {
      cwd: this.folder,
      env: this.#env,
      encoding: "utf8",
      input,
      timeout: 300_000,
      maxBuffer: 64_000_000,
    });
    const output = stdout.replaceAll(/^npm (?:warn|notice).*\n/gm, "");
    console.log(`$ ${command}   # ${Math.round(performance.now() - begun)} ms\n${output.trimEnd()}`);
    if (status !== wanted) throw new Error(`${command}: exit status ${status}, not ${wanted}`);
    if (!output.includes(text)) throw new Error(`${command}: the output lacks ${JSON.stringify(text)}`);
    return output;
  }

  /** Writes a file, as the user's editor would. */
  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), text);
    console.log(`# ${path} is written`);
  }

  /** Starts a program that runs until the end of the journey. @returns when its address answers. */
  async start(command: string, address: string): Promise<void> {
    const begun = performance.now();
    const child = spawn("sh", ["-c", `exec ${command}`], {
      cwd: this.folder,
      env: this.#env,
      stdio: ["ignore", "ignore", "pipe"],
      detached: true,
    });
    let log = "";
    child.stderr.on("data", (data: Buffer) => (log = `${log}${String(data)}`.slice(-4_000)));
    const ended = once(child, "exit");
    this.#children.push(async () => {
      // The whole group: `npx` does not forward signals.
      if (child.exitCode === null && child.pid) process.kill(-child.pid, "SIGTERM");
      await ended;
    });
    const up = (): Promise<boolean> =>
      fetch(address).then(
        ({ ok }) => ok,
        () => false,
      );
    while (!(await up())) {
      if (child.exitCode !== null || performance.now() - begun > 60_000)
        throw new Error(`${command} does not answer at ${address}:\n${log}`);
      await sleep(100);
    }
    console.log(`$ ${command} &   # ${Math.round(performance.now() - begun)} ms`);
  }

  /** Stops what was started, and removes the folder. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const stop of this.#children.toReversed()) await stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
