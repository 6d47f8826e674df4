import { execFileSync } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { readJson } from "@hookwarden/sandbox/json";
import {
  type CompiledScript,
  compileEach,
  compileScripts,
  type CompileOptions,
} from "../../src/compile/compile-scripts.ts";
import { HookwardenError } from "../../src/errors/index.ts";
import { errorOf, temporaryFolder, writeFiles } from "../pack/packs.ts";

// The child itself is under test.
beforeAll(() => vi.stubEnv("HOOKWARDEN_TEST_UNCACHED", "1"));
afterAll(() => vi.unstubAllEnvs());

type Files = { readonly [path: string]: string | Uint8Array };

function inMemory(files: Files): Map<string, Uint8Array> {
  return new Map(
    Object.entries(files).map(([path, text]) => [path, typeof text === "string" ? Buffer.from(text) : text]),
  );
}

/** Bundles `h/hook.ts` of a pack in memory. */
async function bundle(
  script: string,
  files: Files = {},
  options: CompileOptions = {},
): Promise<CompiledScript> {
  const pack = inMemory({ "h/hook.ts": script, ...files });
  const [result] = await compileScripts(pack, [{ name: "h", path: "h/hook.ts" }], options);
  if (!result) throw new Error("no program");
  return result;
}

/** Bundles many scripts of one folder in one go, with other files beside them. */
async function bundleMany(
  scripts: readonly string[],
  files: Files,
  folder: string | null = null,
  options: CompileOptions = {},
): Promise<readonly (CompiledScript | HookwardenError)[]> {
  const entries = scripts.map((_, index) => ({ name: `h${index}`, path: `h/hook${index}.ts` }));
  const all = {
    ...files,
    ...Object.fromEntries(scripts.map((script, index) => [`h/hook${index}.ts`, script])),
  };
  if (folder !== null) await writeFiles(folder, all);
  return compileEach(folder ?? inMemory(all), entries, { nodeModules: [], ...options });
}

/** The default export of a program, made here: only for scripts of this file. */
async function run(script: CompiledScript): Promise<unknown> {
  const module = (await import(`data:text/javascript,${encodeURIComponent(script.program.source)}`)) as {
    default: unknown;
  };
  return module.default;
}

const refused = (script: string, files: Files = {}, options?: CompileOptions): Promise<HookwardenError> =>
  errorOf(bundle(script, files, options));

describe("a script becomes one module", () => {
  it("of TypeScript, with what it imports from the pack, JSON included", async () => {
    const script = `
      import { add, type Pair } from "./lib/add.js";
      import data from "../data.json";
      import { four } from "./four";
      enum Kind { A = "a" }
      const pair: Pair = [1, data.two];
      export default [add(pair), four, Kind.A] satisfies unknown[];`;
    const files = {
      "h/lib/add.ts":
        "export type Pair = [number, number]; export const add = ([a, b]: Pair): number => a + b; export const unused = 'UNUSED';",
      "h/four.mjs": "export const four = 4;",
      "data.json": '{"two":2}',
    };
    const result = await bundle(script, { ...files, "h/four.ts": "export const four = 4;" });
    expect(await run(result)).toEqual([3, 4, "a"]);
    expect(result.program.source).not.toMatch(/^import /m);
    expect(result.program.source).not.toContain("UNUSED");
    expect(result.program.name).toBe("h");
    expect(result.program.key).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(result.modules.map(({ path }) => path).sort()).toEqual([
      "pack:data.json",
      "pack:h/four.ts",
      "pack:h/hook.ts",
      "pack:h/lib/add.ts",
    ]);
  });

  it("with the helpers of hookwarden/hook, and nothing else of hookwarden", async () => {
    const result = await bundle(
      'import { deny, type PreToolUse } from "hookwarden/hook"; export default deny("no");',
    );
    expect(await run(result)).toEqual({ action: "deny", reason: "no" });
    expect(result.modules.map(({ path }) => path)).toEqual(["hookwarden:hook", "pack:h/hook.ts"]);
    for (const name of [
      "hookwarden",
      "@hookwarden/sandbox",
      "hookwarden/hook/../index.js",
      "hookwarden/hook.js",
    ]) {
      expect(await refused(`import * as x from "${name}"; export default x;`)).toMatchObject({
        code: "load-failed",
      });
    }
  });

  it("with packages from the pack's own node_modules, also in memory, ESM and CommonJS", async () => {
    const result = await bundle(
      'import a from "esm"; import b from "@scope/cjs/part"; export default [a, b.value];',
      {
        "node_modules/esm/package.json":
          '{"name":"esm","version":"1.2.3","exports":{"import":"./main.mjs"},"sideEffects":false}',
        "node_modules/esm/main.mjs": 'import { one } from "./inner.mjs"; export default one;',
        "node_modules/esm/inner.mjs": "export const one = 1;",
        "node_modules/@scope/cjs/package.json": '{"name":"@scope/cjs","version":"0.1.0","main":"index.js"}',
        "node_modules/@scope/cjs/part.js": 'exports.value = require("./index").value + 1;',
        "node_modules/@scope/cjs/index.js": "exports.value = 1;",
      },
    );
    expect(await run(result)).toEqual([1, 2]);
    const modules = result.modules.map(({ path, package: name, version }) => [path, name, version]);
    expect(modules).toContainEqual(["pack:node_modules/esm/main.mjs", "esm", "1.2.3"]);
    expect(modules).toContainEqual(["pack:node_modules/@scope/cjs/part.js", "@scope/cjs", "0.1.0"]);
  });

  it("that is the same text wherever the pack lies, whatever its neighbours are", async () => {
    const files = {
      "h/hook.ts": 'import { x } from "../x"; export default x;',
      "x.ts": "export const x = 1; export const y = 2;",
    };
    const [first, second] = [await temporaryFolder(), await temporaryFolder()];
    await writeFiles(first, files);
    await writeFiles(second, { ...files, "g/hook.ts": 'import { x, y } from "../x"; export default x + y;' });
    const entry = { name: "h", path: "h/hook.ts" };
    const [a] = await compileScripts(first, [entry], { maps: true });
    const [b] = await compileScripts(second, [entry, { name: "g", path: "g/hook.ts" }], { maps: true });
    const c = await bundle(files["h/hook.ts"], { "x.ts": files["x.ts"] }, { maps: true });
    expect(b).toEqual(a);
    expect(c).toEqual(a);
    expect(JSON.stringify(a)).not.toContain(first);
    expect(a?.program.source).not.toContain("y = 2");
  });

  it("with a map only where one is asked for", async () => {
    expect((await bundle("export default 1")).map).toBeNull();
    const { map } = await bundle("export default 1", {}, { maps: true });
    expect(readJson(map ?? "", { maxDepth: 4, maxKeys: 100, maxKeyLength: 100 })).toMatchObject({
      version: 3,
      sources: ["pack:h/hook.ts"],
    });
  });

  it("with `import()` and `require()` of an unknown specifier left for the guest to refuse", async () => {
    const { program } = await bundle(
      'export default async (n: string) => { await import("node:fs"); await import("./x.js"); return import(n); };',
    );
    expect(program.source).toContain('import("node:fs")');
    expect(program.source).toContain('import("./x.js")');
  });

  it("alone, without a pack", async () => {
    const root = await temporaryFolder();
    await writeFiles(root, {
      "my hook.ts": 'import { x } from "./x"; export default x as number;',
      "x.ts": "export const x = 5;",
    });
    const compileOne = async (folder: string, path: string) =>
      (await compileScripts(folder, [{ name: "mine", path }]))[0]!;
    const result = await compileOne(root, "my hook.ts");
    expect(await run(result)).toBe(5);
    expect(result.program.name).toBe("mine");
    expect((await compileOne(relative(process.cwd(), root), "my hook.ts")).program).toEqual(result.program);
    const missing = await errorOf(compileOne(root, "missing.ts"));
    expect(missing).toMatchObject({ code: "load-failed", place: { file: "missing.ts" } });
    expect(missing.message).not.toContain(root);
    expect(await errorOf(compileOne(join(root, "none"), "x.ts"))).toMatchObject({
      code: "pack-not-found",
    });
  });

  it("in the order in which it was asked for, many at once", async () => {
    const names = Array.from({ length: 40 }, (_, index) => `h${index}`);
    const pack = inMemory(
      Object.fromEntries(names.map((name) => [`${name}/hook.js`, `export default "${name}";`])),
    );
    const results = await compileScripts(
      pack,
      names.map((name) => ({ name, path: `${name}/hook.js` })),
    );
    expect(results.map(({ program }) => program.name)).toEqual(names);
    expect(results.map(({ program }) => /"(h\d+)"/.exec(program.source)?.[1])).toEqual(names);
    expect(await compileScripts(pack, [])).toEqual([]);
  });
});

describe("packages of a project around the pack", () => {
  async function project(): Promise<string> {
    const root = await temporaryFolder();
    await writeFiles(root, {
      "package.json": "{}",
      "node_modules/dep/package.json": '{"name":"dep","version":"2.0.0","main":"index.js"}',
      "node_modules/dep/index.js": "export default 7;",
      "packs/mine/h/hook.ts": 'import dep from "dep"; export default dep;',
      "secret.js": "export default 'SECRET';",
    });
    return root;
  }
  const entry = [{ name: "h", path: "h/hook.ts" }];

  it("are found next to the nearest package.json above it", async () => {
    const root = await project();
    const [result] = await compileScripts(join(root, "packs/mine"), entry);
    expect(result && (await run(result))).toBe(7);
    expect(result?.modules).toContainEqual(
      expect.objectContaining({ path: "modules:0/dep/index.js", package: "dep", version: "2.0.0" }),
    );
  });

  it("are not there where the host says so, and others are where it names them", async () => {
    const root = await project();
    const without = await errorOf(compileScripts(join(root, "packs/mine"), entry, { nodeModules: [] }));
    expect(without).toMatchObject({ code: "load-failed", place: { file: "h/hook.ts", line: 1 } });
    const [named] = await compileScripts(
      inMemory({ "h/hook.ts": 'import dep from "dep"; export default dep;' }),
      entry,
      { nodeModules: [join(root, "node_modules")] },
    );
    expect(named && (await run(named))).toBe(7);
  });

  it("give their build for browsers, where the other one imports Node's built-ins, and that for production", async () => {
    const root = await project();
    const builds = { browser: "./browser.js", default: "./node.js" };
    await writeFiles(root, {
      "node_modules/two/package.json": JSON.stringify({ name: "two", exports: builds, type: "module" }),
      "node_modules/two/node.js": 'import vm from "node:vm"; export default vm;',
      "node_modules/two/browser.js": 'export default process.env.NODE_ENV === "production" ? 9 : 8;',
      "packs/mine/h/hook.ts": 'import two from "two"; export default two;',
    });
    const [result] = await compileScripts(join(root, "packs/mine"), entry);
    expect(result && (await run(result))).toBe(9);
  });

  it.runIf(process.platform !== "win32")(
    "may be linked to each other, as some package managers do",
    async () => {
      const root = await project();
      await writeFiles(root, {
        "node_modules/.store/a@1/node_modules/a/package.json": '{"name":"a","version":"1.0.0","main":"a.js"}',
        "node_modules/.store/a@1/node_modules/a/a.js": 'import b from "b"; export default b + 1;',
        "node_modules/.store/b@1/node_modules/b/package.json": '{"name":"b","main":"b.js"}',
        "node_modules/.store/b@1/node_modules/b/b.js": "export default 1;",
        "packs/mine/h/hook.ts": 'import a from "a"; export default a;',
      });
      await symlink("../../b@1/node_modules/b", join(root, "node_modules/.store/a@1/node_modules/b"));
      await symlink(".store/a@1/node_modules/a", join(root, "node_modules/a"));
      const [result] = await compileScripts(join(root, "packs/mine"), entry);
      expect(result && (await run(result))).toBe(2);
      expect(result?.modules.map(({ path }) => path)).toContain("modules:0/.store/b@1/node_modules/b/b.js");
    },
  );

  // Attack: a package that is a link out of the packages, to what lies beside them.
  it.runIf(process.platform !== "win32")("may not be links to elsewhere", async () => {
    const root = await project();
    await writeFiles(root, { "packs/mine/h/hook.ts": 'import x from "evil/secret.js"; export default x;' });
    await symlink("..", join(root, "node_modules/evil"));
    expect(await errorOf(compileScripts(join(root, "packs/mine"), entry))).toMatchObject({
      code: "load-failed",
    });
    // Nor the pack's own packages as a whole.
    const pack = await temporaryFolder();
    await writeFiles(pack, { "h/hook.ts": 'import dep from "dep"; export default dep;' });
    await symlink(join(root, "node_modules"), join(pack, "node_modules"));
    expect(await errorOf(compileScripts(pack, entry, { nodeModules: [] }))).toMatchObject({
      code: "load-failed",
    });
  });

  // Attack: the main file of a package is named with a path that leads out of it.
  it("cannot point out of themselves by what their package.json says", async () => {
    const root = await project();
    for (const [name, manifest] of Object.entries({
      main: { main: "../../secret.js" },
      module: { module: "../../secret.js" },
      exports: { exports: "./../../secret.js" },
      absolute: { main: join(root, "secret.js") },
      imports: { main: "index.js", imports: { "#x": "../../secret.js" } },
      browser: { main: "index.js", browser: { "./index.js": "../../secret.js" } },
    })) {
      await writeFiles(root, {
        [`node_modules/${name}/package.json`]: JSON.stringify({ name, ...manifest }),
        [`node_modules/${name}/index.js`]:
          name === "imports" ? 'export { default } from "#x";' : "export default 0;",
        "packs/mine/h/hook.ts": `import x from "${name}"; export default x;`,
      });
      const result = await compileScripts(join(root, "packs/mine"), entry).catch(
        (error: HookwardenError) => error,
      );
      expect(JSON.stringify(result)).not.toContain("SECRET");
    }
  });
});

describe("imports that a hook cannot have are load errors with their place", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["node:fs", "Node built-in"],
    ["fs", "Node built-in"],
    ["node:child_process", "Node built-in"],
    ["https://evil.invalid/x.js", "a URL"],
    ["http://127.0.0.1/", "a URL"],
    ["//evil.invalid/x.js", "a URL"],
    ["data:text/javascript,export default 1", "a URL"],
    ["file:///etc/passwd", "a URL"],
    ["/etc/passwd", "leaves the pack"],
    ["../../../../../../etc/passwd", "the pack has no such file"],
    ["./missing.js", "the pack has no such file"],
    ["left-pad", "not in the `node_modules`"],
    ["./..\\\\..\\\\x.js", "leaves the pack"],
    ["C:/x.js", "a URL"],
    ["./data.json?raw", "character"],
    ["", "empty"],
    ["#private", "not in the `node_modules`"],
    ["loader!./data.json", "character"],
    ["./data.txt", "JavaScript, TypeScript and JSON files only"],
    ["./style.css", "JavaScript, TypeScript and JSON files only"],
    ["./addon.node", "JavaScript, TypeScript and JSON files only"],
    [".", "the pack has no such file"],
  ];
  const files = { "h/data.json": "1", "h/data.txt": "x", "h/style.css": "a{}", "h/addon.node": "x" };
  const scripts = cases.map(([specifier]) => `\n  import x from "${specifier}"; export default x;`);
  let results: readonly (CompiledScript | HookwardenError)[] = [];
  beforeAll(async () => {
    results = await bundleMany(scripts, files);
  });

  it.each(cases.map(([specifier, message], index) => [specifier, message, index] as const))(
    "%j: %s",
    (_, message, index) => {
      expect(results[index]).toMatchObject({
        code: "load-failed",
        place: { file: `h/hook${index}.ts`, line: 2, column: 17 },
      });
      expect((results[index] as HookwardenError).message).toContain(message);
      expect((results[index] as HookwardenError).message.length).toBeLessThan(500);
    },
  );

  it("by `require` too, unless the script is ready for it", async () => {
    expect(await refused('export default require("fs");')).toMatchObject({ code: "load-failed" });
    expect(await refused('export default require("/etc/passwd");')).toMatchObject({ code: "load-failed" });
    const result = await bundle(
      'let fs; try { fs = require("fs"); } catch { fs = "none"; } export default fs;',
    );
    expect(result.program.source).not.toMatch(/^import /m);
  });
});

describe("scripts that do not parse", () => {
  it("say where, with an excerpt of the line", async () => {
    const error = await refused("export default () => {\n  const ä = ;\n};");
    expect(error).toMatchObject({ code: "load-failed", place: { file: "h/hook.ts", line: 2, column: 13 } });
    expect(error.message).toContain("const ä = ;");
  });

  it("in a file that is imported", async () => {
    const error = await refused('import "./lib/bad.js";', { "h/lib/bad.js": "\n\n  (" });
    expect(error).toMatchObject({ code: "load-failed", place: { file: "h/lib/bad.js", line: 3 } });
  });

  it("where they import while they run", async () => {
    const error = await refused("export default (n) => import(n);\nlet x = ;");
    expect(error).toMatchObject({ code: "load-failed", place: { file: "h/hook.ts", line: 2, column: 9 } });
  });

  // Attack (src-018): the message holds a line of a megabyte. (src-005, dis-001): it hides itself or clears the terminal.
  it("show at most 200 characters of it, and nothing that is not plainly visible", async () => {
    const long = await refused(`export default "${"x".repeat(900_000)}"; let y = ;`);
    expect(long.message.length).toBeLessThan(320);
    const hidden = await refused("export default () => { let \u202ex\u001b[2J\u0007 = ; }");
    // oxlint-disable-next-line no-control-regex
    expect(hidden.message).not.toMatch(/[\u0000-\u001f\u202e]/);
  });

  it("are refused where they are not UTF-8", async () => {
    const error = await errorOf(
      compileScripts(new Map([["h/hook.ts", Buffer.from('export default "\xff"', "latin1")]]), [
        { name: "h", path: "h/hook.ts" },
      ]),
    );
    expect(error).toMatchObject({ code: "load-failed" });
    expect(error.message).toContain("UTF-8");
  });
});

describe("what a script says to the bundler itself", () => {
  // Attack (bun-015): the bundler opens the file that such a comment names, and shows its first line in an error.
  it("a map in a comment is not looked for", async () => {
    const urls = [
      "file:///etc/passwd",
      "../../../../../../../etc/passwd",
      "/etc/passwd",
      "http://evil.invalid/x.map",
      "data:application/json,%00",
    ];
    const scripts = urls.flatMap((url) => [
      `export default 1\n//# sourceMappingURL=${url}`,
      `/*# sourceMappingURL=${url} */ export default 1`,
    ]);
    for (const [index, result] of (await bundleMany(scripts, {}, null, { maps: true })).entries()) {
      const { map } = result as CompiledScript;
      expect(JSON.parse(map ?? "")).toMatchObject({ sources: [`pack:h/hook${index}.ts`] });
      expect(map).not.toContain("root:");
    }
  });

  // Attack: an import of a name that is put together makes the bundler list folders of the machine, `../` included,
  // and bundle whatever lies there.
  const calls = [
    'import("./d/" + n)',
    "import(`./d/${n}.js`)",
    'require("../" + n)',
    "require(`../../../../../../etc/${n}`)",
    'import(("./d/") + n)',
    'import(/* comment */ "./d/" + n)',
    "import\n/* c */\n(`./d/${n}`)",
    'r\\u0065quire("./d/" + n)',
    'require("\\x2e/d/" + n)',
    'require(n ? "./d/" + n : "./d/x" + n)',
    '(require as any)("./d/" + n)',
    '(0, require)("./d/" + n)',
    'require?.("./d/" + n)',
    "require(E.P + n)",
    'import("./d/" + n, { with: { type: "json" } })',
    'import(require("./d/" + n) + n)',
    'require(require("./d/" + require("../" + n)) + import("./d/" + n))',
  ];

  it.each(["in a folder", "in memory"])(
    "%s, an import that is put together makes it search nothing",
    async (where) => {
      const scripts = calls.map(
        (call) => `enum E { P = "./d/" } declare const require: any; export default (n: string) => ${call};`,
      );
      const files = {
        "h/d/a.js": "export default 'FOUND'",
        "h/d/xa.js": "export default 'FOUND'",
        "h/d/a.json": '"FOUND"',
      };
      const results = await bundleMany(
        scripts,
        files,
        where === "in a folder" ? await temporaryFolder() : null,
      );
      for (const [index, call] of calls.entries()) {
        const result = results[index] as CompiledScript;
        expect([call, result.program?.source]).toEqual([call, expect.stringContaining("][0]")]);
        expect(result.program.source).not.toMatch(/FOUND|glob/);
        expect(result.modules.map(({ path }) => path)).toEqual([`pack:h/hook${index}.ts`]);
      }
    },
  );

  it("the text of such a call in a string or a comment stays as it is", async () => {
    const result = await bundle(
      '/* import("./" + x) */ export default [\'require("../" + x)\', /import\\("\\.\\/" \\+ x\\)/.source];',
    );
    expect(await run(result)).toEqual(['require("../" + x)', 'import\\("\\.\\/" \\+ x\\)']);
  });

  // Attack: settings beside the script change what it means after it was reviewed.
  it("a tsconfig.json or package.json beside it changes nothing", async () => {
    const script = "class A { x = 1 } export default Object.keys(new A());";
    const settings = {
      "tsconfig.json":
        '{"extends":"/etc/passwd","compilerOptions":{"target":"es5","useDefineForClassFields":false,"paths":{"dep":["./x"]}}}',
      "h/tsconfig.json": '{"compilerOptions":{"jsxFactory":"x","alwaysStrict":false}}',
      "h/package.json": '{"type":"commonjs","sideEffects":false,"browser":{"./hook.ts":"./other.ts"}}',
    };
    expect((await bundle(script, settings)).program).toEqual((await bundle(script)).program);
  });

  it("a cycle of imports ends", async () => {
    expect(
      await run(
        await bundle('import "./hook.ts"; import "./b.ts"; export default 1;', {
          "h/b.ts": 'import "./hook.ts";',
        }),
      ),
    ).toBe(1);
  });

  it("a name that objects inherit is a name like any other", async () => {
    const result = await bundle('import d from "./constructor.json"; export default Object.keys(d);', {
      "h/constructor.json": '{"__proto__":{"x":1},"constructor":1}',
    });
    expect(await run(result)).toEqual(["__proto__", "constructor"]);
  });
});

describe("limits of bundling", () => {
  // Attack (bun-013): work before the first check of a size.
  it("of a file", async () => {
    const error = await refused(`export default "${"x".repeat(1_048_576)}"`);
    expect(error.message).toContain("1048576 bytes");
    const json = await refused('import d from "./d.json"; export default d', {
      "h/d.json": `"${"x".repeat(1_048_576)}"`,
    });
    expect(json).toMatchObject({ code: "load-failed" });
  });

  it("of the program", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 6 }, (_, index) => [
        `h/f${index}.ts`,
        `export const f${index} = "${"x".repeat(1_000_000)}";`,
      ]),
    );
    const imports = Object.keys(files).map((_, index) => `export { f${index} } from "./f${index}.ts";`);
    const error = await refused(`${imports.join("\n")} export default 1;`, files);
    expect(error.message).toContain("5242880 bytes");
  });

  it.runIf(process.platform === "linux")("of time, with everything that was started", async () => {
    const before = bundlerProcesses();
    const error = await refused(`export default ${"!".repeat(900_000)}1`, {}, { compileTimeoutMs: 300 });
    expect(error).toMatchObject({ code: "load-failed" });
    expect(error.message).toContain("longer than 300 ms");
    expect(bundlerProcesses()).toBeLessThanOrEqual(before);
  });

  it("nothing of our environment reaches it", async () => {
    process.env["NODE_OPTIONS"] = "--require=/nonexistent-hookwarden.js";
    try {
      expect(await run(await bundle("export default 1"))).toBe(1);
    } finally {
      process.env["NODE_OPTIONS"] = "--conditions=hookwarden-source";
    }
  });
});

/** How many children of this process, and their children, are bundling. */
function bundlerProcesses(): number {
  const list = execFileSync("ps", ["-eo", "pid,ppid,args"], { encoding: "utf8" }).split("\n");
  const rows = list.map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line)).filter((row) => row !== null);
  const ours = new Set([String(process.pid)]);
  for (let grown = true; grown;) {
    grown = false;
    for (const [, pid = "", parent = ""] of rows) {
      if (ours.has(parent) && !ours.has(pid)) {
        ours.add(pid);
        grown = true;
      }
    }
  }
  return rows.filter(([, pid = "", , args = ""]) => ours.has(pid) && /compile-child|esbuild/.test(args))
    .length;
}

describe("what cannot be bundled is refused whatever stands in its place", () => {
  it.runIf(process.platform !== "win32")("a package.json that is a pipe does not make it wait", async () => {
    const root = await temporaryFolder();
    await mkdir(join(root, "node_modules/dep"), { recursive: true });
    await mkdir(join(root, "h"));
    await writeFile(join(root, "h/hook.ts"), 'import dep from "dep"; export default dep;');
    execFileSync("mkfifo", [join(root, "node_modules/dep/package.json")]);
    const start = performance.now();
    const error = await errorOf(
      compileScripts(root, [{ name: "h", path: "h/hook.ts" }], { nodeModules: [] }),
    );
    expect(error).toMatchObject({ code: "load-failed" });
    expect(performance.now() - start).toBeLessThan(10_000);
  });
});
