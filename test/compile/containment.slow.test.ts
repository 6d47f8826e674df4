import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { treeKib } from "../../sandbox/src/process/resident-memory.ts";
import { HookwardenError } from "../../src/errors/index.ts";
import { compileEach, type CompileOptions } from "../../src/compile/compile-scripts.ts";
import { lintScripts } from "../../src/check/lint/lint-scripts.ts";
import { compileBombs } from "../support/compile-bombs.ts";
import { escapeTrial } from "../support/escape-trial.ts";
import { runBomb } from "../support/run-bomb.ts";
import { errorOf, temporaryFolder, writeFiles } from "../pack/packs.ts";

// The child itself is under test.
vi.unmock("../../src/compile/run-child.ts");

type Files = { readonly [path: string]: string };

/** Bundles `h/hook.js` of a pack in memory: the program, or the message of the error. */
async function bundle(files: Files, options: CompileOptions = {}): Promise<string> {
  const pack = new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)]));
  const [result] = await compileEach(pack, [{ name: "h", path: "h/hook.js" }], {
    nodeModules: [],
    ...options,
  });
  return textOf(result);
}

function textOf(result: Awaited<ReturnType<typeof compileEach>>[number] | undefined): string {
  if (result instanceof HookwardenError) return `${result.code}: ${result.message}`;
  return result?.program.source ?? "";
}

const linux = process.platform === "linux";

describe("memory of children that read a stranger's source", () => {
  // Attack: members of an enum double a text. esbuild folds them, and its process, which no flag of Node bounds, grew
  // by half a GiB a second from a file of 500 bytes.
  it.runIf(linux).each([
    ["enum", "enum E"],
    ["const enum", "const enum E"],
  ])("is bounded where the members of an %s double a text", { timeout: 60_000 }, async (kind, head) => {
    const members = Array.from({ length: 29 }, (_, index) => `k${index + 1} = k${index} + k${index}`);
    const text = `${head} { k0 = "xxxxxxxx", ${members.join(", ")} }\nexport default () => null;\n`;
    const { answer, peak } = await runBomb(
      { kind, child: "bundler", files: { "h/hook.ts": text } },
      256,
      20_000,
    );
    expect(answer).toMatch(/^load-failed: .*needed more than 256 MiB of memory.*raise `childMemoryMb`/);
    expect(peak).toBeLessThan(mostBytes(256));
  });

  it.runIf(linux)("is bounded for a sample of bombs", { timeout: 60_000 }, async () => {
    // All of them, and more: `npm run measure:bombs`.
    const sample = compileBombs(16, 7).filter((_, index) => [8, 11, 14].includes(index));
    for (const bomb of sample) {
      const { kind, answer, peak } = await runBomb(bomb, 256, 2_000);
      expect([kind, answer, peak < mostBytes(256)]).toEqual([kind, answer, true]);
    }
  });

  it.runIf(linux)("is bounded for the linter, which names the limit in a finding", async () => {
    const source = `export default [${"[],".repeat(1_500_000)}];`;
    const program = { key: "", name: "h", source };
    const [result] = await lintScripts([{ program, map: null }], { childMemoryMb: 160 });
    expect(result?.findings[0]?.message).toContain("needed more than 160 MiB of memory");
  });

  it("has a limit that cannot be switched off by a value out of range", async () => {
    for (const childMemoryMb of [0, -1, NaN, Infinity, 1.5, 1e9]) {
      const files = new Map([["h/hook.js", Buffer.from("export default 1")]]);
      const error = await errorOf(compileEach(files, [{ name: "h", path: "h/hook.js" }], { childMemoryMb }));
      expect(error).toMatchObject({ code: "option-invalid" });
    }
  });

  it("is that of a process and all its descendants, where `ps` lists them", () => {
    const listing = "  1 0 100\n 10 1 5\n 11 10 7\n 12 11 9\n 13 1 1000\n\n";
    expect(treeKib(listing, 10)).toBe(21);
  });
});

/** The limit, and what may grow in the time between two samples on a machine that is busy. */
function mostBytes(limitMb: number): number {
  return (limitMb + 512) * 1_048_576;
}

describe("imports that lead out of the pack", () => {
  // Attack: the bundler searches the folders of the machine for what an import may mean that is put together at run
  // time. Whether it finds something is an answer about the host's disk.
  const way = "`./../../../../../../../../etc/pass${x}`";
  const forms = {
    "a comment of HTML": `module.exports = (x) => import<!--\n(${way});`,
    "a closing comment of HTML": `module.exports = (x) => import\n--> c\n(${way});`,
    "a comment that only a module does not have": `var a = 1, b = 2;\na<!--b /*\n; module.exports = (x) => import(${way}); /* */`,
    "a template that only a module has": `var a = 1, b = 2;\na<!--b+\`\n; module.exports = (x) => import("./../../../../../../../../etc/pass" + x); //\``,
    "require behind such a comment": `var a = 1, b = 2;\na<!--b /*\n; module.exports = (x) => require(${way}); /* */`,
    "module.require": `module.exports = (x) => module.require(${way});`,
    "module.require by index": `module.exports = (x) => module["require"](${way});`,
    "module.require by a sum": `module.exports = (x) => module["req" + "uire"](${way});`,
    "dead code": `module.exports = (x) => false && import(${way});`,
    "a choice": `module.exports = (x) => (true ? require : 0)(${way});`,
  };

  it("get the same answer whether the file exists or not", { timeout: 60_000 }, async () => {
    const entries = Object.keys(forms).map((_, index) => ({ name: `h${index}`, path: `h${index}/hook.js` }));
    const answers = async (name: string): Promise<readonly string[]> => {
      const files = Object.values(forms).flatMap((text, index) => [
        [`h${index}/hook.js`, 'import m from "./g.cjs";\nexport default () => m;\n'] as const,
        [`h${index}/g.cjs`, text.replaceAll("etc/pass", name)] as const,
      ]);
      const pack = new Map(files.map(([path, text]) => [path, Buffer.from(text)]));
      return (await compileEach(pack, entries, { nodeModules: [] })).map(textOf);
    };
    const there = await answers("etc/pass");
    expect(there.map((text) => text.replaceAll("etc/pass", "etc/nope"))).toEqual(await answers("etc/nope"));
    for (const text of there) expect(text).not.toMatch(/__glob|load-failed/);
  });

  // Attack: the files of hookwarden, and files of the project's packages that their `exports` do not name, have a place beside
  // the pack in the tree that the bundler sees.
  it("reach neither the files of hookwarden nor packages past their exports", async () => {
    const root = await temporaryFolder();
    await writeFiles(root, {
      "dep/package.json": '{"name":"dep","exports":"./index.js"}',
      "dep/index.js": "export default 1;",
      "dep/hidden.js": "export default 'CANARY';",
    });
    const evil = (main: string): Files => ({
      "node_modules/m/package.json": JSON.stringify({ name: "m", main }),
    });
    const places: readonly (readonly [string, Files?])[] = [
      ["../../hookwarden/errors.ts"],
      ["../../hookwarden/hook/index.ts"],
      ["../../modules/0/dep/hidden.js"],
      ["../../modules/0/dep/index.js"],
      ["m", evil("../../../hookwarden/errors.ts")],
      ["m", evil("../../../modules/0/dep/hidden.js")],
      ["#x", { "package.json": '{"imports":{"#x":"./../modules/0/dep/hidden.js"}}' }],
    ];
    for (const [specifier, files] of places) {
      const script = `import * as x from "${specifier}"; export default x;`;
      const found = await bundle({ "h/hook.js": script, ...files }, { nodeModules: [root] });
      expect(found).toContain(`cannot find \`${specifier}\`: `);
    }
    const honest = await bundle({ "h/hook.js": 'export { default } from "dep";' }, { nodeModules: [root] });
    expect(honest).not.toContain("load-failed");
  });

  it("are refused where the bundler's helper for a search is in the program", async () => {
    expect(await bundle({ "h/hook.js": "var __glob = 1; export default () => __glob;" })).toContain(
      "`__glob`",
    );
  });

  it("keep their place in errors and source maps where the script is rewritten", async () => {
    const script =
      'type A = 1;\nexport const f = (n: string) => import("./" + n);\n\n  import x from "./nope"; export default x;';
    const pack = new Map([["h/hook.ts", Buffer.from(script)]]);
    const error = (await compileEach(pack, [{ name: "h", path: "h/hook.ts" }], { nodeModules: [] }))[0];
    expect(error).toMatchObject({ place: { file: "h/hook.ts", line: 4, column: 17 } });
    const good = new Map([
      ["h/hook.ts", Buffer.from(script.replace('from "./nope"', 'from "./x.json"'))],
      ["h/x.json", Buffer.from("1")],
    ]);
    const [built] = await compileEach(good, [{ name: "h", path: "h/hook.ts" }], {
      nodeModules: [],
      maps: true,
    });
    expect(JSON.parse((built as { map: string }).map)).toMatchObject({
      sources: ["pack:h/x.json", "pack:h/hook.ts"],
    });
  });

  it.runIf(process.platform !== "win32")("end where links form a cycle", async () => {
    const root = await temporaryFolder();
    await writeFiles(root, { "h/hook.js": 'import x from "a"; export default x;' });
    await mkdir(join(root, "node_modules"));
    await symlink("b", join(root, "node_modules/a"));
    await symlink("a", join(root, "node_modules/b"));
    const [result] = await compileEach(root, [{ name: "h", path: "h/hook.js" }], { nodeModules: [] });
    expect(textOf(result)).toContain("cannot find `a`");
  });

  it.runIf(process.platform !== "win32")(
    "open nothing outside, for packs from a grammar of imports",
    { timeout: 120_000 },
    async ({ annotate }) => {
      const { different, leaking, touched, built } = await escapeTrial(60, 4_000);
      expect({ different, leaking, touched: touched ?? [] }).toEqual({
        different: [],
        leaking: [],
        touched: [],
      });
      expect(built).toBeGreaterThan(30);
      if (touched === null) await annotate("strace is not installed: what was opened was not traced");
    },
  );
});
