import { describe, expect, it } from "vitest";
import type { Decision } from "../../src/broker/decision.ts";
import { bash, folder, lines, still } from "./cli.ts";
import { cli } from "./in-process.ts";

const inline = ["--isolation", "inline"];
const decisions = (out: string): Decision[] =>
  out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Decision);

const script = `import { deny, modifyInput, type PreToolUse } from "hookwarden/hook";
const hook: PreToolUse<number> = (event, ctx) => {
  console.log("seen", event.tool_input.command, ctx.state, ctx.config);
  if (String(event.tool_input.command).startsWith("rm")) return deny("it deletes things");
  return [modifyInput({ ...event.tool_input, timeout: 5 }), { action: "set_state", value: (ctx.state ?? 0) + 1 }];
};
export default hook;
`;

describe("try", () => {
  it("shows what a bare script returned, said and cost", async () => {
    await using dir = await folder({ "hook.ts": script, "events.jsonl": lines(bash("ls"), bash("rm x")) });
    const { code, out, err } = await cli(["try", "hook.ts", "--events", "events.jsonl", ...inline], {
      cwd: dir.path,
    });
    expect({ code, err }).toEqual({ code: 0, err: "" });
    for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
    const name = /^(\S+) on quickjs/.exec(out)?.[1] ?? "";
    expect(still(out.replaceAll(name, "NAME"))).toMatchInlineSnapshot(`
      "NAME on quickjs
        listens to PreToolUse
        reads *
        may ask, skip, deny, halt, modify_input, add_context, notify, set_state

      PreToolUse Bash: continue
        hook        NAME
        outcome     honoured
        action      modify_input: input={"command":"ls","timeout":5}
        action      set_state: value=1
        console     log: seen ls null {}
        cost        N steps, N µs, N KiB
        rewrites    tool_input = {"command":"ls","timeout":5}

      PreToolUse Bash: deny
        hook        NAME
        outcome     honoured
        action      deny: it deletes things
        console     log: seen rm x 1 {}
        cost        N steps, N µs, N KiB
      "
    `);
  });

  it("grants every action that is legal there but `allow`, and that one where it is named", async () => {
    await using dir = await folder({ "allow.js": "export default () => ({ action: 'allow' });" });
    const run = (...more: string[]) =>
      cli(["try", "allow.js", "--events", "-", "--format", "json", ...inline, ...more], {
        cwd: dir.path,
        input: lines(bash("ls")),
      });
    const [refused] = decisions((await run()).out);
    expect(refused?.trace[0]?.refused[0]?.code).toBe("ungranted-action");
    const [granted] = decisions((await run("--actions", "allow,deny")).out);
    expect(granted?.verdict).toBe("allow");
  });

  it("shows the script only what `--reads` names, and takes no rewrites for granted then", async () => {
    await using dir = await folder({
      "see.js": "export default (event) => { console.log(JSON.stringify(event)); };",
    });
    const args = ["try", "see.js", "--events", "-", "--reads", "tool_input.command"];
    const event = bash("ls", { cwd: "/secret", tool_input: { command: "ls", other: "secret" } });
    const { out } = await cli([...args, "--format", "json", ...inline], {
      cwd: dir.path,
      input: lines(event),
    });
    const seen = decisions(out)[0]?.trace[0]?.logs[0]?.text ?? "";
    expect(seen).toContain('"command":"ls"');
    expect(seen).not.toContain("secret");
    const pretty = await cli([...args, ...inline], { cwd: dir.path, input: lines(event) });
    expect(pretty.out).not.toContain("modify_input");
  });

  it("gives it the configuration and the state that were written out, and keeps the state", async () => {
    await using dir = await folder({ "hook.ts": script });
    const args = [
      "try",
      "hook.ts",
      "--events",
      "-",
      "--format",
      "json",
      "--state",
      "40",
      "--config",
      '{"a":[1]}',
      ...inline,
    ];
    const { out } = await cli(args, {
      cwd: dir.path,
      input: lines(bash("one"), bash("two"), bash("three", { session_id: "t" })),
    });
    expect(decisions(out).map(({ trace }) => trace[0]?.logs[0]?.text)).toEqual([
      'seen one 40 {"a":[1]}',
      'seen two 41 {"a":[1]}',
      'seen three 40 {"a":[1]}',
    ]);
  });

  it("listens to the events that it has functions for, or to those that `--on` names", async () => {
    await using dir = await folder({
      "both.js": "export default { Stop: () => ({ action: 'notify', text: 'stopped' }) };",
    });
    const input = lines(bash("ls"), { hook_event_name: "Stop", session_id: "s" });
    const args = ["try", "both.js", "--events", "-", "--format", "json", ...inline];
    const { out } = await cli(args, { cwd: dir.path, input });
    expect(decisions(out).map(({ trace }) => trace.map(({ outcome }) => outcome))).toEqual([
      [],
      ["honoured"],
    ]);
    const forced = await cli([...args, "--on", "PreToolUse"], { cwd: dir.path, input });
    expect(decisions(forced.out)[0]?.trace[0]?.fault?.code).toBe("load-failed");
  });

  it("imports what the hooks of its pack may import", async () => {
    await using dir = await folder({
      "hookwarden.json": { apiVersion: 1, hooks: [] },
      "lib/words.js": "export const word = 'shared';",
      "one/hook.js":
        "import { word } from '../lib/words.js'; export default () => ({ action: 'notify', text: word });",
    });
    const { out } = await cli(["try", "one/hook.js", "--events", "-", "--format", "json", ...inline], {
      cwd: dir.path,
      input: lines(bash("ls")),
    });
    expect(decisions(out)[0]?.additions.notices).toEqual([
      { hook: "one", trust: "third-party", text: "shared" },
    ]);
  });

  it("reports a bad event, and goes on", async () => {
    await using dir = await folder({ "hook.ts": script });
    const { code, out, err } = await cli(["try", "hook.ts", "--events", "-", "--format", "json", ...inline], {
      cwd: dir.path,
      input: lines(bash("ls"), "oops", { hook_event_name: "Stop" }, bash("rm x")),
    });
    expect(code).toBe(65);
    expect(decisions(out).map(({ verdict }) => verdict)).toEqual(["continue", "deny"]);
    const errors = err
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { error: { place: { line: number } } }).error.place.line);
    expect(errors.toSorted()).toEqual([2, 3]);
  });

  it.each([
    ["a syntax error", "export default (", 65, "load-failed"],
    ["no default export", "export const hook = 1;", 65, "load-failed"],
    ["an exception at its top level", "throw new Error('no'); export default () => {};", 65, "load-failed"],
    ["an import from outside", "import '../outside.js'; export default () => {};", 65, "load-failed"],
    ["functions for nothing that there is", "export default { PreToolUze: () => {} };", 65, "load-failed"],
  ])("refuses a script with %s", async (_, text, code, name) => {
    await using dir = await folder({ "bad.js": text });
    const ran = await cli(["try", "bad.js", "--events", "-", ...inline], {
      cwd: dir.path,
      input: lines(bash("ls")),
    });
    expect(ran).toMatchObject({ code, out: "" });
    expect(ran.err).toMatch(new RegExp(`^${name}: .+\n$`));
  });

  it.each([
    [["missing.js"], 65, "file-unreadable", "`missing.js`"],
    [["notes.txt"], 64, "usage", "`notes.txt`"],
    [["hook.ts", "--on", "PreToolUze"], 64, "usage", "did you mean `PreToolUse`"],
    [["hook.ts", "--actions", "dney"], 64, "usage", "did you mean `deny`"],
    [["hook.ts", "--reads", "a..b"], 64, "usage", "`a..b`"],
    [["hook.ts", "--state", "{"], 64, "usage", "`--state` ends too early"],
    [["hook.ts", "--config", "[1,]"], 64, "usage", "`--config` has an unexpected `]`"],
  ] as const)("refuses %j", async (args, code, name, says) => {
    await using dir = await folder({ "hook.ts": script, "notes.txt": "" });
    const ran = await cli(["try", ...args, "--events", "-", ...inline], {
      cwd: dir.path,
      input: lines(bash("ls")),
    });
    expect(ran).toMatchObject({ code, out: "" });
    expect(ran.err).toMatch(new RegExp(`^${name}: .+\n$`));
    expect(ran.err).toContain(says);
  });
});
