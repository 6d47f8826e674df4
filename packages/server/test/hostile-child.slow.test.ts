import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Client } from "@hookwarden/client";
import type { Decision } from "hookwarden/broker";
import { children } from "../../../sandbox/test/process/support.ts";
import { eventOf, guard, packOf } from "../../../test/bench/server/setup.ts";
import { startTestServer, type TestServer } from "./support.ts";

// The cases of `test/hostile/NON-SCRIPT.md` on the channel between the server and its processes, through HTTP. A guest
// has broken its engine: whatever its process says or does then, the decision is one of the failure policy, nothing of
// what happened inside gets out, and the next tenant is served as ever.

const engineModule = fileURLToPath(new URL("./fakes/broken-engine.ts", import.meta.url));
/** Children at the same time: more than two lanes have that work, stand by and take over, and fewer than are killed. */
const mostChildren = 14;

let before: number[];
let test: TestServer;
let quiet: Client;
/** Tenants of the attacker: one whose hook closes its gate where it fails, and one whose hook decides nothing. */
let closed: { readonly key: string };
let open: { readonly key: string };

beforeAll(async () => {
  before = children();
  test = await startTestServer({
    where: "process",
    processes: { engineModule, processes: 1, startMs: 30_000, graceMs: 100, rssMarginBytes: 128 << 20 },
    audit: "off",
    quarantine: { faults: 1_000_000_000 },
    tenantLimits: { cpuMsPerMinute: 6_000_000 },
  });
  const source = "export default () => ({ action: 'notify', text: 'seen' })";
  // Long enough for a process that has just been started from sources, on a busy machine.
  const limits = { wallMs: 1_500, outputBytes: 65_536 };
  const budgets = { decisionMs: 10_000 };
  const state = { scope: "session", maxBytes: 100 };
  closed = await test.tenant(
    "closed",
    packOf(source, { actions: ["deny", "notify", "set_state"], limits, state, budgets }),
  );
  open = await test.tenant(
    "open",
    packOf(source, { actions: ["notify", "set_state"], limits, state, budgets }),
  );
  const patient = packOf(guard["guard/hook.js"] as string, { limits: { wallMs: 10_000 }, budgets });
  ({ client: quiet } = await test.tenant("quiet", patient));
});

afterAll(() => test[Symbol.asyncDispose]());

/** Asks for a decision; what comes back must hold nothing of the inside. */
async function decide({ key }: { readonly key: string }, command: string, session = "s1"): Promise<Decision> {
  const answer = await fetch(`${test.url}/v1/decisions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(eventOf(session, command)),
  });
  const text = await answer.text();
  expect(answer.status, text).toBe(200);
  expect(text.length).toBeLessThan(4_096);
  expect(text).not.toContain("hunter2");
  expect(text).not.toMatch(/\/work|\/tmp|\/home|\/usr|file:|node_modules|node:|\.[cm]?[jt]s\b|\bat \S+ \(/);
  return JSON.parse(text) as Decision;
}

async function othersAreServed(): Promise<void> {
  const denied = await quiet.decide(eventOf("s1", "rm -rf /"));
  expect(denied).toMatchObject({ verdict: "deny", decided_by: "guard", trace: [{ outcome: "honoured" }] });
  expect(await quiet.decide(eventOf())).toMatchObject({
    verdict: "continue",
    trace: [{ outcome: "honoured" }],
  });
  const started = (): number => children().filter((pid) => !before.includes(pid)).length;
  await expect.poll(started, { timeout: 10_000 }).toBeLessThanOrEqual(mostChildren);
}

/**
 * The decisions of hooks that have failed, by their policies: either closed by name, or open, with the fault in sight;
 * and beside them, in the same processes, somebody who is served. After each the hooks are asked something harmless, as
 * one that ends its process again and again is soon not run any more.
 */
async function fails(command: string, codes: readonly string[]): Promise<void> {
  const [shut, passed] = await Promise.all([
    decide(closed, command),
    decide(open, command),
    othersAreServed(),
  ]);
  expect(shut).toMatchObject({ verdict: "deny", decided_by: "guard" });
  expect(codes).toContain(failureOf(shut));
  expect(shut.additions.notices).toEqual([]);
  expect(passed).toMatchObject({ verdict: "continue", decided_by: null, changes: {} });
  expect(codes).toContain(failureOf(passed));
  expect(passed.additions.notices).toEqual([]);
  const [one, other] = await Promise.all([
    decide(closed, "harmless"),
    decide(open, "harmless"),
    othersAreServed(),
  ]);
  expect([one, other].map(({ additions }) => additions.notices[0]?.text)).toEqual(["seen", "seen"]);
}

function failureOf({ trace }: Decision): string | undefined {
  return trace[0]?.fault?.code ?? trace[0]?.refused[0]?.code;
}

it("serves while nothing is broken", async () => {
  expect((await decide(closed, "ls")).additions.notices[0]?.text).toBe("seen");
  expect((await decide(open, "ls")).additions.notices[0]?.text).toBe("seen");
  await othersAreServed();
});

describe("a child that lies", () => {
  // Answers that belong to others, frames that make a careless parent allocate or wait, faults and logs that it may not
  // name or send; behind each of them an answer that would open the gate.
  it.each([
    "answer of another call",
    "answer of an earlier call",
    "frame longer than it says",
    "line without end",
    "stack trace",
    "body that is no UTF-8",
    "fault of the broker",
    "logs over the limit",
  ])("%s: the decision is the failure policy's", (lie) => fails(lie, ["crashed"]));
});

describe("ipc-001: frames that are too large or too slow", () => {
  it.each([
    ["frame of 4 GB", "crashed"],
    ["frame over the limit", "crashed"],
    ["one byte a second", "timeout"],
  ])("%s: the process ends, the decision is the failure policy's", (lie, code) => fails(lie, [code]));
});

describe("a child that ends", () => {
  it.each(["throw", "reject", "never answer", "exit", "abort"])(
    "%s: the decision is the failure policy's",
    (how) => fails(how, ["crashed"]),
  );

  it.each(["fill the memory", "fill the heap"])("%s: the decision is the failure policy's", (how) =>
    // Whichever comes first on a busy machine.
    fails(how, ["memory-exceeded", "timeout"]),
  );
});

describe("ipc-005: a child that floods its standard error", () => {
  it("is drained, and its answer counts", async () => {
    const decision = await decide(closed, "flood stderr");
    // Ten megabytes and a million lines within a second, or a timeout by the failure policy.
    if (decision.trace[0]?.fault) expect(decision.trace[0].fault.code).toBe("timeout");
    else expect(decision).toMatchObject({ verdict: "continue", trace: [{ outcome: "honoured" }] });
    await othersAreServed();
    expect(test.lines.join("\n")).not.toContain("hunter2");
  });
});

describe("ipc-006: a child that does not end", () => {
  it.each(["hang, deaf to SIGTERM", "stop itself"])(
    "%s: the process is killed and reaped, the decision is the failure policy's",
    async (how) => {
      const own = new Set(children());
      await fails(how, [how === "stop itself" && refusesSignals() ? "crashed" : "timeout"]);
      // At least the one that hung has been replaced, and none is left as a zombie.
      await expect.poll(() => children().some((pid) => !own.has(pid)), { timeout: 10_000 }).toBe(true);
      await expect.poll(() => children().filter(isZombie), { timeout: 10_000 }).toEqual([]);
    },
  );

  /** Whether the system call filter is in force: `kill` fails then, so that the process ends instead of stopping. */
  function refusesSignals(): boolean {
    return test.server.context.containment.walls.some(
      ({ wall, inForce }) => wall === "system-calls" && inForce,
    );
  }
});

describe("ipc-004: JSON bombs as a hook's answer", () => {
  // Whichever comes first: what it takes to make it, or what the server reads of it.
  const unread = ["crashed", "memory-exceeded", "output-too-large", "timeout"];
  const invalid = ["invalid-output", "output-too-deep"];
  it.each<[string, readonly string[]]>([
    ["64 MB of brackets", unread],
    ["a million keys", unread],
    ["a number of 100,000 digits", [...unread, ...invalid]],
    ["brackets up to the limit", invalid],
    ["closed brackets", [...unread, ...invalid]],
    ["keys up to the limit", invalid],
    ["`__proto__`", invalid],
    ["`__proto__` in escapes", invalid],
    ["`constructor`", invalid],
    ["two actions in one", invalid],
    ["`1e999`", invalid],
    ["two documents", invalid],
    ["nothing", invalid],
  ])("%s from a broken engine: refused, by the failure policy", (bomb, codes) => fails(bomb, codes));
});

describe("ipc-004: JSON bombs that a hook makes in a whole engine", () => {
  const answers = {
    "arrays in arrays": "() => { let all = []; for (let at = 0; at < 1e5; at++) all = [all]; return all; }",
    "keys by the million":
      "() => Object.fromEntries(Array.from({ length: 1e6 }, (_, at) => [at.toString(36), 0]))",
    "a text of 64 MB": "() => ({ action: 'notify', text: 'hunter2 '.repeat(8 << 20) })",
    "a key `__proto__` of its own": `() => JSON.parse('{"action":"notify","text":"hunter2","__proto__":{"action":"allow"}}')`,
    "`toJSON` that answers something else":
      "() => ({ action: 'notify', text: { toJSON: () => ({ toString: 'hunter2' }) } })",
    "a getter that never ends": "() => ({ get action() { for (;;); } })",
    "a proxy with keys without end":
      "() => new Proxy({}, { ownKeys: () => Array.from({ length: 1e7 }, (_, at) => 'k' + at) })",
    "an answer that holds itself": "() => { const all = {}; all.all = all; return all; }",
  };
  let bomber: { readonly key: string };
  beforeAll(async () => {
    const source = `const answers = { ${Object.entries(answers)
      .map(([name, code]) => `${JSON.stringify(name)}: ${code}`)
      .join(", ")} };
      export default ({ tool_input }) => answers[tool_input.command]?.() ?? { action: "notify", text: "seen" };`;
    const more = { actions: ["deny", "notify", "set_state"], state: { scope: "session", maxBytes: 100 } };
    bomber = await test.tenant("bomber", packOf(source, { ...more, limits: { wallMs: 5_000 } }));
  });

  it.each(Object.keys(answers))("%s: refused, by the failure policy", async (name) => {
    const [shut] = await Promise.all([decide(bomber, name), othersAreServed()]);
    expect(shut).toMatchObject({ verdict: "deny", decided_by: "guard" });
    expect(shut.additions.notices).toEqual([]);
    // Found by the engine, which goes on: no process had to be killed for it.
    expect(failureOf(shut)).toMatch(
      /^(invalid-output|output-too-(deep|large)|memory-exceeded|stack-exceeded|steps-exceeded|threw)$/,
    );
    expect((await decide(bomber, "harmless")).additions.notices[0]?.text).toBe("seen");
  });
});

describe("the end of the server", () => {
  it("comes while processes hang, and leaves none of them behind", async () => {
    const tenant = test.server.context.registry.get("closed")!;
    const hung = ["hang, deaf to SIGTERM", "stop itself"].map((how) => decide(closed, how, how));
    await expect.poll(() => tenant.inFlight + tenant.waiting, { timeout: 10_000 }).toBe(2);
    await test.server.close();
    for (const decision of await Promise.all(hung)) expect(decision.verdict).toBe("deny");
    expect(children()).toEqual(before);
  });
});

function isZombie(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1)!.startsWith("Z");
  } catch {
    return false;
  }
}
