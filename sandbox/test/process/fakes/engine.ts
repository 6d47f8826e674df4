/** Stands in for an engine inside the real child: what it does is chosen by the call's handler. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import type { Call, Inspection, Outcome } from "../../../src/contract.ts";
import { EngineMissingError } from "../../../src/engine-missing.ts";

const usage = { steps: 7, durationUs: 12.5, memoryBytes: 64, logs: [] };
const say = (value: unknown): Outcome => ({ ok: true, output: JSON.stringify(value), ...usage });

const forgotten: string[] = [];
const hold: unknown[] = [];

/** What the permission model says to an attempt. */
function attempt(what: () => unknown): string {
  try {
    what();
    return "done";
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? (error as Error).name;
  }
}

const behaviours: Record<string, (call: Call) => Outcome | Promise<Outcome>> = {
  echo: (call) => ({ ok: true, output: call.args[0] ?? null, ...usage }),
  call: (call) => say(call),
  pid: () => say(process.pid),
  later: async (call) => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    return say(call.args.length);
  },
  logs: (call) => ({ ...say(1), logs: JSON.parse(call.args[0]!) as [] }),
  spin: (call) => {
    const end = performance.now() + Number(call.args[0]);
    while (performance.now() < end);
    return say(process.pid);
  },
  hang: () => {
    for (;;);
  },
  throw: () => {
    throw new Error("the engine itself throws");
  },
  reject: () => Promise.reject(new Error("the engine itself rejects")),
  stray: () => {
    void Promise.reject(new Error("never caught"));
    return new Promise(() => {});
  },
  never: () => new Promise(() => {}),
  exit: () => process.exit(3),
  abort: () => process.abort(),
  heap: () => {
    for (;;) hold.push(Array.from({ length: 10_000 }, (_, at) => ({ at })));
  },
  grow: (call) => {
    for (let left = Number(call.args[0]); left > 0; left -= 8) hold.push(Buffer.alloc(8 << 20, 1));
    for (;;);
  },
  keep: (call) => {
    hold.push(Buffer.alloc(Number(call.args[0]) << 20, 1));
    return say(process.pid);
  },
  stderr: (call) => {
    const line = `${"x".repeat(1_000)}\n`;
    for (let left = Number(call.args[0]); left > 0; left -= line.length) writeSync(2, line);
    return say("flooded");
  },
  large: (call) => say("x".repeat(Number(call.args[0]))),
  world: () =>
    say({
      env: process.env,
      cwd: process.cwd(),
      proto: "__proto__" in {},
      channel: typeof process.send,
    }),
  rights: () =>
    say({
      readFile: attempt(() => readFileSync("/etc/passwd")),
      readOwn: attempt(() => readFileSync(import.meta.filename)),
      readFolder: attempt(() => readdirSync("/")),
      writeFile: attempt(() => writeFileSync("/tmp/hookwarden-must-not-exist", "x")),
      process: attempt(() => execFileSync("/bin/true")),
      worker: attempt(() => new Worker("0", { eval: true })),
      addon: attempt(() => process.dlopen({ exports: {} } as NodeModule, "/nowhere.node")),
      eval: attempt(() => new Function("return 1")()),
      require: attempt(() => createRequire(import.meta.url)("node:inspector").open(0)),
    }),
  forgotten: () => say(forgotten),
};

interface Options {
  readonly onLoad: (begins: boolean) => void;
}

export async function createSandbox({ onLoad }: Options): Promise<unknown> {
  const loaded = new Set<string>();
  return {
    engine: "quickjs",
    version: "fake 1",
    call: (call: Call) => {
      const { key, source } = call.program;
      if (!loaded.has(key) || source.startsWith("every call")) {
        onLoad(true);
        if (source === "hang") for (;;);
        // An engine that has no images loads for every call.
        const end = performance.now() + Number(/^every call (\d+) ms$/.exec(source)?.[1] ?? 0);
        while (performance.now() < end);
        onLoad(false);
        loaded.add(key);
      }
      return behaviours[call.handler]!(call);
    },
    inspect: async (program: { source: string }): Promise<Inspection> => {
      if (program.source === "hang") for (;;);
      if (program.source === "bad")
        return { ok: false, fault: { code: "load-failed", message: "it does not parse" } };
      if (program.source === "many")
        return { ok: true, handlers: Array.from({ length: 2_000 }, (_, at) => `h${at}`) };
      return { ok: true, handlers: ["a", "b"] };
    },
    forget: (key: string) => forgotten.push(key),
    async [Symbol.asyncDispose]() {},
  };
}

export { EngineMissingError };
