import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSandbox, defaultLimits, type Program, type Sandbox } from "@hookwarden/sandbox";
import { HookwardenError } from "hookwarden/errors";
import { linkProgram } from "../src/worker/link-program.ts";

const helpers = "exports.deny = (reason) => ({ action: 'deny', reason });";

function link(files: { readonly [path: string]: string }): Program {
  return linkProgram({
    name: "probe",
    entry: "probe/hook.ts",
    files: new Map(Object.entries(files)),
    packages: new Map([["hookwarden/hook", helpers]]),
  });
}

describe("programs that are put together in a page", () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await createSandbox({ isolation: "inline" });
  });
  afterAll(() => sandbox[Symbol.asyncDispose]());

  async function run(files: { readonly [path: string]: string }): Promise<unknown> {
    const outcome = await sandbox.call({
      program: link(files),
      tenant: "default",
      handler: "PreToolUse",
      args: ['{"tool_name":"Bash"}', "{}"],
      time: 0,
      seed: [1, 2, 3, 4],
      limits: defaultLimits,
    });
    return outcome.ok ? JSON.parse(outcome.output ?? "null") : outcome.fault;
  }

  it("have no types, and whatever their files import from each other", async () => {
    const answer = await run({
      "probe/hook.ts": `import { deny, type PreToolUse } from "hookwarden/hook";
import words, { loud } from "../lib/words.ts";
import * as all from "../lib";
import table from "./table.json";
import type { Missing } from "./not-there.ts";
const hook: PreToolUse = (event) => deny([loud(words), all.twice(event.tool_name as string), table.a].join(" "));
export default hook satisfies unknown as Missing;`,
      "probe/table.json": '{ "a": "json" }',
      "lib/words.ts":
        "export default 'no' as string;\nexport const loud = (text: string): string => text.toUpperCase();",
      "lib/index.ts": 'export { twice } from "./twice.js";\nexport * from "./words";',
      "lib/twice.ts": "export function twice<T>(value: T): string { return `${value}${value}`; }",
    });
    expect(answer).toEqual({ action: "deny", reason: "NO BashBash json" });
  });

  it("hold bindings that files in a circle change later", async () => {
    const answer = await run({
      "probe/hook.ts":
        'import { read } from "./a.ts";\nexport default () => ({ action: "deny", reason: read() });',
      "probe/a.ts":
        'import { last } from "./b.ts";\nexport let name = "a";\nexport const read = () => name + last();\nname = "later";',
      "probe/b.ts": 'import { name } from "./a.ts";\nexport const last = () => "-" + name;',
    });
    expect(answer).toEqual({ action: "deny", reason: "later-later" });
  });

  it.each([
    [
      "a syntax error",
      { "probe/hook.ts": "export default () => {\n  return (1;\n};" },
      { line: 2 },
      /not bundled/,
    ],
    [
      "a file that is not there",
      { "probe/hook.ts": 'import "./gone.ts";' },
      {},
      /`\.\/gone\.ts`, and there is no such file/,
    ],
    [
      "a package that the page has not",
      { "probe/hook.ts": 'import "lodash";' },
      {},
      /no packages but `hookwarden\/hook`/,
    ],
    ["a module of Node", { "probe/hook.ts": 'import "node:fs";' }, {}, /`node:fs`/],
    ["a path that leaves the pack", { "probe/hook.ts": 'import "../../etc.ts";' }, {}, /no such file/],
    [
      "a name that objects have",
      { "probe/hook.ts": 'import "constructor"; import "./__proto__";' },
      {},
      /`constructor`/,
    ],
    [
      "an await at the top",
      { "probe/hook.ts": "await 1;\nexport default () => null;" },
      { line: 1 },
      /not bundled/,
    ],
    [
      "data that is no JSON",
      { "probe/hook.ts": 'import "./a.json";', "probe/a.json": "{" },
      { file: "probe/a.json" },
      /not JSON/,
    ],
  ])("are refused for %s, with the place", (_, files, place, words) => {
    const error = (() => {
      try {
        link(files as unknown as { readonly [path: string]: string });
        return null;
      } catch (thrown) {
        return thrown as HookwardenError;
      }
    })();
    expect(error).toBeInstanceOf(HookwardenError);
    expect(error).toMatchObject({ code: "load-failed", place });
    expect(error?.message).toMatch(words);
  });

  // An export that a script does not have must be a fault of the hook, as it is with the command line's bundler.
  it("are a fault where they export no hook", async () => {
    expect(await run({ "probe/hook.ts": "export const other = 1;" })).toMatchObject({ code: "load-failed" });
  });
});
