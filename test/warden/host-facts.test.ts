import { createReadStream } from "node:fs";
import { createQuickjsSandbox } from "@hookwarden/sandbox/quickjs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { deriveInThread } from "../../src/facts/index.ts";
import { createWarden, type WardenOptions } from "../../src/index.ts";
import { loadPackFromFiles, type LoadedPack } from "../../src/pack/index.ts";
import { replayLog } from "../../src/replay/index.ts";
import type { Sandbox } from "@hookwarden/sandbox";
import { readLog, testFile } from "../log/support.ts";

let sandbox: Sandbox;
let pack: LoadedPack;

const hook = (name: string, more: object, code: string): readonly [string, string][] => [
  [
    `${name}/hook.json`,
    JSON.stringify({
      apiVersion: 1,
      name,
      version: "1.0.0",
      entry: "hook.js",
      on: [{ event: "PreToolUse" }],
      reads: ["facts.host.customer"],
      actions: ["deny", "notify"],
      ...more,
    }),
  ],
  [`${name}/hook.js`, code],
];

beforeAll(async () => {
  sandbox = await createQuickjsSandbox();
  const when = { path: "facts.host.customer.plan", equals: "free" };
  const files = [
    ["hookwarden.json", JSON.stringify({ apiVersion: 1, hooks: ["guard", "routed"] })] as const,
    ...hook(
      "guard",
      {},
      `export default ({ facts: { host: { customer } }, host_facts }) =>
        host_facts ? { action: "deny", reason: "unfiltered" }
        : customer.ok ? customer.blocked ? { action: "deny", reason: customer.mail } : undefined
        : { action: "deny", reason: customer.why };`,
    ),
    ...hook(
      "routed",
      { on: [{ event: "PreToolUse", when }], reads: ["host_facts"] },
      `export default ({ host_facts }) => ({ action: "notify", text: "free " + typeof host_facts });`,
    ),
  ];
  pack = await loadPackFromFiles(new Map(files.map(([path, text]) => [path, Buffer.from(text)])));
});
afterAll(() => sandbox[Symbol.asyncDispose]());

const event = (more: object = {}) => ({
  hook_event_name: "PreToolUse",
  session_id: "s",
  tool_name: "Bash",
  tool_input: { command: "ls" },
  ...more,
});

const schema = {
  type: "object",
  properties: { plan: { type: "string" }, blocked: { type: "boolean" }, mail: { type: "string" } },
  required: ["plan"],
  additionalProperties: false,
};

function factOf(derive: (event: object, of: { readonly tenant: string }) => unknown, more: object = {}) {
  return { facts: { customer: { version: "1.2", schema, derive, ...more } } } as Partial<WardenOptions>;
}

async function decide(options: Partial<WardenOptions>, input: object = event()) {
  await using warden = await createWarden({ pack, sandbox, ...options });
  const { verdict, reason, trace, additions } = await warden.dispatch(input, { tenant: "acme" });
  return {
    verdict,
    reason,
    routed: trace.find((one) => one.hook === "routed")?.outcome,
    notices: additions.notices.map(({ text }) => text),
  };
}

describe("a fact of the host", () => {
  test("is read by hooks and conditions, and is derived of the event and its tenant", async () => {
    const blocked = factOf((_, { tenant }) => ({ plan: "paid", blocked: true, mail: `x@${tenant}` }));
    expect(await decide(blocked)).toMatchObject({ verdict: "deny", reason: "x@acme", routed: "not-matched" });
    const free = factOf(async () => ({ plan: "free" }));
    expect(await decide(free)).toMatchObject({ verdict: "continue", notices: ["free undefined"] });
  });

  test.each([
    ["throws", () => Promise.reject(new Error("down"))],
    ["is late", () => new Promise(() => undefined)],
    ["is no object", () => "free"],
    ["is nothing", () => undefined],
    ["breaks its schema", () => ({ plan: 1 })],
    ["is too large", () => ({ plan: "x".repeat(70_000) })],
    ["has no JSON", () => ({ plan: 1n })],
  ])("that %s is not known: guards see why, and conditions match", async (_, derive) => {
    const found = await decide(factOf(derive, { timeoutMs: 50 }));
    expect(found).toMatchObject({ verdict: "deny", reason: "host", notices: [] });
    expect(found.routed).not.toBe("not-matched");
  });

  // Attack: the sender of an event brings the facts that a guard would like to see.
  test.each([
    ["that the host does not have", {}],
    ["that the host has for other events", factOf(() => ({ plan: "paid" }), { events: ["Stop"] })],
  ])("%s cannot come with the event", async (_, options) => {
    const forged = event({ host_facts: { customer: { version: "1.2", value: { plan: "paid" } } } });
    expect(await decide(options, forged)).toMatchObject({ verdict: "deny", reason: "absent" });
    expect(await decide({ facts: "recorded" }, forged)).toMatchObject({ verdict: "continue" });
  });

  test("is derived only for events at which a hook reads it, and cannot change the event", async () => {
    const seen: unknown[] = [];
    const derive = (given: object): object => {
      seen.push({ ...given });
      (given as { tool_name: string }).tool_name = "Other";
      return { plan: "paid" };
    };
    await decide(factOf(derive), { hook_event_name: "Stop", session_id: "s" });
    expect(seen).toEqual([]);
    await decide(factOf(derive));
    expect(seen).toEqual([expect.objectContaining(event())]);
  });

  test("is in the log whole, is masked as a field is, and a replay uses what was recorded", async () => {
    const log = testFile();
    let count = 0;
    const options = factOf(() => ({ plan: "paid", blocked: ++count % 2 === 0, mail: `secret ${count}` }));
    {
      await using warden = await createWarden({ pack, sandbox, log, ...options });
      for (let n = 0; n < 4; n++) await warden.dispatch(event());
    }
    const replayed = await Array.fromAsync(
      replayLog(createReadStream(log), { packs: [pack], sandbox: () => sandbox }),
    );
    expect(replayed.map(({ result }) => result)).toEqual(["same", "same", "same", "same"]);
    const masked = testFile();
    {
      const to = { to: masked, mask: ["/host_facts/customer/value/mail"] };
      await using warden = await createWarden({ pack, sandbox, log: to, ...options });
      await warden.dispatch(event());
      await warden.dispatch(event());
    }
    const records = (await readLog(masked)).filter(({ kind }) => kind === "decision");
    expect(records[0]?.event).toMatchObject({
      host_facts: { customer: { version: "1.2", value: { plan: "paid", mail: "[masked]" } } },
    });
    expect(JSON.stringify(records)).not.toMatch(/secret \d/);
  });
});

test("paths are those that symbolic links lead to, if the host resolves them; a replay uses the record", async () => {
  const files = [
    ["hookwarden.json", JSON.stringify({ apiVersion: 1, hooks: ["move", "guard"] })] as const,
    ...hook(
      "move",
      { reads: ["tool_input"], actions: ["modify_input"] },
      `export default ({ tool_input: { command } }) => command === "move" ? { action: "modify_input", input: { command: "rm /home/u/p/link" } } : undefined;`,
    ),
    ...hook(
      "guard",
      { reads: ["facts.paths"] },
      `export default ({ facts: { paths } }) => ({ action: "deny", reason: paths.paths.map(({ path, inside }) => path + " " + inside).join(", ") });`,
    ),
  ];
  const linked = await loadPackFromFiles(new Map(files.map(([path, text]) => [path, Buffer.from(text)])));
  const log = testFile();
  const paths = async (command: string, resolveLink: (path: string) => string | Promise<string>) => {
    await using warden = await createWarden({ pack: linked, sandbox, log, resolveLink });
    const input = event({ cwd: "/home/u/p", tool_input: { command } });
    return (await warden.dispatch(input)).reason;
  };
  const resolve = (path: string): string => path.replace("/home/u/p/link", "/etc");
  expect(await paths("rm link/x y", resolve)).toBe("/etc/x false, /home/u/p/y true");
  expect(await paths("move", resolve)).toBe("/home/u/p/link null");
  expect(await paths("rm link", () => Promise.reject(new Error("gone")))).toBe("/home/u/p/link null");
  // On a busy machine the thread may take longer to start than a decision may.
  await deriveInThread(["shell"], event({ tool_input: { command: "x" } }));
  expect(await paths(`${"true; ".repeat(200)}rm link`, resolve)).toBe("/etc false");
  const replayed = await Array.fromAsync(
    replayLog(createReadStream(log), { packs: [linked], sandbox: () => sandbox }),
  );
  expect(replayed.map(({ result }) => result)).toEqual(["same", "same", "same", "same"]);
});

test.each([
  [{ links: {} }, "is reserved"],
  [{ Customer: {} }, "`facts.Customer` must be named"],
  [{ customer: { version: "1.0", schema: {} } }, "a function `derive`"],
  [{ customer: { version: "1", schema: {}, derive: () => ({}) } }, "a `version` such as"],
  [{ customer: { version: "1.0", derive: () => ({}) } }, "a `schema`"],
  [{ customer: { version: "1.0", schema: {}, events: ["No"], derive: () => ({}) } }, "no event"],
])("a fact that cannot be used is refused: %j", async (facts, message) => {
  await expect(createWarden({ pack, sandbox, facts: facts as never })).rejects.toThrow(message);
});
