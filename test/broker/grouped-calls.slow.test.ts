import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createSandbox, type Call, type Outcome, type Sandbox } from "@hookwarden/sandbox";
import { createWarden } from "../../src/warden/index.ts";
import type { LoadedPack } from "../../src/pack/types.ts";
import { fakePack, type FakeHook } from "../support/fake-pack.ts";
import { FakeSandbox } from "../support/fake-sandbox.ts";

// The calls of a decision are made together, before it is known which of them are needed. Whatever the hooks do, the
// decision, the trace and the record must be those of calls that are made one after another.

/** One program for all hooks: what it does is in the hook's configuration. */
const source = `export default (event, context) => {
  const { does, when } = context.config;
  const command = event.tool_input?.command ?? "";
  if (!command.includes(when)) return;
  switch (does) {
    case "deny": return { action: "deny", reason: command };
    case "ask": return { action: "ask", reason: command };
    case "rewrite": return { action: "modify_input", input: { command: command + "b" } };
    case "same": return { action: "modify_input", input: { command } };
    case "notify": return { action: "notify", text: command + ' "action":"deny"' };
    case "count": return { action: "set_state", value: (context.state ?? 0) + 1 };
    case "throw": throw new Error(command);
    case "wrong": return { action: "nonsense" };
    case "random": return { action: "notify", text: String(Math.random()) };
    case "log": return void console.log(command);
    case "loop": for (;;);
  }
};`;

const behaviours = [
  "deny",
  "ask",
  "rewrite",
  "same",
  "notify",
  "count",
  "throw",
  "wrong",
  "random",
  "log",
  "loop",
];

const hookArb = fc.record({
  does: fc.constantFrom(...behaviours),
  when: fc.constantFrom("", "", "a", "b", "bb", "z"),
  mode: fc.constantFrom("sequential", "sequential", "sequential", "monitor", "parallel"),
  closed: fc.boolean(),
});

type Behaviour = typeof hookArb extends fc.Arbitrary<infer T> ? T : never;

function packOf(behaviours: readonly Behaviour[]): LoadedPack {
  const hooks = behaviours.map(({ does, when, mode, closed }, at): FakeHook => ({
    name: `hook-${at}`,
    run: () => undefined,
    config: { does, when },
    mode: mode as "sequential",
    ...(mode === "parallel" ? {} : { onFailure: closed ? "closed" : "open" }),
    state: { scope: "session", maxBytes: 100 } as never,
    limits: does === "loop" ? { steps: 20_000, wallMs: 5_000 } : { wallMs: 5_000 },
  }));
  const pack = fakePack(new FakeSandbox(), hooks);
  return {
    ...pack,
    hooks: pack.hooks.map((hook) => ({ ...hook, program: { key: "one", name: "hook.js", source } })),
  };
}

/** The same sandbox, which does not say that it groups calls. */
function ungrouped(sandbox: Sandbox): Sandbox {
  return {
    engine: sandbox.engine,
    version: sandbox.version,
    call: (call) => sandbox.call(call),
    inspect: (...args) => sandbox.inspect(...args),
    forget: (key) => sandbox.forget(key),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** Counts calls, and how many were in a group. */
function counting(sandbox: Sandbox, counts: { calls: number; grouped: number; skipped: number }): Sandbox {
  const note = (outcome: Outcome): Outcome => {
    if (!outcome.ok && outcome.skipped) counts.skipped++;
    return outcome;
  };
  return {
    ...ungrouped(sandbox),
    groupsCalls: true,
    call: async (call: Call) => {
      counts.calls++;
      if (call.group) counts.grouped++;
      return note(await sandbox.call(call));
    },
  };
}

const withoutTimes = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, one: unknown) =>
      ["duration_us", "memory_bytes", "pack"].includes(key) ? undefined : one,
    ),
  );

async function decideAll(
  sandbox: Sandbox,
  pack: LoadedPack,
  commands: readonly string[],
): Promise<unknown[]> {
  const made: unknown[] = [];
  await using warden = await createWarden({
    sandbox,
    pack,
    recorder: (record) => void made.push(withoutTimes(record)),
  });
  for (const [at, command] of commands.entries()) {
    const event = {
      hook_event_name: "PreToolUse",
      session_id: "s",
      tool_name: "Bash",
      tool_input: { command },
      tool_use_id: "u",
    };
    made.push(withoutTimes(await warden.dispatch(event, { decisionId: `d-${at}` })));
  }
  return made;
}

let sandbox: Sandbox;
const counts = { calls: 0, grouped: 0, skipped: 0 };

beforeAll(async () => {
  sandbox = await createSandbox({ processes: 1, graceMs: 5_000, containment: "none" });
});

afterAll(() => sandbox[Symbol.asyncDispose]());

test("calls that are made together give the decisions, traces and records of sequential ones", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(hookArb, { minLength: 1, maxLength: 7 }),
      fc.array(fc.constantFrom("", "a", "b", "ab"), { minLength: 1, maxLength: 3 }),
      async (hooks, commands) => {
        const pack = packOf(hooks);
        const together = await decideAll(counting(sandbox, counts), pack, commands);
        expect(together).toEqual(await decideAll(ungrouped(sandbox), pack, commands));
      },
    ),
    { numRuns: 400 },
  );
  // Otherwise nothing was tested.
  expect(counts.grouped).toBeGreaterThan(0);
  expect(counts.skipped).toBeGreaterThan(0);
}, 120_000);
