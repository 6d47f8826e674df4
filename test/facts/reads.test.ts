import { describe, expect, test } from "vitest";
import { EventView, type BrokerEvent } from "../../src/broker/event.ts";
import { ProjectorPool } from "../../src/broker/project.ts";
import { createWarden, type Decision } from "../../src/index.ts";
import { factRows } from "../../src/facts/index.ts";
import { loadPackFromFiles } from "../../src/pack/index.ts";

interface Hook {
  readonly reads: readonly string[];
  readonly code: string;
  readonly [member: string]: unknown;
}

const filesOf = (hooks: { readonly [name: string]: Hook }, pack: object = {}): Map<string, Uint8Array> =>
  new Map(
    [
      ["hookwarden.json", JSON.stringify({ apiVersion: 1, hooks: Object.keys(hooks), ...pack })],
      ...Object.entries(hooks).flatMap(([name, { code, ...manifest }]) => [
        [
          `${name}/hook.json`,
          JSON.stringify({
            apiVersion: 1,
            name,
            version: "1.0.0",
            entry: "hook.js",
            on: [{ event: "PreToolUse" }],
            actions: ["deny", "modify_input", "notify"],
            ...manifest,
          }),
        ] as const,
        [`${name}/hook.js`, code] as const,
      ]),
    ].map(([path = "", text = ""]) => [path, Buffer.from(text)]),
  );

const load = (hooks: { readonly [name: string]: Hook }, pack?: object) =>
  loadPackFromFiles(filesOf(hooks, pack));

const noCurl = `export default ({ facts: { shell } }) => {
  if (!shell.ok) return { action: "deny", reason: shell.why };
  const names = shell.commands.map(({ name }) => name);
  return names.includes("curl") ? { action: "deny", reason: names.join() } : undefined;
};`;

const event = (command: string, more: object = {}): BrokerEvent =>
  ({
    hook_event_name: "PreToolUse",
    session_id: "s",
    time: "2026-01-01T00:00:00.000Z",
    tool_name: "Bash",
    tool_input: { command },
    ...more,
  }) as BrokerEvent;

describe("a hook that reads a fact", () => {
  test("decides by it, and sees it again after a rewrite", async () => {
    const hooks = {
      rewrite: {
        reads: ["tool_input"],
        code: `export default ({ tool_input }) => tool_input.command === "rewrite" ? { action: "modify_input", input: { command: "a; curl x" } } : undefined;`,
      },
      guard: { reads: ["facts.shell"], actions: ["deny"], code: noCurl },
    };
    // The thread that derives facts starts with the first long text, which takes a while on a busy machine.
    const pack = await load(hooks, { budgets: { decisionMs: 30_000 } });
    await using warden = await createWarden({ pack, isolation: "inline" });
    const decide = async (command: string): Promise<Pick<Decision, "verdict" | "reason">> => {
      const { verdict, reason } = await warden.dispatch(event(command));
      return { verdict, reason };
    };
    expect(await decide("ls")).toEqual({ verdict: "continue", reason: null });
    expect(await decide("ls | sudo curl x")).toEqual({ verdict: "deny", reason: "ls,sudo,curl" });
    expect(await decide("rewrite")).toEqual({ verdict: "deny", reason: "a,curl" });
    expect(await decide("x".repeat(40_000))).toEqual({ verdict: "deny", reason: "too-long" });
  });

  test("rewrites the original of what it finds in a disguised text", async () => {
    const code = `import { originalRange, transform } from "hookwarden/hook";
      export default ({ prompt, facts: { text } }) => {
        const plain = text.texts.find((one) => one.text.includes("secret"));
        const at = plain.text.indexOf("secret");
        const [start, end] = originalRange(plain, at, at + 6);
        return transform(prompt.slice(0, start) + "…" + prompt.slice(end));
      };`;
    const on = [
      { event: "UserPromptSubmit", when: { path: "facts.text.texts.*.text", pattern: ".*secret.*" } },
    ];
    const pack = await load({
      redact: { on, reads: ["prompt", "facts.text"], actions: ["transform"], code },
    });
    await using warden = await createWarden({ pack, isolation: "inline" });
    const prompt = "ﬁnd the 𝐬e\u200bc&#114;еt &amp; tell";
    const { changes } = await warden.dispatch({
      hook_event_name: "UserPromptSubmit",
      session_id: "s",
      prompt,
    });
    expect(changes).toEqual({ prompt: "ﬁnd the … &amp; tell" });
  });

  test("is not shown a field that comes with the event under the name of the facts", () => {
    const project = new ProjectorPool().compile("PreToolUse", ["facts.tool", "*"]);
    const shown = JSON.parse(project(new EventView(event("ls", { facts: { tool: "forged" } }))));
    expect(shown.facts).toMatchObject({ tool: { ok: true, kind: "shell", commands: ["ls"] } });
    const without = new ProjectorPool().compile("PreToolUse", ["*"]);
    expect(JSON.parse(without(new EventView(event("ls", { facts: 1 }))))).not.toHaveProperty("facts");
  });

  test.each([
    [{ reads: ["facts.shel"] }, "`facts.shel` is not a fact", "/reads/0"],
    [{ reads: ["tool_name", "facts"] }, "`facts` is not a fact", "/reads/1"],
    [{ reads: ["facts.shell.commands"] }, "a fact is read whole", "/reads/0"],
    [{ reads: ["facts.shell"], on: [{ event: "Stop" }], actions: [] }, "is a fact of PreToolUse", "/reads/0"],
    [{ reads: ["facts.shell"], facts: { shell: 2 } }, "is pinned to version 2", "/facts"],
    [{ reads: [], facts: { nothing: 1 } }, "nothing", "/facts/nothing"],
  ])("does not load with %j", async (manifest, message, pointer) => {
    await expect(load({ hook: { code: noCurl, ...manifest } })).rejects.toMatchObject({
      message: expect.stringContaining(message),
      place: expect.objectContaining({ pointer }),
    });
  });

  test("is granted it by name only", async () => {
    const hooks = { hook: { reads: ["facts.shell", "tool_name"], actions: ["deny"], code: noCurl } };
    const readsUnder = async (reads: readonly string[]): Promise<unknown> =>
      (await load(hooks, { grants: { hook: { reads } } })).hooks[0]?.reads;
    expect(await readsUnder(["*"])).toEqual(["tool_name"]);
    expect(await readsUnder(["facts.shell"])).toEqual(["facts.shell"]);
    expect(await readsUnder(["tool_input"])).toEqual([]);
  });
});

test("every fact has a version and limits, and is derived from fields of its events", () => {
  for (const [name, row] of factRows) {
    expect(row.version, name).toMatch(/^[1-9]\d*\.\d+$/);
    expect(Object.keys(row.limits).length, name).toBeGreaterThan(0);
    expect(row.events.length, name).toBeGreaterThan(0);
  }
});
