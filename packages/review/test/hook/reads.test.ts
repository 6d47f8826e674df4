import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSandbox, type Sandbox } from "@hookwarden/sandbox";
import { type BaselineRun, runBaseline } from "../../src/hook/baseline.ts";
import { checkInterference } from "../../src/hook/interference.ts";
import { ReadTree } from "../../src/hook/read-tree.ts";
import { type Input, recordedInput } from "../../src/run/input.ts";
import { Runner } from "../../src/run/runner.ts";
import { lonePack } from "./lone-hook.ts";
import { propertyRuns } from "../../../../test/support/property-runs.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await createSandbox({ isolation: "inline" });
});
afterAll(() => sandbox[Symbol.asyncDispose]());

const event = (tool_input: object): Input =>
  recordedInput(
    {
      hook_event_name: "PreToolUse",
      session_id: "s1",
      cwd: "/w",
      tool_name: "Bash",
      tool_use_id: "t1",
      tool_input,
    },
    "test",
  );
const inputs = [
  event({
    command: "ls",
    description: "list",
    timeout: 5,
    options: { shell: "sh", env: { HOME: "/h" } },
    files: ["a", "b"],
  }),
  event({ command: "rm -rf /", description: "" }),
];

async function observe(
  body: string,
): Promise<{ readonly runner: Runner; readonly runs: readonly BaselineRun[]; readonly tree: ReadTree }> {
  const pack = lonePack(body);
  const runner = new Runner(
    pack,
    pack.hooks[0] as (typeof pack.hooks)[number],
    sandbox,
    new AbortController().signal,
  );
  const { runs, divergent, lost } = await runBaseline(runner, inputs, () => undefined);
  expect(lost).toBe(0);
  expect(divergent).toEqual([]);
  const tree = new ReadTree();
  for (const { instrumented, event: name } of runs)
    if (instrumented?.watched) tree.add(name, instrumented.watched);
  return { runner, runs, tree };
}

const leaves = [
  "cwd",
  "tool_name",
  "tool_use_id",
  "session_id",
  "tool_input.command",
  "tool_input.description",
  "tool_input.timeout",
  "tool_input.options.shell",
  "tool_input.options.env.HOME",
] as const;

/** The ways to read a path, each as an expression; all read the path and nothing beside it. */
const ways: readonly ((path: readonly string[]) => string)[] = [
  (path) => `event?.${path.join("?.")}`,
  (path) => `event${path.map((key) => `?.[${JSON.stringify(key)}]`).join("")}`,
  (path) => `event${path.map((key) => `?.["${key.slice(0, 2)}" + "${key.slice(2)}"]`).join("")}`,
  (path) => `${JSON.stringify(path)}.reduce((at, key) => at?.[key], event)`,
  (path) =>
    `Reflect.get(${path.slice(0, -1).reduce((at, key) => `(${at}?.${key} ?? {})`, "event")}, ${JSON.stringify(path.at(-1))})`,
  (path) =>
    `((e) => { const ${path.slice(0, -1).reduceRight((inner, key) => `{ ${key}: ${inner} = {} }`, `{ ${path.at(-1)}: got = "none" }`)} = e; return got; })(event)`,
  (path) =>
    `(${JSON.stringify(path.at(-1))} in (${path.slice(0, -1).reduce((at, key) => `${at}?.${key}`, "event")} ?? {}))`,
  (path) =>
    `Object.hasOwn(${path.slice(0, -1).reduce((at, key) => `(${at}?.${key} ?? {})`, "event")}, ${JSON.stringify(path.at(-1))})`,
  (path) => `({ get it() { return event?.${path.join("?.")}; } }).it`,
];

/** A small generator, so that the 200 hooks are the same in every run. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}

describe("what a hook reads", () => {
  it(
    "is recorded to the last path, for generated hooks whose reads are known",
    { timeout: 120_000 },
    async () => {
      const next = random(42);
      for (let count = 0; count < propertyRuns(10); count++) {
        const truth = leaves.filter(() => next() < 0.35);
        const parts = truth.map((path) =>
          (ways[Math.floor(next() * ways.length)] as (typeof ways)[number])(path.split(".")),
        );
        const body = `(event, ctx) => { const seen = [${parts.join(", ")}]; return { action: "notify", text: "saw " + seen.map(String).join("|") }; }`;
        const { tree } = await observe(body);
        const recorded = tree.paths().map(({ path }) => path);
        // What one object on the way lacks ends the way there.
        const found = recorded.filter(
          (path) => !["tool_input", "tool_input.options", "tool_input.options.env"].includes(path),
        );
        expect(found.toSorted(), body).toEqual([...truth].sort());
        expect(tree.smallest(["*"], ["PreToolUse"]).toSorted()).toEqual([...truth].sort());
      }
    },
  );

  it.each([
    [
      "enumeration",
      "(event) => { let n = ''; for (const key in event.tool_input) n += key; return { action: 'notify', text: n }; }",
      "tool_input",
    ],
    [
      "Object.keys",
      "(event) => ({ action: 'notify', text: Object.keys(event.tool_input).join() })",
      "tool_input",
    ],
    [
      "spread",
      "(event) => { const all = { ...event.tool_input }; return { action: 'notify', text: all.command }; }",
      "tool_input",
    ],
    [
      "JSON.stringify",
      "(event) => ({ action: 'notify', text: JSON.stringify(event.tool_input) })",
      "tool_input",
    ],
    ["the whole event in one text", "(event) => ({ action: 'notify', text: JSON.stringify(event) })", "*"],
    [
      "iteration",
      "(event) => ({ action: 'notify', text: [...(event.tool_input.files ?? [])].join() + '.' })",
      "tool_input.files",
    ],
    [
      "Object.entries on the way",
      "(event) => ({ action: 'notify', text: Object.entries(event.tool_input.options ?? {}).length + '' })",
      "tool_input.options",
    ],
  ])("is all of an object by %s", async (_, body, path) => {
    const { tree } = await observe(body);
    expect(tree.smallest(["*"], ["PreToolUse"])).toContain(path);
  });

  // The hook freezes, defines and compares what it was handed: a recorder that is noticed is one that can be cheated.
  it("is recorded of a hook that freezes, defines and compares", async () => {
    const { tree } = await observe(
      "(event) => { Object.freeze(event.tool_input); const same = event.tool_input === event.tool_input; Object.prototype.toString.call(event); const s = new Set([event.tool_input]); return { action: 'notify', text: [same, s.has(event.tool_input), Array.isArray(event.tool_input.files ?? []), event.tool_input.command].join() }; }",
    );
    expect(tree.paths().map(({ path }) => path)).toContain("tool_input.command");
  });

  // The hook replaces what a recorder written without care would use.
  it("is recorded of a hook that has patched Reflect, Map, Array and JSON", async () => {
    const { tree } = await observe(
      "(() => { Reflect.get = () => 'no'; Reflect.ownKeys = () => []; JSON.stringify = () => '[]'; Array.prototype.push = () => 0; Object.defineProperty(Array.prototype, '0', { set() {}, get() { return 'x'; }, configurable: true }); Map.prototype.set = () => {}; return (event) => ({ action: 'notify', text: event.tool_input.command }); })()",
    );
    expect(tree.paths().map(({ path }) => path)).toContain("tool_input.command");
  });
});

describe("the check that what was not read does not matter", () => {
  const hidden = [
    [
      "enumeration",
      "(event) => { let n = ''; for (const key in event.tool_input) n += key + event.tool_input[key]; return { action: 'notify', text: n }; }",
    ],
    [
      "spread",
      "(event) => ({ action: 'notify', text: Object.values({ ...event.tool_input }).join() + '.' })",
    ],
    ["JSON.stringify", "(event) => ({ action: 'notify', text: JSON.stringify(event) })"],
    [
      "destructuring defaults",
      "({ tool_input: { command = 'none', description = 'none' } = {} }) => ({ action: 'notify', text: command + description })",
    ],
    [
      "a getter chain",
      "(event) => { const lazy = { get input() { return event.tool_input; }, get command() { return this.input.command; } }; return { action: 'notify', text: lazy.command }; }",
    ],
  ] as const;

  // The recorder is blinded here, as a hook that had found a way around it would do.
  it.each(hidden)("catches a hidden read through %s", async (_, body) => {
    const { runner, runs } = await observe(body);
    const blind = runs.map((run) => ({
      ...run,
      instrumented: run.instrumented?.watched
        ? { ...run.instrumented, watched: { ...run.instrumented.watched, reads: [] } }
        : null,
    }));
    const { leaks, checked } = await checkInterference(runner, blind);
    expect(checked).toBeGreaterThan(0);
    expect(leaks.map(({ path }) => path).join()).toMatch(/tool_input|several/);
  });

  it.each(hidden)("says nothing where the read through %s was recorded", async (_, body) => {
    const { runner, runs } = await observe(body);
    expect((await checkInterference(runner, runs)).leaks).toEqual([]);
  });
});
