import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkTypes, type TypesOptions, type TypesReport } from "../../src/check/types/index.ts";
import { folder } from "../cli/cli.ts";

const good = `import { deny, type PreToolUse } from "hookwarden/hook";
import { word } from "../lib/word.ts";
const hook: PreToolUse = (event) => (event.tool_name === word ? deny("no") : undefined);
export default hook;
`;
const files = { "a/hook.ts": good, "lib/word.ts": 'export const word: string = "Bash";\n' };

async function check(
  changes: { readonly [path: string]: string },
  options: TypesOptions = {},
): Promise<TypesReport> {
  await using dir = await folder({ ...files, ...changes });
  return await checkTypes(await realpath(dir.path), ["a/hook.ts"], options);
}

describe("types", { timeout: 60_000 }, () => {
  it("hold in a good script, also where globals of a hook are used", async () => {
    const more = `console.log(escape("x")); export const at = Object.groupBy([1], String);\n`;
    expect(await check({ "a/hook.ts": good + more })).toEqual({ checked: true, problems: [] });
  });

  it("tell the place of what does not hold, in files that are imported too", async () => {
    const report = await check({
      "a/hook.ts": good.replace('"no"', "1").replace("event.tool_name", "event.tool_nam"),
      "lib/word.ts": "export const word: number = 'Bash';\n",
    });
    expect(report).toMatchObject({ checked: true });
    const problems = report.checked ? report.problems : [];
    expect(problems.map(({ file, line, number }) => [file, line, number])).toEqual(
      expect.arrayContaining([
        ["a/hook.ts", 3, 2345],
        ["a/hook.ts", 3, 2551],
        ["lib/word.ts", 1, 2322],
      ]),
    );
  });

  it("know no globals of a browser or of Node", async () => {
    const report = await check({ "a/hook.ts": `${good}export const left = [fetch, process, document];\n` });
    expect(report.checked && report.problems.map(({ number }) => number)).toHaveLength(3);
  });

  // Attack: the compiler is made to read a file of the host, and shows a line of it in what it finds wrong there.
  it("are read from the pack only", async () => {
    await using outside = await folder({ "secret.ts": "export const secret: number = 'hunter2';\n" });
    const path = join(outside.path, "secret.ts");
    const report = await check({
      "a/hook.ts": `/// <reference path=${JSON.stringify(path)} />\nimport { secret } from ${JSON.stringify(path)};\n${good}export { secret };\n`,
    });
    expect(report.checked).toBe(true);
    expect(JSON.stringify(report)).not.toContain("hunter2");
    expect(report.checked && report.problems.every(({ file }) => file === "a/hook.ts")).toBe(true);
  });

  // Attack: settings that came with the pack switch the check off.
  it("follow no settings of the pack", async () => {
    const report = await check({
      "tsconfig.json": '{ "compilerOptions": { "strict": false, "noCheck": true } }',
      "lib/word.ts": "export function word(a) { return a; }\n",
    });
    expect(report.checked && report.problems.map(({ number }) => number)).toContain(7006);
  });

  it("are not checked where there is no compiler, and that is said", async () => {
    expect(await check({}, { compiler: null })).toEqual({
      checked: false,
      why: expect.stringContaining("TypeScript is not installed beside hookwarden") as string,
    });
  });

  it("are not said to hold where a script was not there to be read", async () => {
    await using dir = await folder(files);
    expect(await checkTypes(await realpath(dir.path), ["gone/hook.ts"])).toMatchObject({ checked: false });
  });

  it("are given up where the compiler does not end, or does what it may not", async () => {
    await using dir = await folder({
      "endless.cjs": "for (;;);",
      "writer.cjs": `require("node:fs").writeFileSync(${JSON.stringify("/tmp/hookwarden-written")}, "x");`,
    });
    for (const [name, wallMs] of [
      ["endless.cjs", 1_500],
      ["writer.cjs", 20_000],
    ] as const) {
      expect(await check({}, { compiler: join(dir.path, name), wallMs })).toMatchObject({
        checked: false,
        why: expect.stringContaining("gave no answer") as string,
      });
    }
  });
});
