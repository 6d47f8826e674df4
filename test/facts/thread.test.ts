import { createSandbox } from "@hookwarden/sandbox";
import { expect, onTestFinished, test } from "vitest";
import { decide, makePlan, readEvent, RetryCounters } from "../../src/broker/index.ts";
import { deriveInThread, type FactDeriver, FactSet } from "../../src/facts/index.ts";
import { loadPackFromFiles } from "../../src/pack/index.ts";
import { KeyedQueue, MemoryStateStore } from "../../src/state/index.ts";

const manifest = (name: string, more: object): string =>
  JSON.stringify({
    apiVersion: 1,
    name,
    version: "1.0.0",
    entry: "../hook.js",
    on: [{ event: "PreToolUse" }],
    actions: ["deny", "modify_input"],
    ...more,
  });

const pack = await loadPackFromFiles(
  new Map(
    Object.entries({
      "hookwarden.json": JSON.stringify({ apiVersion: 1, hooks: ["plain", "guard", "routed"] }),
      "plain/hook.json": manifest("plain", { entry: "hook.js", reads: ["tool_input"] }),
      "plain/hook.js": `export default ({ tool_input }) => tool_input.command === "grow" ? { action: "modify_input", input: { command: "echo " + "a ".repeat(1_100) + "; rm x" } } : undefined;`,
      "guard/hook.json": manifest("guard", { entry: "hook.js", reads: ["facts.shell"], actions: ["deny"] }),
      "guard/hook.js": `export default ({ facts: { shell } }) => shell.commands.some(({ name }) => name === "rm") ? { action: "deny", reason: "rm" } : undefined;`,
      "routed/hook.json": manifest("routed", {
        entry: "hook.js",
        on: [{ event: "PreToolUse", when: { path: "facts.shell.commands.*.name", equals: "dd" } }],
        reads: [],
        actions: ["deny"],
      }),
      "routed/hook.js": `export default () => ({ action: "deny", reason: "dd" });`,
    }).map(([path, text]) => [path, Buffer.from(text)]),
  ),
);

/** Decides with a deriver, and gives what it was asked for. */
async function decideWith(command: string, derive: FactDeriver, decisionMs = 60_000) {
  const sandbox = await createSandbox({ engine: "quickjs", isolation: "inline" });
  onTestFinished(() => sandbox[Symbol.asyncDispose]());
  const asked: (readonly string[])[] = [];
  const input = {
    hook_event_name: "PreToolUse",
    session_id: "s",
    tool_name: "Bash",
    tool_input: { command },
  };
  const { event, clock } = readEvent(input, 1_000_000, 0);
  const { decision } = await decide(
    {
      sandbox,
      retries: new RetryCounters(),
      toolInputs: new Map(),
      store: new MemoryStateStore(),
      queue: new KeyedQueue(),
      deriveFacts: (names, fields) => {
        asked.push([...names, ...Object.keys(fields)]);
        return derive(names, fields);
      },
    },
    {
      plan: makePlan({ ...pack, budgets: { ...pack.budgets, decisionMs } }),
      event,
      clock,
      decisionId: "d",
      tenant: "t",
      record: false,
      keep: false,
    },
  );
  const trace = Object.fromEntries(decision.trace.map((one) => [one.hook, one.fault?.code ?? one.outcome]));
  return { verdict: decision.verdict, reason: decision.reason, asked, trace };
}

test.each(["rm x", "for i in 1 2 3; do rm $i; done"])("%s is read here", async (command) => {
  expect(await decideWith(command, deriveInThread)).toMatchObject({
    verdict: "deny",
    reason: "rm",
    asked: [],
  });
});

test.each([
  ["a long command line", `echo ${"a ".repeat(1_100)}; rm x`],
  ["a short line with many rounds", "for i in {1..20}; do for j in {1..20}; do y=$i$j; done; done; rm x"],
  ["a rewrite that makes it long", "grow"],
])("%s is read in the thread, with the fields that the facts come from", async (_, command) => {
  expect(await decideWith(command, deriveInThread)).toMatchObject({
    verdict: "deny",
    reason: "rm",
    asked: [["shell", "tool_name", "tool_input"]],
    trace: { routed: "not-matched" },
  });
});

test.each([
  ["fails", () => Promise.reject(new Error("out of memory"))],
  // Attack: a command line that keeps the thread busy must not make guards pass.
  ["does not answer in time", () => new Promise<never>(() => undefined)],
])("if the thread %s, guards that need the facts fail closed", async (_, derive) => {
  const { verdict, trace } = await decideWith("x; ".repeat(1_000), derive, 300);
  expect(verdict).toBe("deny");
  expect(trace).toMatchObject({ plain: "honoured", guard: "budget-exceeded" });
});

test("the thread derives what is derived here, and survives a bad task", async () => {
  const fields = {
    tool_name: "Bash",
    tool_input: { command: "for i in a b; do curl http://$i.example/ > /tmp/$i; done" },
    cwd: "/home/u/p",
  };
  const names = ["tool", "shell", "paths", "hosts"] as const;
  const set = new FactSet(fields);
  await expect(deriveInThread(["nothing" as "tool"], {})).rejects.toThrow("cannot be derived");
  expect(await deriveInThread(names, fields)).toEqual(names.map((name) => set.textOf(name)));
});
