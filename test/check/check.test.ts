import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createQuickjsSandbox } from "@hookwarden/sandbox/quickjs";
import type { Sandbox } from "@hookwarden/sandbox";
import { checkPack, type Finding, findingTable } from "../../src/check/index.ts";
import { bash, folder, pack } from "../cli/cli.ts";

const noRm = pack["no-rm/hook.json"];
const mark = { ...pack["mark/hook.json"], reads: [] };
const manifest = pack["hookwarden.json"];
const aCase = { name: "one", event: bash("ls"), expect: { verdict: "continue" } };

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await createQuickjsSandbox();
});
afterAll(() => sandbox[Symbol.asyncDispose]());

async function findings(changes: { readonly [path: string]: string | object }): Promise<readonly Finding[]> {
  await using dir = await folder({ ...pack, "mark/hook.json": mark, ...changes });
  return (await checkPack(dir.path, sandbox, { isolation: "inline" })).findings;
}

describe("check finds", () => {
  const cases: readonly [
    string,
    { [path: string]: string | object },
    string,
    string | null,
    string,
    string,
  ][] = [
    [
      "a missing function",
      { "no-rm/hook.js": "export default { PreToolUze: () => {} };" },
      "handler-missing",
      "no-rm",
      "no-rm/hook.js",
      "`PreToolUse`",
    ],
    [
      "a misspelt function",
      { "no-rm/hook.js": "export default { PreToolUse() {}, PreToolUze() {} };" },
      "handler-unused",
      "no-rm",
      "no-rm/hook.js",
      "did you mean `PreToolUse`",
    ],
    [
      "a function for another event",
      { "no-rm/hook.js": "export default { PreToolUse() {}, Stop() {} };" },
      "handler-unused",
      "no-rm",
      "no-rm/hook.js",
      "`Stop`",
    ],
    [
      "a script that does not parse",
      { "no-rm/hook.js": "export default (" },
      "load-failed",
      "no-rm",
      "no-rm/hook.js",
      "no-rm",
    ],
    [
      "a script that throws at load",
      { "no-rm/hook.js": "throw new Error('x'); export default () => {};" },
      "load-failed",
      "no-rm",
      "no-rm/hook.js",
      "",
    ],
    [
      "a script that never ends loading",
      { "no-rm/hook.js": "for (;;); export default () => {};" },
      "load-failed",
      "no-rm",
      "no-rm/hook.js",
      "",
    ],
    [
      "a script without a default export",
      { "no-rm/hook.js": "export const a = 1;" },
      "load-failed",
      "no-rm",
      "no-rm/hook.js",
      "default export",
    ],
    [
      "an action that is legal nowhere it listens",
      { "no-rm/hook.json": { ...noRm, actions: ["deny", "augment"] } },
      "action-useless",
      "no-rm",
      "no-rm/hook.json",
      "`augment`",
    ],
    [
      "a grant of what is not asked for",
      { "hookwarden.json": { ...manifest, grants: { "no-rm": { actions: ["deny", "allow"] } } } },
      "grant-useless",
      "no-rm",
      "hookwarden.json",
      "`allow`",
    ],
    [
      "a grant of a role to who does not inject",
      { "hookwarden.json": { ...manifest, grants: { mark: { roles: ["system"] } } } },
      "grant-useless",
      "mark",
      "hookwarden.json",
      "`system`",
    ],
    [
      "a grant to fail open to who does not want to",
      { "hookwarden.json": { ...manifest, grants: { "no-rm": { onFailure: "open" } } } },
      "grant-useless",
      "no-rm",
      "hookwarden.json",
      "onFailure",
    ],
    [
      "a grant of a limit that is not set",
      { "hookwarden.json": { ...manifest, grants: { mark: { limits: { wallMs: 5_000 } } } } },
      "grant-useless",
      "mark",
      "hookwarden.json",
      "`wallMs`",
    ],
    [
      "a hook that is not listed",
      { "hookwarden.json": { ...manifest, hooks: ["mark"] } },
      "hook-unlisted",
      null,
      "hookwarden.json",
      "`no-rm`",
    ],
    [
      "a matcher that does not compile",
      { "no-rm/hook.json": { ...noRm, on: [{ event: "PreToolUse", matcher: "(" }] } },
      "matcher-invalid",
      "no-rm",
      "no-rm/hook.json",
      "`(`",
    ],
    [
      "a matcher where there is nothing to match",
      { "no-rm/hook.json": { ...noRm, on: [{ event: "SessionEnd", matcher: "a" }], actions: [] } },
      "matcher-invalid",
      "no-rm",
      "no-rm/hook.json",
      "SessionEnd",
    ],
    [
      "a type that does not hold",
      {
        "no-rm/hook.json": { ...noRm, entry: "hook.ts" },
        "no-rm/hook.ts": `import { augment, type PreToolUse } from "hookwarden/hook";
const hook: PreToolUse = (event) => (event.tool_input.command === 1 ? augment("x") : { action: "deny", reason: "" });
export default hook;
`,
      },
      "type-error",
      "no-rm",
      "no-rm/hook.ts",
      "TypeScript 2322: ",
    ],
    [
      "an action that nothing returns",
      { "no-rm/hook.json": { ...noRm, actions: ["deny", "ask"] } },
      "action-unused",
      "no-rm",
      "no-rm/hook.json",
      "`ask`",
    ],
    [
      "a field that is not looked at",
      { "no-rm/hook.json": { ...noRm, reads: ["tool_input.command", "cwd"] } },
      "read-unused",
      "no-rm",
      "no-rm/hook.json",
      "`cwd`",
    ],
    [
      "a misspelt field",
      { "no-rm/hook.json": { ...noRm, reads: ["tool_inptu.command"] } },
      "read-unknown",
      "no-rm",
      "no-rm/hook.json",
      "did you mean `tool_input`?",
    ],
    [
      "a field that is used and not read",
      { "no-rm/hook.json": { ...noRm, reads: ["cwd"] } },
      "field-unread",
      "no-rm",
      "no-rm/hook.json",
      "`event.tool_input`",
    ],
    [
      "a part of a field that is not looked at",
      { "no-rm/hook.json": { ...noRm, reads: ["tool_input.command", "tool_input.description"] } },
      "read-unused",
      "no-rm",
      "no-rm/hook.json",
      "`description`",
    ],
    [
      "a hook that reads all and needs one",
      { "no-rm/hook.json": { ...noRm, reads: ["*"] } },
      "reads-everything",
      "no-rm",
      "no-rm/hook.json",
      "names `tool_input`",
    ],
    [
      "a matcher that no name matches",
      { "no-rm/hook.json": { ...noRm, on: [{ event: "PreToolUse", matcher: "[^\\s\\S]" }] } },
      "matcher-never",
      "no-rm",
      "no-rm/hook.json",
      "no name at all",
    ],
    [
      "a matcher of empty alternatives",
      { "no-rm/hook.json": { ...noRm, on: [{ event: "PreToolUse", matcher: "(|)" }] } },
      "matcher-never",
      "no-rm",
      "no-rm/hook.json",
      "`(|)`",
    ],
    [
      "a matcher that none of the values of its field matches",
      {
        "no-rm/hook.json": {
          ...noRm,
          on: [{ event: "PreCompact", matcher: "Manual" }],
          actions: ["block"],
          reads: [],
        },
      },
      "matcher-never",
      "no-rm",
      "no-rm/hook.json",
      "`manual`, `auto`, `micro`",
    ],
    [
      "a matcher with a slip",
      { "no-rm/hook.json": { ...noRm, on: [{ event: "PreToolUse", matcher: "bash" }] } },
      "matcher-misspelt",
      "no-rm",
      "no-rm/hook.json",
      "did you mean `Bash`",
    ],
    [
      "a hook behind one that stops everything",
      {
        "mark/hook.json": {
          ...mark,
          on: [{ event: "PreToolUse" }],
          actions: ["deny"],
          state: undefined,
          priority: 1,
        },
        "mark/hook.js": 'const no = () => ({ action: "deny", reason: "x" }); export default () => no();',
      },
      "hook-unreachable",
      "no-rm",
      "no-rm/hook.json",
      "`mark` stops every event",
    ],
    [
      "a hook beyond the most that may run",
      {
        "hookwarden.json": { ...manifest, budgets: { maxHooks: 1 } },
        "mark/hook.json": { ...mark, on: [{ event: "PreToolUse" }], actions: ["set_state"], priority: 1 },
      },
      "hook-unreachable",
      "no-rm",
      "no-rm/hook.json",
      "at most 1 hooks run",
    ],
    [
      "a hook that can say nothing where it listens",
      { "hookwarden.json": { ...manifest, grants: { "no-rm": { actions: [] } } } },
      "hook-powerless",
      "no-rm",
      "no-rm/hook.json",
      "at PreToolUse",
    ],
    [
      "an allowance that nothing needs",
      { "no-rm/hook.js": `// hookwarden-allow random-reliance: no reason to\n${pack["no-rm/hook.js"]}` },
      "allowance-useless",
      null,
      "no-rm/hook.js",
      "there is none",
    ],
    [
      "an allowance without a reason",
      { "no-rm/hook.js": `// hookwarden-allow random-reliance\n${pack["no-rm/hook.js"]}` },
      "allowance-useless",
      null,
      "no-rm/hook.js",
      "without a reason",
    ],
    [
      "code that is risky",
      { "no-rm/hook.js": `console.log(Math.random());\n${pack["no-rm/hook.js"]}` },
      "random-reliance",
      "no-rm",
      "no-rm/hook.js",
      "`Math.random`",
    ],
    [
      "an entry outside",
      { "no-rm/hook.json": { ...noRm, entry: "/etc/passwd" } },
      "path-outside-pack",
      "no-rm",
      "no-rm/hook.json",
      "`/etc/passwd`",
    ],
    [
      "a missing entry",
      { "no-rm/hook.json": { ...noRm, entry: "gone.js" } },
      "file-unreadable",
      "no-rm",
      "no-rm/hook.json",
      "`gone.js` is missing",
    ],
    [
      "an unknown key of the pack",
      { "hookwarden.json": { ...manifest, hoks: [] } },
      "pack-invalid",
      null,
      "hookwarden.json",
      "`hooks`",
    ],
    [
      "a grant to a hook that there is not",
      { "hookwarden.json": { ...manifest, grants: { "no-rn": {} } } },
      "policy-invalid",
      null,
      "hookwarden.json",
      "did you mean `no-rm`",
    ],
    [
      "cases that are no JSON",
      { "no-rm/cases.json": "[" },
      "cases-invalid",
      "no-rm",
      "no-rm/cases.json",
      "too early",
    ],
    [
      "cases that are no list",
      { "no-rm/cases.json": {} },
      "cases-invalid",
      "no-rm",
      "no-rm/cases.json",
      "list",
    ],
    [
      "a case with an unknown key",
      { "no-rm/cases.json": [{ ...aCase, expected: {} }] },
      "cases-invalid",
      "no-rm",
      "no-rm/cases.json",
      "",
    ],
    [
      "a case whose event is none",
      { "no-rm/cases.json": [{ ...aCase, event: { hook_event_name: "Stap" } }] },
      "cases-invalid",
      "no-rm",
      "no-rm/cases.json",
      "`Stap`",
    ],
    [
      "a case that expects what cannot come true",
      { "no-rm/cases.json": [{ ...aCase, expect: { verdict: "retry" } }] },
      "cases-invalid",
      "no-rm",
      "no-rm/cases.json",
      "not legal at PreToolUse",
    ],
    [
      "a case with one expectation for two events",
      { "no-rm/cases.json": [{ name: "two", events: [bash("a"), bash("b")], expect: [null] }] },
      "cases-invalid",
      "no-rm",
      "no-rm/cases.json",
      "2 events and 1 expectation",
    ],
    [
      "a case whose pattern does not compile",
      { "no-rm/cases.json": [{ ...aCase, expect: { verdict: "deny", reason: { matches: "(?=x)" } } }] },
      "cases-invalid",
      "no-rm",
      "no-rm/cases.json",
      "`(?=x)`",
    ],
    [
      "a case with a fault that there is not",
      { "no-rm/cases.json": [{ ...aCase, expect: { verdict: "deny", fault: "slept" } }] },
      "cases-invalid",
      "no-rm",
      "no-rm/cases.json",
      "",
    ],
    [
      "two cases of one name",
      { "no-rm/cases.json": [aCase, aCase] },
      "cases-invalid",
      "no-rm",
      "no-rm/cases.json",
      "twice",
    ],
  ];

  it.each(cases)("%s", async (_, changes, code, hook, file, says) => {
    const found = await findings(changes);
    const match = found.find((one) => one.code === code && one.hook === hook && one.place.file === file);
    expect(match).toBeDefined();
    expect(match?.message).toContain(says);
  });

  it("a guard that rewrites before another hook does", async () => {
    const rewriter = (name: string, more: object) => ({
      [`${name}/hook.json`]: { ...noRm, name, reads: ["tool_input"], actions: ["modify_input"], ...more },
      [`${name}/hook.js`]: `export default () => [{ action: "modify_input", input: {} }, { action: "deny", reason: "${name}" }];`,
    });
    const both = { actions: ["deny", "modify_input"] };
    const hooks = { "hookwarden.json": { apiVersion: 1, hooks: ["a", "b", "no-rm", "mark"] } };
    const wrong = await findings({ ...hooks, ...rewriter("a", both), ...rewriter("b", {}) });
    expect(wrong.map(({ code, hook }) => [code, hook])).toEqual([["rewrite-then-guard", "a"]]);
    const right = await findings({
      ...hooks,
      ...rewriter("a", { ...both, priority: 200 }),
      ...rewriter("b", {}),
    });
    expect(right).toEqual([]);
  });

  it("everything at once, not the first thing only", async () => {
    const found = await findings({
      "no-rm/hook.json": { ...noRm, prority: 3 },
      "mark/hook.json": { ...mark, on: [{ event: "PostToolUse", matcher: "(" }] },
    });
    expect(found.map(({ code, hook }) => [code, hook])).toEqual([
      ["pack-invalid", "no-rm"],
      ["matcher-invalid", "mark"],
    ]);
    const scripts = await findings({
      "no-rm/hook.js": "export default (",
      "mark/hook.js": "export default [",
    });
    expect(scripts.map(({ code, hook }) => [code, hook])).toEqual([
      ["load-failed", "no-rm"],
      ["load-failed", "mark"],
    ]);
  });

  it("a hook that is there twice", async () => {
    const again = Object.fromEntries(
      ["a", "b"].flatMap((name) => [
        [`${name}/hook.json`, { ...noRm, name, mode: name === "b" ? "monitor" : "sequential" }],
        [`${name}/hook.js`, pack["no-rm/hook.js"]],
      ]),
    );
    const found = await findings({
      ...again,
      "hookwarden.json": { apiVersion: 1, hooks: ["a", "b", "no-rm", "mark"] },
    });
    expect(found.map(({ code, hook, message }) => [code, hook, message.includes("`a`")])).toEqual([
      ["hook-duplicate", "b", true],
      ["hook-duplicate", "no-rm", true],
    ]);
  });

  it("no use for an action of which the code does not tell, but a case does", async () => {
    const files = {
      "no-rm/hook.js": `export default (event) => ({ action: ["de", "ny"].join(""), reason: String(event.tool_input.command) });`,
      "no-rm/cases.json": [{ ...aCase, expect: { verdict: "deny" } }],
    };
    expect(await findings(files)).toEqual([]);
    const { "no-rm/hook.js": hidden } = files;
    expect((await findings({ "no-rm/hook.js": hidden })).map(({ code }) => code)).toEqual(["action-unused"]);
  });

  it("nothing where a comment allows it with a reason, and says so", async () => {
    await using dir = await folder({
      ...pack,
      "mark/hook.json": mark,
      "no-rm/hook.js": `// hookwarden-allow random-reliance: a sample of the log\nconsole.log(Math.random());\n${pack["no-rm/hook.js"]}`,
    });
    const { findings: found, allowed } = await checkPack(dir.path, sandbox);
    expect(found).toEqual([]);
    expect(allowed).toEqual([
      { code: "random-reliance", file: "no-rm/hook.js", line: 1, reason: "a sample of the log" },
    ]);
  });

  it("the cases that a condition decides, and not the code", async () => {
    const when = { path: "facts.shell.commands.*.name", equals: "rm" };
    await using dir = await folder({
      ...pack,
      "mark/hook.json": mark,
      "no-rm/hook.json": { ...noRm, on: [{ event: "PreToolUse", when }] },
      "no-rm/hook.js": `export default () => ({ action: "deny", reason: "rm" });`,
      "no-rm/cases.json": [
        { ...aCase, name: "passes ls" },
        { name: "stops rm", event: bash("rm x"), expect: { verdict: "deny" } },
      ],
    });
    const { notes } = await checkPack(dir.path, sandbox, { isolation: "inline" });
    expect(notes).toContain("no-rm: 1 case is decided by `when`, and otherwise without it: `passes ls`");
  });

  it("each of its codes is tried here", () => {
    const tried = new Set([...cases.map(([, , code]) => code), "rewrite-then-guard", "hook-duplicate"]);
    expect(Object.keys(findingTable).filter((code) => !tried.has(code))).toEqual([]);
  });
});
