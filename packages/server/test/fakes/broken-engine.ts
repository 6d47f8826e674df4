/**
 * The real engine in the real child of a server, until the command of an event makes it break: then it does what a
 * guest would do that has got out of its engine. Everything it says must stay inside: it says `hunter2`.
 */
import { writeSync } from "node:fs";
import type { Call, Outcome, Sandbox } from "@hookwarden/sandbox";
import { RequestReader } from "../../../../sandbox/src/process/request.ts";
import { createQuickjsSandbox, type QuickjsOptions } from "../../../../sandbox/src/quickjs/index.ts";

/** The number of the call that runs: a child that was taken over knows it. */
let id = 0;
const { next } = RequestReader.prototype;
RequestReader.prototype.next = function () {
  const request = next.call(this);
  if (request?.kind === "call") ({ id } = request);
  return request;
};

const pause = new Int32Array(new SharedArrayBuffer(4));
const sleep = (ms: number): void => void Atomics.wait(pause, 0, 0, ms);
const hold: unknown[] = [];
const answer = (output: string | null): Outcome => ({
  ok: true,
  output,
  steps: 1,
  durationUs: 1,
  memoryBytes: 0,
  logs: [],
});

/** Writes all of a text to a descriptor, as often as it is not taken at once. */
function write(descriptor: 1 | 2, text: string): void {
  const bytes = Buffer.from(text, "latin1");
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(descriptor, bytes, at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
    }
  }
}

const open = '{"action":"allow","reason":"hunter2"}';
const frame = (of: number, body: string, size: number | string = body.length): string =>
  `K ${of} 1 1 0 ${size} 0\n${body}\n\n`;

/** Frames that a child has no right to send, with the number of the call and the limit of its answer. */
const lies: { readonly [name: string]: (limit: number) => string } = {
  "answer of another call": () => frame(id + 1, open),
  "answer of an earlier call": () => frame(id - 1, open),
  "frame of 4 GB": () => frame(id, open, 4_294_967_296),
  "frame over the limit": (limit) => frame(id, "x".repeat(limit + 1)),
  "frame longer than it says": () => frame(id, open, 2),
  "line without end": () => "x".repeat(1 << 20),
  "stack trace": () => `${new Error("hunter2").stack}\n`,
  "body that is no UTF-8": () => frame(id, "\xff\xfe"),
  "fault of the broker": () => `E ${id} 1 1 0 22 0\nillegal-action hunter2\n\n`,
  "logs over the limit": () => `K ${id} 1 1 0 4 99999999\nnull\n`,
};

/** Ways for the process to break, with what becomes of the call where it goes on. */
const breaks: { readonly [name: string]: (limit: number) => Outcome | Promise<Outcome> } = {
  throw: () => {
    throw new Error("hunter2");
  },
  reject: () => Promise.reject(new Error("hunter2")),
  "never answer": () => new Promise(() => undefined),
  exit: () => process.exit(0),
  abort: () => process.abort(),
  "hang, deaf to SIGTERM": () => {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => undefined);
    process.on("exit", () => sleep(3_600_000));
    for (;;);
  },
  "stop itself": () => {
    process.kill(process.pid, "SIGSTOP");
    return answer(open);
  },
  "one byte a second": () => {
    for (const byte of frame(id, open)) {
      write(1, byte);
      sleep(1_000);
    }
    return answer(open);
  },
  "fill the memory": () => {
    for (;;) hold.push(Buffer.alloc(8 << 20, 1));
  },
  "fill the heap": () => {
    for (;;) hold.push(Array.from({ length: 10_000 }, (_, at) => ({ at })));
  },
  "flood stderr": () => {
    // Ten megabytes, then a million lines.
    write(2, `hunter2 ${"x".repeat(10_000_000)}`);
    for (let left = 0; left < 1_000_000; left += 1_000) write(2, "hunter2\n".repeat(1_000));
    return answer(null);
  },
};

/** Answers that are hard to read: an engine that was broken gives them as what a hook has returned. */
const bombs: { readonly [name: string]: (limit: number) => string } = {
  "64 MB of brackets": () => "[".repeat(64 << 20),
  "brackets up to the limit": (limit) => "[".repeat(limit),
  "closed brackets": () => `${"[".repeat(100_000)}${"]".repeat(100_000)}`,
  "a million keys": () =>
    `{${Array.from({ length: 1_000_000 }, (_, at) => `"${at.toString(36)}":0`).join(",")}}`,
  "keys up to the limit": (limit) =>
    `{${Array.from({ length: Math.floor(limit / 10) }, (_, at) => `"${at.toString(36)}":0`).join(",")}}`,
  "a number of 100,000 digits": () => `{"action":"notify","text":"x","n":${"9".repeat(100_000)}}`,
  "`__proto__`": () => '{"action":"notify","text":"hunter2","__proto__":{"action":"allow"}}',
  "`__proto__` in escapes": () => '{"action":"notify","text":"hunter2","\\u005f_proto__":{}}',
  "`constructor`": () => '{"action":"notify","text":"hunter2","constructor":{"prototype":{}}}',
  "two actions in one": () => '{"action":"deny","reason":"x","action":"notify","text":"hunter2"}',
  "`1e999`": () => '{"action":"set_state","value":1e999}',
  "two documents": () => "null null",
  nothing: () => "",
};

export async function createSandbox(options: QuickjsOptions): Promise<Sandbox> {
  const engine = await createQuickjsSandbox(options);
  return {
    engine: "quickjs",
    version: engine.version,
    call(call: Call) {
      const { command = "" } = (JSON.parse(call.args[0]!) as { tool_input: { command?: string } }).tool_input;
      const { outputBytes } = call.limits;
      // A guest breaks its engine only after its program has been loaded.
      if (command in lies || command in bombs || command in breaks) {
        options.onLoad?.(true);
        options.onLoad?.(false);
      }
      const lie = lies[command];
      if (lie) {
        write(1, lie(outputBytes));
        // What it says then looks like an answer.
        return answer(open);
      }
      const bomb = bombs[command];
      if (bomb) return answer(bomb(outputBytes));
      return breaks[command]?.(outputBytes) ?? engine.call(call);
    },
    inspect: (program, limits, tenant) => engine.inspect(program, limits, tenant),
    forget: (key) => engine.forget(key),
    // Its end is no place to hang in either.
    [Symbol.asyncDispose]: () => new Promise(() => sleep(3_600_000)),
  };
}
