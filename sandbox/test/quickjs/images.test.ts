import { afterEach, describe, expect, it, vi } from "vitest";
import { createQuickjsSandbox } from "../../src/quickjs/index.ts";
import { limitCeilings } from "../../src/index.ts";
import { harnessOf } from "../../../test/support/contract/harness.ts";
import { propertyRuns } from "../../../test/support/property-runs.ts";

const counter = (start: number): string => `
  let n = ${start};
  const list = Array.from({ length: ${start % 97} }, (_, i) => "item " + i + " of ${start}");
  export default (event) => {
    n++;
    list.push(event.text);
    globalThis.last = event.text;
    return [n, list.length, list[0] ?? null, event.text.length];
  };`;
const expected = (start: number, length: number): unknown => [
  start + 1,
  (start % 97) + 1,
  start % 97 === 0 ? "x".repeat(length) : `item 0 of ${start}`,
  length,
];
const event = (length: number): readonly string[] => [JSON.stringify({ text: "x".repeat(length) }), "{}"];

describe("memory images", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it("keep many programs apart in one instance", async () => {
    await using sandbox = await createQuickjsSandbox();
    const { value } = harnessOf(sandbox);
    const programs = propertyRuns(15);
    const sources = Array.from({ length: programs }, (_, i) => counter(i));
    let at = 1;
    for (let call = 0; call < 10 * programs; call++) {
      at = (at * 48_271) % 2_147_483_647;
      const start = at % programs;
      const length = 1 + ((at >> 10) % 40);
      expect(await value(sources[start]!, { args: event(length) })).toEqual(expected(start, length));
    }
  });

  it("answer many calls of a hook that leaves traces everywhere with the first answer", async () => {
    await using sandbox = await createQuickjsSandbox();
    const { value } = harnessOf(sandbox);
    const source = `let n = 0; const regex = /x/g; let cached; const tag = (strings) => strings; const seen = new WeakMap();
      const template = () => tag\`x\`;
      export default async () => {
        globalThis.g = (globalThis.g ?? 0) + 1;
        Array.prototype.c = ([].c ?? 0) + 1;
        regex.test("xx");
        const symbol = Symbol.for("registered");
        Object.prototype[symbol] = (({})[symbol] ?? 0) + 1;
        seen.set(template(), (seen.get(template()) ?? 0) + 1);
        cached ??= Promise.resolve(++n);
        return [n, globalThis.g, [].c, regex.lastIndex, ({})[symbol], seen.get(template()), await cached];
      };`;
    for (let i = 0; i < propertyRuns(250); i++) expect(await value(source)).toEqual([1, 1, 1, 1, 1, 1, 1]);
  });

  it("are as good whether memory is put back after the answer or before the next call", async () => {
    await using sandbox = await createQuickjsSandbox();
    const { value } = harnessOf(sandbox);
    const tidying = sandbox as typeof sandbox & { tidy(): void };
    for (let round = 0; round < 40; round++) {
      for (const start of [3, 500, 3, 97]) {
        expect(await value(counter(start), { args: event(5 + round) })).toEqual(expected(start, 5 + round));
        if (round % 3 !== 0) tidying.tidy();
        if (round % 5 === 0) tidying.tidy();
      }
    }
  });

  it("come back after memory ran out, the stack ran out, and a loop was ended", async () => {
    await using sandbox = await createQuickjsSandbox();
    const { value, call } = harnessOf(sandbox);
    const attacks = [
      "export default () => { const all = []; for (;;) all.push({}, []); };",
      "export default () => { const f = () => f() + 1; return f(); };",
      "export default () => { for (;;); };",
      "export default () => JSON.parse('['.repeat(1e5));",
      "export default () => new Array(1e6).fill('x').join('y').length;",
    ];
    for (let round = 0; round < 4; round++) {
      for (const attack of attacks) {
        await call(attack, { limits: { stackKb: round % 2 ? 256 : limitCeilings.stackKb } });
        for (const start of [1, 2, 98]) {
          expect(await value(counter(start), { args: event(7) }), attack).toEqual(expected(start, 7));
        }
      }
    }
  });

  it("hold programs of several sizes of memory and stack", async () => {
    await using sandbox = await createQuickjsSandbox();
    const { value } = harnessOf(sandbox);
    for (let round = 0; round < 3; round++) {
      for (const memoryKb of [1_024, 8_192, 20_000, limitCeilings.memoryKb]) {
        for (const stackKb of [64, 512]) {
          const options = { args: event(9), limits: { memoryKb, stackKb } };
          expect(await value(counter(5), options), `${memoryKb} and ${stackKb} KiB`).toEqual(expected(5, 9));
        }
      }
    }
  });

  it("leave no secret of a call in the engine's memory", async () => {
    const memories: WebAssembly.Memory[] = [];
    const Native = WebAssembly.Memory;
    vi.stubGlobal("WebAssembly", {
      ...Object.fromEntries(
        Object.getOwnPropertyNames(WebAssembly).map((name) => [name, Reflect.get(WebAssembly, name)]),
      ),
      Memory: class extends Native {
        constructor(descriptor: WebAssembly.MemoryDescriptor) {
          super(descriptor);
          memories.push(this);
        }
      },
    });
    try {
      await using sandbox = await createQuickjsSandbox();
      const { value } = harnessOf(sandbox);
      const secret = `secret ${Math.random().toString(36).slice(2)}`;
      const source = `export default async (event) => {
        globalThis.kept = event;
        const copies = Array.from({ length: 500 }, (_, i) => event.secret + i);
        const deep = (n) => (n === 0 ? copies.join("").length : deep(n - 1) + 0);
        console.log(event.secret);
        await null;
        return [deep(100), new RegExp(event.secret).test(copies[3]), new Set(copies).size, event.secret.split("").reverse().join("")];
      };`;
      const found = (): boolean =>
        memories.some(({ buffer }) => {
          const bytes = Buffer.from(buffer);
          return bytes.includes(secret) || bytes.includes(Buffer.from(secret, "utf16le"));
        });
      for (const pad of [10, 100_000]) {
        await value(source, { args: [JSON.stringify({ secret, pad: "x".repeat(pad) }), "{}"] });
        expect(found()).toBe(true);
        (sandbox as typeof sandbox & { tidy(): void }).tidy();
        expect(found()).toBe(false);
      }
    } finally {
      vi.unstubAllGlobals();
    }
  });
});

describe("steps", () => {
  it("are the same in every instance, for every tenant, whatever ran before", async () => {
    const source = `const table = Object.fromEntries(Array.from({ length: 50 }, (_, i) => ["key" + i, i]));
      export default async (event) => {
        let sum = 0;
        for (const key in table) sum += table[key];
        for (const word of event.text.split(/\\b/)) sum += word.length;
        await null;
        return [sum, JSON.stringify(table).length, [3, 1, 2].sort(), Math.random() < 2, new Date().getTime()];
      };`;
    const args = [JSON.stringify({ text: "some words ".repeat(200) }), "{}"];
    const seen = new Set<number | null>();
    for (let round = 0; round < 3; round++) {
      await using sandbox = await createQuickjsSandbox();
      const { call } = harnessOf(sandbox);
      for (let i = 0; i < 4; i++) {
        if (round > 0) await call(counter(i));
        if (round > 1) await call("export default () => { for (;;); };");
        const outcome = await call(source, { args, tenant: `tenant ${i % 2}` });
        expect(outcome.ok).toBe(true);
        seen.add(outcome.steps);
      }
    }
    expect([...seen]).toHaveLength(1);
  });
});
