/** What a host is promised, on real engines with the default isolation. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadPackFromFiles, type LoadedPack } from "../../src/pack/index.ts";
import { createWarden, type Warden } from "../../src/warden/index.ts";
import type { Decision } from "../../src/broker/decision.ts";

interface Hook {
  readonly manifest: Record<string, unknown>;
  readonly script: string;
}

async function packOf(hooks: Record<string, Hook>, pack: Record<string, unknown> = {}): Promise<LoadedPack> {
  const bytes = (value: unknown): Uint8Array =>
    Buffer.from(typeof value === "string" ? value : JSON.stringify(value));
  const files = new Map([["hookwarden.json", bytes({ apiVersion: 1, hooks: Object.keys(hooks), ...pack })]]);
  for (const [name, { manifest, script }] of Object.entries(hooks)) {
    files.set(
      `${name}/hook.json`,
      bytes({
        apiVersion: 1,
        name,
        version: "1.0.0",
        entry: "hook.js",
        on: [{ event: "PreToolUse" }],
        reads: [],
        actions: [],
        // A machine that runs many tests may keep a process waiting for longer than the default.
        limits: { wallMs: 2_000 },
        ...manifest,
      }),
    );
    files.set(`${name}/hook.js`, bytes(script));
  }
  return loadPackFromFiles(files);
}

const event = {
  hook_event_name: "PreToolUse",
  session_id: "s1",
  cwd: "/work",
  secret: "an unknown extra field",
  tool_name: "Bash",
  tool_input: { command: "ls", other: "hidden" },
  time: "2026-03-01T12:00:00.000Z",
};

/** A decision without what may differ between two runs. */
function timeless(decision: Decision): unknown {
  return JSON.parse(
    JSON.stringify(decision, (key, value: unknown) =>
      key === "duration_us" || key === "memory_bytes" ? undefined : value,
    ),
  );
}

describe.each(["quickjs", "isolate"] as const)("%s", (engine) => {
  let warden: Warden;
  const serve = async (hooks: Record<string, Hook>, pack?: Record<string, unknown>): Promise<void> => {
    await warden.reload(await packOf(hooks, pack));
  };

  beforeAll(async () => {
    warden = await createWarden({
      engine,
      pack: await packOf({ quiet: { manifest: {}, script: "export default () => {};" } }),
      processes: { processes: 1 },
    });
  });
  afterAll(async () => warden[Symbol.asyncDispose]());

  test("a hook sees the fields that it declared, and no others", async () => {
    await serve({
      curious: {
        manifest: { reads: ["tool_input.command"], actions: ["deny"] },
        script: "export default (event) => ({ action: 'deny', reason: JSON.stringify(event) });",
      },
    });
    const { reason } = await warden.dispatch(event);
    expect(JSON.parse(reason ?? "")).toEqual({
      hook_event_name: "PreToolUse",
      tool_input: { command: "ls" },
    });
  });

  test("an action that the manifest does not ask for is refused, and fails closed where the hook is a guard", async () => {
    await serve({
      greedy: {
        manifest: { actions: ["deny"] },
        script: "export default () => [{ action: 'halt', reason: 'x' }, { action: 'notify', text: 'x' }];",
      },
    });
    const decision = await warden.dispatch(event);
    expect(decision.trace[0]?.refused.map(({ code }) => code)).toEqual([
      "ungranted-action",
      "ungranted-action",
    ]);
    expect(decision).toMatchObject({ verdict: "deny", decided_by: "greedy" });
    expect(decision.additions.notices).toEqual([]);
  });

  test("`allow` is not granted unless the pack says so", async () => {
    const hooks = {
      lenient: {
        manifest: { actions: ["allow"] },
        script: "export default () => ({ action: 'allow' });",
      },
    };
    await serve(hooks);
    const refused = await warden.dispatch(event);
    expect(refused.verdict).toBe("continue");
    expect(refused.trace[0]?.refused[0]?.code).toBe("ungranted-action");
    await serve(hooks, { grants: { lenient: { actions: ["allow"] } } });
    expect((await warden.dispatch(event)).verdict).toBe("allow");
  });

  test("the same event and decision id give the same decision, also with dates and chance", async () => {
    await serve({
      dicey: {
        manifest: { actions: ["deny"] },
        script:
          "export default (e, ctx) => ({ action: 'deny', reason: [Date.now(), new Date().toISOString(), ctx.time, Math.random(), Math.random()].join(' ') });",
      },
    });
    const options = { decisionId: "0197fb3c-0000-7000-8000-000000000001" };
    const first = await warden.dispatch(event, options);
    const second = await warden.dispatch(event, options);
    expect(timeless(second)).toEqual(timeless(first));
    expect(first.reason).toContain("2026-03-01T12:00:00.000Z 2026-03-01T12:00:00.000Z");
    const other = await warden.dispatch(event, { decisionId: "0197fb3c-0000-7000-8000-000000000002" });
    expect(other.reason).not.toBe(first.reason);
  });

  test("a rewrite after a guard that makes the input forbidden is denied by that guard", async () => {
    await serve({
      guard: {
        manifest: { priority: 1, reads: ["tool_input.command"], actions: ["deny"] },
        script:
          "export default (e) => (e.tool_input.command.includes('rm') ? { action: 'deny', reason: 'no rm' } : undefined);",
      },
      rewriter: {
        manifest: { priority: 2, reads: ["tool_input"], actions: ["modify_input"] },
        script: "export default () => ({ action: 'modify_input', input: { command: 'rm -rf /' } });",
      },
    });
    const decision = await warden.dispatch(event);
    expect(decision).toMatchObject({ verdict: "deny", decided_by: "guard", changes: {} });
    expect(decision.trace.map(({ hook, recheck }) => [hook, recheck])).toEqual([
      ["guard", false],
      ["rewriter", false],
      ["guard", true],
    ]);
  });

  test("every call starts from the same world", async () => {
    await serve({
      counter: {
        manifest: { actions: ["deny"] },
        script: `
          let inModule = 0; const re = /a/g; const cached = Promise.resolve({ n: 0 }); const tag = (s) => s;
          export default async () => {
            inModule++; globalThis.inGlobal = (globalThis.inGlobal ?? 0) + 1;
            // A frozen realm refuses these two.
            try { Array.prototype.patched = ([].patched ?? 0) + 1; } catch {}
            try { Symbol.for("kept").constructor.seen = (Symbol.seen ?? 0) + 1; } catch {}
            re.test("aaa");
            const held = await cached; held.n++;
            return { action: "deny", reason: JSON.stringify([inModule, globalThis.inGlobal, [].patched ?? 1, re.lastIndex, Symbol.seen ?? 1, held.n]) };
          };`,
      },
    });
    for (let call = 0; call < 50; call++) {
      expect((await warden.dispatch(event)).reason).toBe("[1,1,1,1,1,1]");
    }
  });

  test("tenants that take turns never see each other", async () => {
    await serve({
      memory: {
        manifest: { actions: ["deny"], state: { scope: "tenant", maxBytes: 100 }, reads: [] },
        script:
          "let seen = null; export default (e, ctx) => { const before = seen; seen = ctx.tenant; return { action: 'deny', reason: ctx.tenant + ' ' + before + ' ' + ctx.state }; };",
      },
    });
    for (const tenant of ["a", "b", "a", "b"]) {
      expect((await warden.dispatch(event, { tenant })).reason).toBe(`${tenant} null null`);
    }
  });
});
