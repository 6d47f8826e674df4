import { readFile } from "node:fs/promises";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { replayLog } from "../../src/replay/replay.ts";
import { fakePack, type FakeHook } from "../support/fake-pack.ts";
import { type FakeProgram, FakeSandbox } from "../support/fake-sandbox.ts";
import { fakeWarden } from "../support/fake-warden.ts";
import { createWarden } from "../../src/warden/index.ts";
import type { WardenOptions } from "../../src/warden/options.ts";
import { bytesOf, readLog, testFile, verifyText } from "./support.ts";

const secret = "hunter2-Sesame!öffne\u0007dich";

/** Every way in which a hook could put a secret that it was shown into its answer. */
const leaker: FakeHook = {
  name: "leaker",
  state: { scope: "session", maxBytes: 4_096 },
  run: (event) => {
    const { password } = event.tool_input;
    return [
      { action: "deny", reason: `the password is ${password}` },
      { action: "notify", text: `upper ${password.toUpperCase()}` },
      { action: "notify", text: `spaced ${[...password].join(" ")}` },
      { action: "notify", text: `cut ${password.slice(0, 8)}…` },
      { action: "notify", text: `backwards ${[...password].toReversed().join("")}` },
      { action: "notify", text: `base64 ${Buffer.from(password).toString("base64")}` },
      { action: "notify", text: `hex ${Buffer.from(password).toString("hex")}` },
      { action: "notify", text: `uri ${encodeURIComponent(password)}` },
      { action: "notify", text: `json ${JSON.stringify(JSON.stringify(event))}` },
      { action: "set_state", value: { [password]: [password, { deep: password }] } },
    ];
  },
};

function holds(text: string): boolean {
  const plain = text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]/g, "");
  return (
    ["hunter", "sesame", "offnedich", "retnuh", "emases"].some((piece) => plain.includes(piece)) ||
    /aHVudGVy|68756e746572/i.test(text)
  );
}

const event = {
  hook_event_name: "PreToolUse",
  session_id: "s1",
  tool_name: "login",
  tool_input: { user: "alice", password: secret, note: `use ${secret} twice`, list: [1, { pin: 4711 }] },
};
const mask = ["/tool_input/password"];

async function logged(
  hooks: readonly FakeHook[],
  masks: readonly string[],
  of: object = event,
  options: Partial<WardenOptions> = {},
) {
  const log = testFile();
  const { warden } = await fakeWarden(hooks, {}, { log: { to: log, mask: masks }, ...options });
  const decisions = [await warden.dispatch(of), await warden.dispatch(of)];
  await warden[Symbol.asyncDispose]();
  const records = (await readLog(log)).filter(({ kind }) => kind === "decision");
  return { decisions, records, text: await readFile(log, "utf8") };
}

test("a masked value is nowhere in the log: not in the event, reasons, notices, state, inputs, outputs", async () => {
  const { decisions, records, text } = await logged([leaker], mask);
  // The host still gets it all.
  expect(decisions[0]?.reason).toContain("hunter2");
  expect(holds(JSON.stringify(decisions))).toBe(true);
  expect(holds(text)).toBe(false);
  expect(records[0]).toMatchObject({
    replayable: false,
    why: "values are masked",
    masked: ["/tool_input/password"],
    event: { tool_input: { user: "alice", password: "[masked]", note: "use [masked] twice" } },
    decision: { verdict: "deny", decided_by: "leaker" },
  });
  expect(records[1]?.["state"].leaker).toContain("[masked]");
  expect((await verifyText(text)).problem).toBeNull();
});

test("console lines, exceptions, refused actions and names of actions are masked", async () => {
  const sandbox = new FakeSandbox();
  const runs: { readonly [name: string]: FakeProgram } = {
    thrower: ({ tool_response }) => {
      throw new Error(`cannot parse ${tool_response.token}`);
    },
    namer: ({ tool_response }) => ({ action: tool_response.token }),
    refused: ({ tool_response }) => ({ action: "deny", reason: tool_response.token }),
    writer: ({ tool_response }) => ({ action: "augment", text: `saw ${tool_response.token}` }),
    changer: ({ tool_response }) => ({
      action: "replace_result",
      result: { was: tool_response, [tool_response.token]: 1 },
    }),
  };
  const hooks = Object.entries(runs).map(([name, run]): FakeHook => ({
    name,
    run,
    on: ["PostToolUse"],
    onFailure: "open",
  }));
  const pack = fakePack(sandbox, hooks);
  const call = sandbox.call.bind(sandbox);
  sandbox.call = (one) => {
    const outcome = call(one);
    if (outcome instanceof Promise) throw new Error("fakes answer at once");
    return {
      ...outcome,
      logs: [
        { level: "log", text: `console ${JSON.parse(one.args[0] as string).tool_response.token}\u001b[31m` },
      ],
    };
  };
  const log = testFile();
  const warden = await createWarden({ sandbox, pack, log: { to: log, mask: ["/tool_response/token"] } });
  const decision = await warden.dispatch({
    hook_event_name: "PostToolUse",
    session_id: "s",
    tool_name: "t",
    tool_response: { token: secret },
  });
  await warden[Symbol.asyncDispose]();
  expect(decision.trace.map(({ outcome }) => outcome)).toEqual(
    expect.arrayContaining(["faulted", "refused", "honoured"]),
  );
  expect(holds(JSON.stringify(decision))).toBe(true);
  expect(holds(await readFile(log, "utf8"))).toBe(false);
});

test("digests of what was masked are left out: a short value could be tried out", async () => {
  const { records } = await logged(
    [{ ...guardOf("pin"), run: () => ({ action: "block", reason: "illegal here" }) }],
    ["/tool_input/list/*/pin"],
  );
  const { calls, decision } = records[0] as { [member: string]: any };
  expect(calls[0]).not.toHaveProperty("input");
  expect(calls[0]).not.toHaveProperty("output");
  expect(decision.trace[0].refused[0].digest).toBe("[masked]");
});

describe("pointers", () => {
  test("`*` stands for every member, of arrays too", async () => {
    const { records } = await logged([guardOf("x")], ["/tool_input/list/*/pin"]);
    expect(records[0]).toMatchObject({
      masked: ["/tool_input/list/1/pin"],
      event: { tool_input: { list: [1, { pin: "[masked]" }] } },
    });
  });

  test("of a whole field take all that is in it", async () => {
    const { records, text } = await logged([leaker], ["/tool_input"]);
    expect(records[0]?.["event"].tool_input).toBe("[masked]");
    expect(holds(text)).toBe(false);
    expect(text).not.toContain("4711");
  });

  test("escape as in RFC 6901, and meet nothing by a prototype", async () => {
    const odd = { ...event, tool_input: { "a/b": "slashed-value", "m~n": "tilded-value" } };
    const { records } = await logged(
      [guardOf("x")],
      ["/tool_input/a~1b", "/tool_input/m~0n", "/tool_input/constructor/name", "/tool_input/length"],
      odd,
    );
    expect(records[0]).toMatchObject({
      masked: ["/tool_input/a~1b", "/tool_input/m~0n"],
      event: { tool_input: { "a/b": "[masked]", "m~n": "[masked]" } },
    });
  });

  test("that meet nothing leave a record that can be replayed", async () => {
    const { records } = await logged([guardOf("x")], ["/tool_input/absent", "/prompt"]);
    expect(records[0]).toMatchObject({ replayable: true });
    expect(records[0]).not.toHaveProperty("masked");
  });
});

test("a masked record is skipped by a replay, and says why", async () => {
  const sandbox = new FakeSandbox();
  const pack = fakePack(sandbox, [guardOf("x")]);
  const log = testFile();
  const warden = await createWarden({ sandbox, pack, log: { to: log, mask } });
  await warden.dispatch(event);
  await warden.dispatch({ ...event, tool_input: {} });
  await warden[Symbol.asyncDispose]();
  const replayed = await Array.fromAsync(
    replayLog(bytesOf(await readFile(log)), { packs: [pack], sandbox: () => sandbox }),
  );
  expect(replayed).toMatchObject([{ result: "skipped", why: "values are masked" }, { result: "same" }]);
});

test("numbers are masked in texts and in data", async () => {
  const hook: FakeHook = {
    name: "teller",
    run: ({ tool_input }) => [
      { action: "ask", reason: `card ${tool_input.card}` },
      { action: "modify_input", input: { again: tool_input.card } },
    ],
  };
  const { text } = await logged([hook], ["/tool_input/card"], {
    ...event,
    tool_input: { card: 4111111111111111 },
  });
  expect(text).not.toContain("4111111111111111");
});

test("short values are not left to be read from gaps in a text", async () => {
  const hook: FakeHook = {
    name: "teller",
    run: ({ tool_input }) => ({ action: "ask", reason: `the pin is ${tool_input.pin}` }),
  };
  const { records } = await logged([hook], ["/tool_input/pin"], { ...event, tool_input: { pin: "42" } });
  expect(records[0]?.["decision"].reason).toBe("[masked]");
});

test("a masked record says nothing of what a hook wrote: it is the same whatever the hook wrote", async () => {
  // A hook can put a value that it has read into its texts in any encoding, and into which of its lines throws.
  const written = fc.record({
    text: fc.string({ unit: "binary", maxLength: 30 }),
    line: fc.nat(99),
    value: fc.jsonValue({ maxDepth: 2 }),
  });
  type Written = typeof written extends fc.Arbitrary<infer T> ? T : never;
  const record = async ({ text, line, value }: Written): Promise<unknown> => {
    const hook: FakeHook = {
      name: "writer",
      state: { scope: "session", maxBytes: 4_096 },
      run: () => [
        { action: "modify_input", input: { [`x${text}`]: value } },
        { action: "ask", reason: `x${text}` },
        { action: "notify", text: `x${text}` },
        { action: "set_state", value },
        { action: `no-action-${text}`, text },
      ],
    };
    const thrower: FakeHook = {
      name: "thrower",
      onFailure: "open",
      run: () => {
        throw Object.assign(new Error(text), { stack: `Error\n    at hook.js:${line}:1` });
      },
    };
    const { records } = await logged([hook, thrower], mask);
    const measured = new Set([
      "duration_us",
      "memory_bytes",
      "decision_id",
      "time",
      "hash",
      "prev",
      "seed",
      "pack",
    ]);
    return JSON.parse(
      JSON.stringify(records, (key, one: unknown) =>
        measured.has(key) || String(one).startsWith("fake:") ? null : one,
      ),
    ) as unknown;
  };
  const expected = await record({ text: "plain", line: 1, value: 1 });
  expect(JSON.stringify(expected)).toContain("modify_input");
  await fc.assert(
    fc.asyncProperty(written, async (one) => {
      expect(await record(one)).toEqual(expected);
    }),
    { seed: 14, numRuns: 8 },
  );
});

function guardOf(name: string): FakeHook {
  return { name, run: () => null };
}
