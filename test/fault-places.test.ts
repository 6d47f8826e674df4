import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createProcessSandbox } from "@hookwarden/sandbox/process";
import { createQuickjsSandbox } from "@hookwarden/sandbox/quickjs";
import { buildBundle } from "../src/bundle/build.ts";
import { createWarden } from "../src/warden/index.ts";
import type { LoadedPack } from "../src/pack/types.ts";
import { loadPackFromFiles } from "../src/pack/load.ts";
import type { Sandbox } from "@hookwarden/sandbox";
import { openBundle } from "../src/bundle/open.ts";
import { sourcePlace } from "../src/compile/source-place.ts";
import { sampleEvent } from "./support/sample-events.ts";

const event = sampleEvent("PreToolUse");

/** A pack of TypeScript hooks, whose types and comments their programs do not have. It only watches, so that all run. */
function filesOf(
  scripts: readonly string[],
  more: { readonly [path: string]: string } = {},
): Map<string, Uint8Array> {
  // All of them load while they are called, which may take a while on a busy machine.
  const budgets = { decisionMs: 30_000 };
  const names = scripts.map((_, index) => `hook-${index}`);
  const pack = { apiVersion: 1, name: "p", version: "1.0.0", hooks: names, monitor: true, budgets };
  const texts = new Map(Object.entries({ "hookwarden.json": JSON.stringify(pack), ...more }));
  for (const [index, script] of scripts.entries()) {
    const name = `hook-${index}`;
    texts.set(
      `${name}/hook.json`,
      JSON.stringify({
        apiVersion: 1,
        name,
        version: "1.0.0",
        entry: "hook.ts",
        on: [{ event: "PreToolUse" }],
        reads: ["*"],
        actions: ["deny"],
      }),
    );
    texts.set(`${name}/hook.ts`, script.replaceAll("$NAME", name));
  }
  return new Map([...texts].map(([path, text]) => [path, Buffer.from(text)]));
}

const head = `// A comment that the program does not have.
interface Event { readonly tool_input: { readonly command: string } }
type Unused = Event["tool_input"];
`;
/** Stands for the hook's own script. */
const file = "hook.ts";

/** Scripts, and where their errors are made. */
const thrown: readonly {
  readonly what: string;
  readonly script: string;
  readonly more?: { readonly [path: string]: string };
  readonly at: { readonly file: string; readonly line: number } | undefined;
}[] = [
  {
    what: "an error of the hook's own",
    script: `${head}export default (event: Event) => {\n\n  throw new Error("x");\n};`,
    at: { file, line: 6 },
  },
  {
    what: "an error in a promise, after an await",
    script: `${head}export default async (event: Event) => {\n  await null;\n\n  throw new Error("x");\n};`,
    at: { file, line: 7 },
  },
  {
    what: "an error of a built-in function",
    script: `${head}export default (event: Event) =>\n  JSON.parse("{" as string);`,
    at: { file, line: 5 },
  },
  {
    what: "a call of what is not a function",
    script: `${head}export default (event: any) => {\n  event.nothing();\n};`,
    at: { file, line: 5 },
  },
  {
    what: "an error with a message longer than what is kept of its stack",
    script: `${head}export default () => {\n  throw new Error("x\\n".repeat(5000));\n};`,
    at: { file, line: 5 },
  },
  {
    what: "an error in an imported file",
    script: `import { check } from "../lib/check.ts";\nexport default (event: unknown) => check(event);`,
    more: {
      "lib/check.ts": `${head}export function check(event: unknown): never {\n  throw new RangeError("no");\n}`,
    },
    at: { file: "lib/check.ts", line: 5 },
  },
  {
    what: "an error in a package",
    script: `import { f } from "lib";\nexport default () => f();`,
    more: {
      "node_modules/lib/package.json": JSON.stringify({ name: "lib", version: "1.0.0", main: "index.js" }),
      "node_modules/lib/index.js": `// licence\nexport function f() {\n  throw new Error("in a package");\n}`,
    },
    at: { file: "node_modules/lib/index.js", line: 3 },
  },
  {
    what: "a getter of the answer that throws",
    script: `${head}export default () => ({\n  get action(): string {\n    throw new Error("x");\n  },\n});`,
    at: { file, line: 6 },
  },
  { what: "a string", script: `${head}export default () => {\n  throw "a text";\n};`, at: undefined },
  { what: "nothing", script: `export default () => Promise.reject();`, at: undefined },
  {
    what: "an error without a stack",
    script: `export default () => {\n  const error = new Error("x");\n  error.stack = undefined;\n  throw error;\n};`,
    at: undefined,
  },
  // The guest says where: it may name any place of its own program, and nothing else.
  ...[
    ["of another file", "    at f (/etc/passwd:1:1)"],
    ["of the host's code", "    at Object.<anonymous> (node:internal/main:1:1)"],
    ["with a line that is too long to be one", `    at f ($NAME:${"9".repeat(400)}:1)`],
    ["with a line that the program has not", "    at f ($NAME:999999:1)"],
    ["with line zero", "    at f ($NAME:0:0)"],
    ["with a path before the name", "    at f (../$NAME:1:1)"],
    ["that is an object", { toString: "x" }],
    ["of 50 KB", "    at f ($NAME:9999999:1)\n".repeat(2_000)],
  ].map(([what, stack]) => ({
    what: `a stack ${what as string}`,
    script: `export default () => {\n  throw Object.assign(new Error("x"), { stack: ${JSON.stringify(stack)} });\n};`,
    at: undefined,
  })),
  {
    // A getter of the guest's is not asked: it could run for as long as the call may.
    what: "a stack behind a getter",
    script: `export default () => {\n  throw { get stack() { for (;;); } };\n};`,
    at: undefined,
  },
];

let pack: LoadedPack;
let bundled: LoadedPack;
beforeAll(async () => {
  const files = filesOf(
    thrown.map(({ script }) => script),
    Object.assign({}, ...thrown.map(({ more }) => more)) as { [path: string]: string },
  );
  pack = await loadPackFromFiles(files);
  const { bytes } = await buildBundle(files);
  ({ pack: bundled } = await openBundle(bytes, { trust: null }));
});

describe.each(["quickjs", "isolate"] as const)("the place of a fault on %s", (engine) => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox =
      engine === "quickjs"
        ? await createQuickjsSandbox()
        : await createProcessSandbox({ engine, processes: 1, spares: 0 });
  });
  afterAll(() => sandbox[Symbol.asyncDispose]());

  const placesIn = async (pack: LoadedPack): Promise<unknown[]> => {
    await using warden = await createWarden({ pack, sandbox });
    const { trace } = await warden.dispatch(event);
    return trace.map(({ fault }, index) => {
      if (fault?.at) expect(fault.at.column).toBeGreaterThanOrEqual(1);
      const at = fault?.at && { file: fault.at.file.replace(`hook-${index}/`, ""), line: fault.at.line };
      return [thrown[index]?.what, fault?.code, at];
    });
  };
  const expected = thrown.map(({ what, at }) => [what, "threw", at]);

  test("is that in the sources, and only ever in those", async () => {
    expect(await placesIn(pack)).toEqual(expected);
  });

  test("is the same from a bundle, which carries the maps", async () => {
    expect(await placesIn(bundled)).toEqual(expected);
  });
});

test("a map that was tampered with names no file of the host's, and breaks nothing", () => {
  const at = { line: 1, column: 1 };
  const place = (map: unknown): unknown =>
    sourcePlace({ key: "k", name: "n", source: "", map: JSON.stringify(map) }, at);
  const map = { version: 3, sources: ["pack:a.ts"], mappings: "AAAA", names: [] };
  expect(place(map)).toEqual({ file: "a.ts", line: 1, column: 1 });
  for (const source of [
    "/etc/passwd",
    "pack:/etc/passwd",
    "pack:../../etc/passwd",
    "file:///etc/passwd",
    "pack:a\u0000b",
    "pack:",
    "a.ts",
    7,
    null,
  ]) {
    expect(place({ ...map, sources: [source] }), String(source)).toBeNull();
  }
  for (const broken of [
    null,
    [],
    "x",
    { ...map, mappings: 7 },
    { ...map, mappings: "AAAD" },
    { ...map, sources: "pack:a.ts" },
    { ...map, version: 2 },
  ]) {
    expect(place(broken), JSON.stringify(broken)).toBeNull();
  }
});
