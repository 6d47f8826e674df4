import { createRequire } from "node:module";
import type IsolatedVm from "isolated-vm";
import { describe, expect, it } from "vitest";
import { allowedGlobalNames, allowedGlobals, refusedGlobals } from "../../src/guest/globals.ts";
import { divergences } from "../../src/guest/divergences.ts";
import { permits } from "../../src/guest/permits.ts";
import { createIsolateSandbox } from "../../src/isolate/index.ts";
import { defaultLimits, type EngineName, type Sandbox } from "../../src/index.ts";
import { createQuickjsSandbox } from "../../src/quickjs/index.ts";
import { evaluate } from "../../src/quickjs/layout.ts";
import { createModule } from "../../src/quickjs/module.ts";
import { exploreSource, type Found } from "./explore.ts";

/** What the language itself makes while a hook runs, and the own keys that it may have. Everything else is intrinsic. */
const made: Readonly<Record<string, string>> = {
  event: "a",
  "event.a": "b",
  "event.a.b": "0 length",
  context: "",
  arguments: "@@Symbol.iterator callee length",
  "import.meta": "",
  template: "0 1 length raw",
  "template.raw": "0 1 length",
  function: "length name prototype",
  "function.prototype": "constructor",
  class: "length name prototype",
  "class.prototype": "constructor",
  "generator function": "length name prototype",
  "generator function.prototype": "",
  "async generator function": "length name prototype",
  "async generator function.prototype": "",
  generator: "",
  "async generator": "",
  promise: "",
  "new Error": "cause message stack",
  "new AggregateError": "errors stack",
  "new AggregateError.errors": "length",
  "TypeError of the engine": "message stack",
  "ReferenceError of the engine": "message stack",
  "RangeError of the engine": "message stack",
  "SyntaxError of JSON.parse": "message stack",
  "SyntaxError of RegExp": "message stack",
  "URIError of the engine": "message stack",
  "error of the stack": "message stack",
  "error of eval": "message stack",
  "error of a length": "message stack",
  match: "0 1 groups index indices input length",
  "match.groups": "name",
  "match.indices": "0 1 groups length",
  "match.indices.0": "0 1 length",
  "match.indices.1": "0 1 length",
  "match.indices.groups": "name",
  proxy: "",
  revocable: "proxy revoke",
  "revocable.proxy": "",
  resolvers: "promise reject resolve",
  "resolvers.promise": "",
  "iterator helper": "",
  "typed array": "0",
  buffer: "",
  descriptor: "configurable enumerable value writable",
  date: "",
};

async function explore(sandbox: Sandbox): Promise<readonly Found[]> {
  const outcome = await sandbox.call({
    program: { key: "explore", name: "explore.js", source: exploreSource },
    tenant: "t",
    handler: "PreToolUse",
    args: ['{"a":{"b":[1]}}', "{}"],
    time: 0,
    seed: [1, 2, 3, 4],
    limits: { ...defaultLimits, outputBytes: 4_194_304, wallMs: 5_000, steps: 100_000_000, memoryKb: 32_768 },
  });
  if (!outcome.ok) throw new Error(`${outcome.fault.code}: ${outcome.fault.message}`);
  return JSON.parse(outcome.output ?? "[]") as Found[];
}

const sorted = (keys: readonly string[]): string => keys.toSorted().join(" ");

/** Own keys of the global object of an engine as it comes. */
const bareGlobals: Readonly<Record<EngineName, () => Promise<readonly string[]>>> = {
  async quickjs() {
    const module = await createModule();
    const { exports, memory } = module;
    const context = exports._QTS_NewContext(exports._QTS_NewRuntime(), 0);
    const keys = evaluate(module, context, "Reflect.ownKeys(globalThis).map(String).join()");
    const start = exports._QTS_GetString(context, keys);
    const bytes = Buffer.from(memory.buffer);
    return bytes.toString("utf8", start, bytes.indexOf(0, start)).split(",");
  },
  async isolate() {
    const ivm = createRequire(import.meta.url)("isolated-vm") as typeof IsolatedVm;
    const isolate = new ivm.Isolate({ memoryLimit: 16 });
    const context = isolate.createContextSync();
    return (context.evalSync("Reflect.ownKeys(globalThis).map(String).join()") as string).split(",");
  },
};

const engines: readonly (readonly [EngineName, () => Promise<Sandbox>])[] = [
  ["quickjs", createQuickjsSandbox],
  ["isolate", createIsolateSandbox],
];

describe.each(engines)("the world of a guest on %s", (name, create) => {
  it("is what the table names: nothing more, nothing less", async () => {
    await using sandbox = await create();
    const found = await explore(sandbox);
    const wrong: string[] = [];
    for (const { path, type, keys } of found) {
      // What a frozen realm's global objects inherit from; explore.ts counts its names as theirs.
      if (path === "globalThis (prototype)") continue;
      const allowed =
        permits[path]?.join(" ") ?? made[path] ?? (type === "function" ? "length name" : undefined);
      if (allowed === undefined) wrong.push(`${path} is not in the table: ${sorted(keys)}`);
      else if (sorted(keys) !== sorted(allowed.split(" ").filter(Boolean)))
        wrong.push(`${path} has ${sorted(keys)}; the table names ${allowed}`);
    }
    expect(wrong).toEqual([]);
    const paths = new Set(found.map(({ path }) => path));
    expect([...Object.keys(permits), ...Object.keys(made)].filter((path) => !paths.has(path))).toEqual([]);
  });

  it("leaves out nothing of the engine without a reason, and lists nothing that the engines lack", async () => {
    const known = new Set([...allowedGlobalNames, ...refusedGlobals.flatMap(({ names }) => names)]);
    const bare = await bareGlobals[name]();
    expect(bare.filter((key) => !known.has(key) && !key.startsWith("Symbol("))).toEqual([]);
  });

  it("looks for stacks, resizable buffers and registries in vain", async () => {
    await using sandbox = await create();
    const source = `export default function () {
      Error.prepareStackTrace = (error, frames) => frames;
      const buffer = new ArrayBuffer(8, { maxByteLength: 2 ** 20 });
      class Own extends ArrayBuffer {}
      return [
        typeof new Error("x").stack,
        typeof Object.getOwnPropertyDescriptor(Error, "prepareStackTrace").get,
        buffer.resizable,
        buffer.resize,
        buffer.constructor === ArrayBuffer,
        new Own(3).byteLength,
        new Own(3) instanceof Own,
        new ArrayBuffer(8).slice(2).byteLength,
        globalThis instanceof Object,
        Symbol.for("a") === Symbol.for("a"),
        Symbol.keyFor(Symbol.for("a")),
        Symbol.keyFor(Symbol("a")) === undefined,
        Object.prototype.toString.call(globalThis),
      ];
    }`;
    const outcome = await sandbox.call({
      program: { key: source, name: "p.js", source },
      tenant: "t",
      handler: "x",
      args: [],
      time: 0,
      seed: [1, 2, 3, 4],
      limits: defaultLimits,
    });
    expect(outcome.ok && JSON.parse(outcome.output ?? "")).toEqual([
      "string",
      "function",
      null,
      null,
      true,
      3,
      true,
      6,
      true,
      true,
      "a",
      true,
      "[object Object]",
    ]);
  });
});

describe("the tables of the guest's world", () => {
  it("give a reason for every entry, and no name twice", () => {
    const names = [...allowedGlobals, ...refusedGlobals].flatMap((row) => row.names);
    expect(new Set(names).size).toBe(names.length);
    for (const { reason } of [...allowedGlobals, ...refusedGlobals, ...divergences])
      expect(reason).toMatch(/^[A-Za-z].{8,}[.]$/s);
  });

  it("refuse only what an engine has", async () => {
    const bare = new Set([...(await bareGlobals.quickjs()), ...(await bareGlobals.isolate())]);
    expect(refusedGlobals.flatMap(({ names }) => names).filter((name) => !bare.has(name))).toEqual([]);
    expect(allowedGlobalNames.filter((name) => !bare.has(name))).toEqual([]);
  });
});
