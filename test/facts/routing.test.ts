import { describe, expect, test } from "vitest";
import { createWarden } from "../../src/index.ts";
import { loadPackFromFiles } from "../../src/pack/index.ts";
import { differences } from "./conditions.ts";

test("the index of a pack gives what evaluating each condition alone gives", () => {
  for (let seed = 1; seed <= 25; seed++) expect(differences(seed, 8, 20)).toEqual([]);
});

const deny = `export default () => ({ action: "deny", reason: "no" });`;

async function packOf(when: unknown, more: { readonly [name: string]: string } = {}, config?: object) {
  const files: { [path: string]: string } = {
    "hookwarden.json": JSON.stringify({
      apiVersion: 1,
      hooks: [...Object.keys(more), "guard"],
      ...(config && { config: { guard: config } }),
      // The first long fact waits for a thread to start.
      budgets: { decisionMs: 15_000 },
    }),
    "guard/hook.json": JSON.stringify({
      apiVersion: 1,
      name: "guard",
      version: "1.0.0",
      entry: "hook.js",
      on: [{ event: "PreToolUse", when }],
      reads: [],
      actions: ["deny"],
      config: { type: "object", properties: { programs: {}, rules: {} } },
    }),
    "guard/hook.js": deny,
  };
  for (const [name, code] of Object.entries(more)) {
    files[`${name}/hook.js`] = code;
    files[`${name}/hook.json`] = JSON.stringify({
      apiVersion: 1,
      name,
      version: "1.0.0",
      entry: "hook.js",
      on: [{ event: "PreToolUse" }],
      reads: ["tool_input"],
      actions: ["modify_input"],
    });
  }
  return loadPackFromFiles(new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)])));
}

const event = (command: string): object => ({
  hook_event_name: "PreToolUse",
  session_id: "s",
  tool_name: "Bash",
  tool_input: { command },
});

const curl = { path: "facts.shell.commands.*.name", equals: "curl" };

describe("a hook with a condition", () => {
  test("is called if it holds, or may hold, and is otherwise in the trace with it", async () => {
    await using warden = await createWarden({ pack: await packOf(curl), isolation: "inline" });
    const run = async (command: string) => (await warden.dispatch(event(command))).trace[0];
    expect(await run("ls; curl x")).toMatchObject({ actions: [{ action: "deny" }] });
    // What the line starts is not known.
    expect(await run("$x y")).toMatchObject({ actions: [{ action: "deny" }] });
    expect(await run('eval "$x"')).toMatchObject({ actions: [{ action: "deny" }] });
    expect(await run("x".repeat(40_000))).toMatchObject({ actions: [{ action: "deny" }] });
    expect(await run("ls")).toMatchObject({
      outcome: "not-matched",
      note: 'not the case: facts.shell.commands.*.name is "curl"',
      steps: 0,
    });
  });

  // A rewrite must not carry a command past a guard that was not called because of the original one.
  test("that holds only after a rewrite runs as a guard all the same", async () => {
    const rewrite = `export default ({ tool_input }) => tool_input.command === "go" ? { action: "modify_input", input: { command: "curl x" } } : undefined;`;
    const pack = await packOf(curl, { zz: rewrite });
    const late = { ...pack, hooks: pack.hooks.toReversed().map((hook, order) => ({ ...hook, order })) };
    await using warden = await createWarden({ pack: late, isolation: "inline" });
    expect(await warden.dispatch(event("go"))).toMatchObject({ verdict: "deny", decided_by: "guard" });
    expect(await warden.dispatch(event("ls"))).toMatchObject({ verdict: "continue" });
  });

  const verdictOf = async (when: object, command: string, config?: object): Promise<string> => {
    await using warden = await createWarden({ pack: await packOf(when, {}, config), isolation: "inline" });
    return (await warden.dispatch(event(command))).verdict;
  };

  test("may ask whether there is any value", async () => {
    const when = { path: "facts.shell.commands.*.redirects.*.target", exists: true };
    expect(await verdictOf(when, "ls")).toBe("continue");
    expect(await verdictOf(when, "ls > x")).toBe("deny");
    // The target is not known, so whether it exists is not either.
    expect(await verdictOf(when, "ls > $x")).toBe("deny");
    expect(await verdictOf(when, 'eval "$x"')).toBe("deny");
  });

  // A hook that judges listed commands only has nothing to say about what is missing from the list.
  test("may leave out what a fact does not list, but not what is unknown in its list", async () => {
    const when = { ...curl, incomplete: "ignore" };
    expect(await verdictOf(when, 'ls; sh -c "$x"')).toBe("continue");
    expect(await verdictOf(curl, 'ls; sh -c "$x"')).toBe("deny");
    expect(await verdictOf(when, "$x y")).toBe("deny");
    expect(await verdictOf(when, "x".repeat(40_000))).toBe("deny");
  });

  test("may ask about the configuration of its hook, and take values from it", async () => {
    const rules = { option: "rules.*.after" };
    expect(await verdictOf(rules, "ls")).toBe("continue");
    expect(await verdictOf(rules, "ls", { rules: [{ before: 1 }] })).toBe("continue");
    expect(await verdictOf(rules, "ls", { rules: [{ before: 1 }, { after: 1 }] })).toBe("deny");
    const names = { ...curl, equals: undefined, in: { option: "programs" } };
    expect(await verdictOf(names, "wget x")).toBe("continue");
    expect(await verdictOf(names, "wget x", { programs: ["curl", "wget"] })).toBe("deny");
    const globs = { ...curl, equals: undefined, glob: { option: "programs" } };
    expect(await verdictOf(globs, "wget x", { programs: ["c*", "?et"] })).toBe("continue");
    expect(await verdictOf(globs, "wget x", { programs: ["c*", "W?et"] })).toBe("deny");
    expect(await verdictOf(globs, "a.b x", { programs: ["a+b", "a.*"] })).toBe("deny");
    expect(await verdictOf(globs, "axb x", { programs: ["a+b", "a.*"] })).toBe("continue");
  });

  test.each([
    [{ option: "nam" }, "`nam` is not in the schema of the hook's `config`"],
    [{ path: "tool_name", in: { option: "nam.x" } }, "`nam.x` is not in the schema"],
    [{ option: "programs", exists: true }, "exactly one of"],
    [{ path: "tool_name", exists: false }, ""],
    [{ path: "facts.shel.x", equals: 1 }, "`facts.shel` is not a fact"],
    [{ path: "facts.shell.x", equals: 1 }, "has no member `x`"],
    [{ path: "tool_nam", equals: "x" }, "has no field `tool_nam`"],
    [{ path: "tool_name" }, "exactly one of"],
    [{ path: "tool_name", equals: "x", prefix: "y" }, "exactly one of"],
    [{ path: "tool_name", equals: "x", all: [] }, ""],
    [{}, "exactly one of"],
    [{ path: "tool_name", pattern: "(" }, "does not compile"],
    [{ path: "tool_name", pattern: "(?=x)" }, "does not compile"],
    [
      Array.from({ length: 12 }).reduce<object>((not) => ({ not }), { path: "tool_name", equals: "x" }),
      "at most 8 deep",
    ],
  ])("%j does not load", async (when, message) => {
    await expect(packOf(when)).rejects.toThrow(message);
  });
});
