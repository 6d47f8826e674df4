import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createQuickjsSandbox } from "@hookwarden/sandbox/quickjs";
import {
  circumstantialFaults,
  type FaultCode,
  faultTable,
  type Sandbox,
  defaultLimits,
} from "@hookwarden/sandbox";
import { createProcessSandbox } from "@hookwarden/sandbox/process";
import { createWarden } from "../src/warden/index.ts";
import type { Decision } from "../src/broker/decision.ts";
import type { StateStore } from "../src/state/store.ts";
import type { WardenOptions } from "../src/warden/options.ts";
import { breakerLimits, BreakerSandbox } from "../src/warden/breaker.ts";
import { packOf, type SourceHook } from "./log/packs.ts";
import { fakeEngine } from "../sandbox/test/process/support.ts";
import { sampleEvent } from "./support/sample-events.ts";

/**
 * Every way to a fault, provoked with real hooks in real sandboxes. A code that also stood for another party's doing would
 * let a hook's author blame the host, or an operator search the machine for the defect of a hook.
 */

let inline: Sandbox;
beforeAll(async () => {
  inline = await createQuickjsSandbox();
});
afterAll(() => inline[Symbol.asyncDispose]());

const guard = (script: string, manifest: object = {}): { guard: SourceHook } => ({
  guard: { script, manifest },
});
const event = (name: "PreToolUse" | "PostToolUse" = "PreToolUse", fields: object = {}): object =>
  sampleEvent(name, fields);

interface Provoked {
  readonly cause: string;
  readonly code: FaultCode;
  readonly hooks: { readonly [name: string]: SourceHook };
  readonly pack?: object;
  readonly event?: object;
  readonly options?: () => Partial<WardenOptions>;
}

const silent = "export default () => undefined";
const failingStore = {
  read: () => Promise.reject(new Error("the disk is gone")),
  commit: () => Promise.reject(new Error("the disk is gone")),
} as unknown as StateStore;
const readOnlyStore = {
  read: () => null,
  commit: () => Promise.reject(new Error("the disk is full")),
} as unknown as StateStore;
const denies = `export default () => ({ action: "deny", reason: "no" })`;

const provoked: readonly Provoked[] = [
  { cause: "the module throws", code: "load-failed", hooks: guard("throw new Error('x'); export default 1") },
  { cause: "no handler for the event", code: "load-failed", hooks: guard("export default { Stop() {} }") },
  { cause: "the hook throws", code: "threw", hooks: guard("export default () => { throw new Error('x'); }") },
  {
    cause: "the hook rejects",
    code: "threw",
    hooks: guard("export default async () => { throw new Error('x'); }"),
  },
  {
    cause: "an endless loop",
    code: "steps-exceeded",
    hooks: guard("export default () => { for (;;); }", { limits: { wallMs: 10_000, steps: 100_000 } }),
    pack: { budgets: { decisionMs: 10_000 } },
  },
  {
    cause: "a promise that nothing settles",
    code: "timeout",
    hooks: guard("export default () => new Promise(() => {})"),
  },
  {
    cause: "more time than the hook's own limit",
    code: "timeout",
    hooks: guard("export default () => { for (;;); }", { limits: { wallMs: 20, steps: 500_000_000 } }),
  },
  {
    cause: "too much memory",
    code: "memory-exceeded",
    hooks: guard("export default () => { const a = []; for (;;) a.push(new Array(1000).fill(a.length)); }", {
      limits: { memoryKb: 1_024, wallMs: 5_000 },
    }),
    pack: { budgets: { decisionMs: 5_000 } },
  },
  {
    cause: "endless recursion",
    code: "stack-exceeded",
    hooks: guard("const f = () => 1 + f(); export default () => f()"),
  },
  {
    cause: "a large answer",
    code: "output-too-large",
    hooks: guard("export default () => ({ action: 'deny', reason: 'x'.repeat(9000) })", {
      limits: { outputBytes: 4_096 },
    }),
  },
  {
    cause: "a deep answer",
    code: "output-too-deep",
    hooks: guard("export default () => { let a = {}; for (let i = 0; i < 99; i++) a = { a }; return a; }"),
  },
  { cause: "a string for an action", code: "invalid-output", hooks: guard("export default () => 'deny'") },
  { cause: "an answer without JSON", code: "invalid-output", hooks: guard("export default () => () => 1") },
  {
    cause: "an action of another event",
    code: "illegal-action",
    hooks: guard("export default () => ({ action: 'augment', text: 'x' })", {
      on: [{ event: "PreToolUse" }, { event: "PostToolUse" }],
      actions: ["deny", "augment"],
    }),
  },
  {
    cause: "an action that was not asked for",
    code: "ungranted-action",
    hooks: guard("export default () => ({ action: 'halt', reason: 'x' })"),
  },
  {
    cause: "too much for the model",
    code: "injection-overflow",
    hooks: guard("export default () => ({ action: 'augment', text: 'x'.repeat(999) })", {
      on: [{ event: "PostToolUse" }],
      actions: ["block", "augment"],
    }),
    pack: { budgets: { injectionBytes: 100 } },
    event: event("PostToolUse"),
  },
  {
    cause: "an event above `limits.inputBytes`",
    code: "input-too-large",
    hooks: guard(silent, { limits: { inputBytes: 1_024 } }),
    event: event("PreToolUse", { tool_input: { command: "x".repeat(2_000) } }),
  },
  {
    cause: "`budgets.maxHooks` reached",
    code: "budget-exceeded",
    hooks: { first: { script: silent }, ...guard(silent) },
    pack: { budgets: { maxHooks: 1 } },
  },
  {
    cause: "`budgets.decisionMs` used up by other hooks",
    code: "budget-exceeded",
    hooks: {
      slow: {
        script: "export default () => { const end = 3e6; for (let i = 0; i < end; i++); }",
        manifest: { actions: ["notify"], limits: { steps: 500_000_000, wallMs: 10_000 } },
      },
      ...guard(silent),
    },
    pack: { budgets: { decisionMs: 1 } },
  },
  {
    cause: "state that cannot be read",
    code: "state-unavailable",
    hooks: guard(silent),
    options: () => ({ store: failingStore }),
  },
  {
    cause: "state that cannot be written",
    code: "state-unavailable",
    hooks: guard("export default () => ({ action: 'set_state', value: 1 })"),
    options: () => ({ store: readOnlyStore }),
  },
];

function faultOf({ trace }: Decision, hook = "guard"): FaultCode | undefined {
  return trace.find((entry) => entry.hook === hook)?.fault?.code;
}

describe("each cause has its code, and the gate closes with the title of that code", () => {
  test.each(provoked)("$cause: `$code`", async ({ code, hooks, pack, event: given, options }) => {
    await using warden = await createWarden({
      pack: await packOf(hooks, pack),
      sandbox: inline,
      ...options?.(),
    });
    const decision = await warden.dispatch(given ?? event());
    expect(faultOf(decision)).toBe(code);
    expect(decision.decided_by).toBe("guard");
    expect(decision.reason).toContain(`${faultTable[code].title} (${code})`);
  });

  test("a process that ends in the middle of a call: `crashed`, and the hook that ends it each time: `quarantined`", async () => {
    await using sandbox = await createProcessSandbox({
      engine: "quickjs",
      engineModule: fakeEngine,
      processes: 1,
    });
    // This engine ends its process where the handler is called so.
    const program = { key: "killer", name: "killer", source: "" };
    const breaker = new BreakerSandbox(sandbox, null);
    const codes: (string | undefined)[] = [];
    for (let at = 0; at <= breakerLimits.failures; at++) {
      const outcome = await breaker.call({
        program,
        tenant: "t",
        handler: "exit",
        args: ["{}"],
        time: 0,
        seed: [1, 2, 3, 4],
        limits: { ...defaultLimits, wallMs: 5_000 },
      });
      codes.push(outcome.ok ? undefined : outcome.fault.code);
    }
    expect(codes).toEqual([...Array<string>(breakerLimits.failures).fill("crashed"), "quarantined"]);
  });

  test("a sandbox with no room, or that has been closed: `overloaded`", async () => {
    const sandbox = await createProcessSandbox({ engine: "quickjs", processes: 1, queueLimit: 1 });
    // Without state, which would have the second wait for the first.
    const pack = await packOf(guard(denies, { actions: ["deny"], state: undefined }));
    await using warden = await createWarden({ pack, sandbox });
    const decisions = await Promise.all([warden.dispatch(event()), warden.dispatch(event())]);
    expect(decisions.map((decision) => faultOf(decision))).toEqual([undefined, "overloaded"]);
    await sandbox[Symbol.asyncDispose]();
    const closed = await warden.dispatch(event());
    expect(faultOf(closed)).toBe("overloaded");
    expect(closed.trace[0]?.fault?.message).toContain("closed");
  });
});

test("no code is left without a cause that provokes it", () => {
  const seen = new Set<string>([...provoked.map(({ code }) => code), "crashed", "quarantined", "overloaded"]);
  expect(Object.keys(faultTable).filter((code) => !seen.has(code))).toEqual([]);
});

test("the codes that replay as recorded, and whom each blames, are these", () => {
  expect([...circumstantialFaults].toSorted()).toEqual(
    ["timeout", "crashed", "overloaded", "quarantined", "budget-exceeded", "state-unavailable"].toSorted(),
  );
  const blamed = (who: string): string[] =>
    Object.entries(faultTable)
      .filter(([, { blame }]) => blame === who)
      .map(([code]) => code)
      .toSorted();
  expect(blamed("engine")).toEqual(["crashed"]);
  expect(blamed("host")).toEqual(["budget-exceeded", "input-too-large", "overloaded", "state-unavailable"]);
});
