import { tmpdir } from "node:os";
import { Readable, Writable } from "node:stream";
import { setDefaultContainment } from "@hookwarden/sandbox";
import { main } from "../../src/cli/program.ts";
import { setCompileCache } from "../../src/compile/index.ts";
import { environment, type Ran, type RunOptions } from "./cli.ts";

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs the command line in this process, as `cliProcess` does in one of its own: with its own standard streams, folder and
 * environment. One runs at a time, because these are the whole process's.
 */
export function cli(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const ran = last.then(() => run(args, options));
  last = ran.catch(() => undefined);
  return ran;
}

async function run(args: readonly string[], { cwd, input, env }: RunOptions): Promise<Ran> {
  const [out, err] = [new Collected(), new Collected()];
  const restore = [
    replace("stdin", Readable.from(input === undefined || input.length === 0 ? [] : [Buffer.from(input)])),
    replace("stdout", out),
    replace("stderr", err),
    enter(cwd ?? tmpdir()),
    replaceEnvironment({ ...environment(), ...env }),
    keepListeners(),
  ];
  try {
    const code = await main(args);
    return { code, out: out.text, err: err.text };
  } finally {
    for (const undo of restore.reverse()) undo();
    // What the options of a command set for the whole process.
    setDefaultContainment("auto");
    setCompileCache((_, __, compile) => compile());
  }
}

class Collected extends Writable {
  readonly #parts: Buffer[] = [];

  override _write(part: Buffer, _: BufferEncoding, done: () => void): void {
    this.#parts.push(part);
    done();
  }

  get text(): string {
    return Buffer.concat(this.#parts).toString("utf8");
  }
}

function replace(name: "stdin" | "stdout" | "stderr", stream: Readable | Writable): () => void {
  const before = Object.getOwnPropertyDescriptor(process, name)!;
  Object.defineProperty(process, name, { value: stream, configurable: true });
  return () => Object.defineProperty(process, name, before);
}

function enter(folder: string): () => void {
  const before = process.cwd();
  process.chdir(folder);
  return () => process.chdir(before);
}

/** Changes the variables one by one: what the system reads is not this object. */
function replaceEnvironment(variables: { readonly [name: string]: string }): () => void {
  const before = { ...process.env } as { [name: string]: string };
  const set = (wanted: { readonly [name: string]: string }): void => {
    for (const name of Object.keys(process.env)) if (!(name in wanted)) delete process.env[name];
    Object.assign(process.env, wanted);
  };
  set(variables);
  return () => set(before);
}

/** Signals that end a command would otherwise be caught for as long as this process lives. */
function keepListeners(): () => void {
  const signals = ["SIGINT", "SIGTERM"] as const;
  const before = new Map(signals.map((signal) => [signal, process.listeners(signal)]));
  return () => {
    for (const signal of signals)
      for (const listener of process.listeners(signal))
        if (!before.get(signal)?.includes(listener)) process.off(signal, listener);
  };
}
