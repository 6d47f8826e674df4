import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { compileScripts } from "../../../src/compile/compile-scripts.ts";
import { type LintCode, lintScript, lintTable } from "../../../src/check/lint/index.ts";
import { lintScripts } from "../../../src/check/lint/lint-scripts.ts";
import { folder } from "../../cli/cli.ts";

const codesIn = (source: string): LintCode[] => [...new Set(lintScript(source).map(({ code }) => code))];
const hook = (body: string): string => `export default (event, ctx) => { ${body} };`;
const deep = (depth: number): string => `export default () => ${"[".repeat(depth)}${"]".repeat(depth)};`;
const base64 = Buffer.from(Array.from({ length: 150 }, (_, index) => (index * 89 + 7) % 256)).toString(
  "base64",
);

/** For each code: scripts that have it, and scripts that look like it and are fine. */
const samples: Record<LintCode, { bad: readonly string[]; good: readonly string[] }> = {
  "unparsable-code": { bad: ["export default (", deep(20_000)], good: [deep(50)] },
  "dynamic-code": {
    bad: [
      hook("return eval(event.prompt);"),
      hook("return new Function('return 1')();"),
      hook("return (() => {}).constructor('return this')();"),
      hook("return [].constructor.constructor('return this')();"),
      hook("return import('node:fs');"),
      hook("const make = globalThis['Function']; return make('1');"),
    ],
    good: [
      hook("return typeof eval;"),
      hook("return event.value instanceof Function ? null : undefined;"),
      hook("return event.value.constructor === Object ? null : undefined;"),
      hook("return event.tool_input.eval;"),
    ],
  },
  "builtin-write": {
    bad: [
      "JSON.stringify = () => '{}'; export default () => {};",
      "Array.prototype.includes = () => false; export default () => {};",
      "Object.defineProperty(String.prototype, 'at', {}); export default () => {};",
      "Object.assign(globalThis, { x: 1 }); export default () => {};",
      "const { prototype } = Object; Object.prototype.x = 1; export default () => {};",
      hook("event.__proto__.x = 1;"),
      hook("Object.getPrototypeOf(event).x = 1;"),
      hook("delete globalThis.Date;"),
      hook("return { __proto__: { action: 'deny' } };"),
    ],
    good: [
      "class Own {} Own.prototype.x = 1; export default () => {};",
      hook("const counts = { __proto__: null }; counts.a = 1;"),
      hook("const copy = Object.assign({}, event); copy.prompt = '';"),
      hook("event.prompt = 'x';"),
    ],
  },
  "dynamic-property": {
    bad: [
      hook("const table = { a: 1 }; return table[event.tool_name];"),
      hook("const counts = {}; counts[event.tool_name] = 1;"),
      hook("let at = ctx.config; for (const name of ['a', 'b']) at = at[name];"),
      hook("return 'a.b'.split('.').reduce((at, name) => at?.[name], ctx.config);"),
      hook("return globalThis['Da' + 'te'];"),
    ],
    good: [
      hook("const table = new Map([['a', 1]]); return table.get(event.tool_name);"),
      hook("const counts = Object.create(null); counts[event.tool_name] = 1;"),
      hook("const counts = { __proto__: null }; counts[event.tool_name] = 1;"),
      hook("const names = ['a', 'b']; return names[0];"),
      hook("return ctx.config['fixed'];"),
    ],
  },
  "regex-nonlinear": {
    bad: [
      hook("return /^(a+)+$/.test(event.prompt);"),
      hook("return /a.*b.*c/s.test(event.prompt);"),
      hook("return new RegExp('^(([a-z])+.)+[A-Z]([a-z])+$').test(event.prompt);"),
      hook("return /(a*)b\\1/.test(event.prompt);"),
      hook("return /^(?:a|aa)+$/.test(event.prompt);"),
      hook("return /^(?:\\w|\\d)*!$/.test(event.prompt);"),
    ],
    good: [
      hook("return /^a+$/.test(event.prompt);"),
      hook("return /^[a-z]{1,20}(?:-[a-z]{1,20}){0,5}$/.test(event.prompt);"),
      hook("return /^(?:ab|ac)+$/.test(event.prompt);"),
    ],
  },
  "regex-rescan": {
    bad: [hook("return event.prompt.replace(/\\s+$/, '');")],
    good: [hook("return event.prompt.replace(/^\\s+/, '');")],
  },
  "regex-from-event": {
    bad: [hook("return new RegExp(event.tool_input.pattern).test('x');")],
    good: [
      hook("return new RegExp(ctx.config.pattern).test(event.prompt);"),
      hook("return new RegExp(RegExp.escape(event.prompt)).test('x');"),
    ],
  },
  "clock-reliance": {
    bad: [hook("return Date.now();"), hook("return new Date().getDay();")],
    good: [hook("return new Date(event.time).getTime() > ctx.state;"), hook("return ctx.time;")],
  },
  "random-reliance": { bad: [hook("return Math.random() < 0.5;")], good: [hook("return Math.floor(1.5);")] },
  "literal-trigger": {
    bad: [
      hook("if (ctx.tenant === 'acme') return { action: 'allow' };"),
      hook("if (Date.now() > 1900000000000) return { action: 'deny', reason: '' };"),
      hook("const { session_id } = event; if (['s1'].includes(session_id)) return;"),
      hook("switch (ctx.tenant) { case 'acme': return; }"),
      hook("if (ctx.time >= '2027-01-01') return;"),
      hook("const day = new Date(event.time).getDay(); if (day === 5) return;"),
      hook("if (/^acme/.test(ctx.tenant)) return;"),
      "const who = (c) => c.tenant; export default (event, ctx) => { if (who(ctx) === 'acme') return; };",
    ],
    good: [
      hook("if (ctx.tenant === ctx.config.tenant) return;"),
      hook("if (typeof event.time === 'string') return;"),
      hook("if (event.tool_name === 'Bash') return;"),
      hook("if (event.agent_id === undefined || event.session_id === '') return;"),
    ],
  },
  "encoded-text": {
    bad: [
      `const text = "${base64}"; export default () => text;`,
      `const text = "${Buffer.from(base64).toString("hex")}"; export default () => text;`,
      `export default () => String.fromCharCode(...[${Array.from({ length: 60 }, (_, index) => 60 + index)}]);`,
    ],
    good: [
      `const text = "${"All of this is plain text that anybody can read. ".repeat(5)}"; export default () => text;`,
      `const text = "${"-".repeat(300)}"; export default () => text;`,
      `export default () => [${Array.from({ length: 60 }, (_, index) => index)}];`,
    ],
  },
  "opaque-source": {
    bad: [
      `export default () => ${Array.from({ length: 600 }, () => "1").join(" + ")};`,
      "const _0x1a2b = 1, _0x3c4d = 2, _0x5e6f = 3, _0x7a8b = 4; export default () => {};",
    ],
    good: [`export default () =>\n${Array.from({ length: 600 }, () => "1").join(" +\n")};`],
  },
  "hidden-character": {
    bad: [
      "export default () => { /* \u202e } */ };",
      "const a\u0430 = 1; export default () => {};",
      'export default () => "a\u200bb";',
      'export default () => "\u{e0041}";',
    ],
    good: [
      "\ufeffexport default () => {};",
      'export default () => "naïve 👩‍💻 ✔️ Привет";',
      "const привет = 1; export default () => {};",
    ],
  },
  "console-event": {
    bad: [
      hook("console.log(event.prompt);"),
      hook("const { tool_input } = event; console.warn(`x ${tool_input.command}`);"),
      "const show = (text) => { console.log(text); }; export default { PreToolUse: (event) => show(event.tool_name) };",
      hook("for (const word of event.prompt.split(' ')) console.log(word);"),
      hook("event.messages.forEach((message) => console.log(message));"),
    ],
    good: [hook("console.log('refused');"), hook("console.log(event.prompt.length > 3 === true);")],
  },
  "unknown-global": {
    bad: [
      hook("return fetch('x');"),
      hook("return process.env;"),
      hook("require('fs');"),
      hook("return globalThis.process.env;"),
      hook("globalThis.setTimeout(() => 1);"),
      hook("return new globalThis.Buffer(1);"),
    ],
    good: [
      hook("return typeof process;"),
      hook("return new Map([[1, Math.max(1, 2)]]);"),
      hook("return globalThis.process?.env ?? globalThis.Buffer;"),
      "globalThis.Buffer = class {}; export default () => { new globalThis.Buffer(); };",
    ],
  },
  "floating-promise": {
    bad: [
      "const later = async () => 1; export default () => { later(); };",
      hook("Promise.resolve().then(() => 1);"),
      hook("void ctx.thing.catch(() => 1);"),
    ],
    good: [
      "const later = async () => 1; export default async () => { await later(); };",
      "const later = async () => 1; export default () => later();",
    ],
  },
  "unbounded-loop": {
    bad: [
      hook("while (true) {}"),
      hook("for (;;) { switch (1) { case 1: break; } }"),
      hook("for (let i = 0; i < event.tool_input.count; i++) ctx.config;"),
      hook("return 'x'.repeat(event.tool_input.count);"),
      hook("let n = 0; while (event.prompt !== '') n++;"),
    ],
    good: [
      hook("while (true) { if (ctx.config) break; }"),
      hook("for (;;) { return; }"),
      hook("for (let i = 0; i < event.prompt.length; i++) ctx.config;"),
      hook("for (let i = 0; i < event.tool_input.count && i < 10; i++) ctx.config;"),
      hook("let rest = event.prompt; while (rest !== '') rest = rest.slice(1);"),
      hook("for (const word of event.prompt.split(' ')) ctx.config;"),
    ],
  },
  "swallowing-catch": {
    bad: [
      hook("try { return check(event); } catch { } function check() {}"),
      hook("try { JSON.parse(event.prompt); } catch { return undefined; }"),
      "async function PreToolUse(event) { try { await 1; } catch (error) { console.log('x'); } } export default { PreToolUse };",
    ],
    good: [
      hook("try { JSON.parse(event.prompt); } catch { return { action: 'block', reason: 'no JSON' }; }"),
      hook("try { JSON.parse(event.prompt); } catch (error) { throw new Error('x'); }"),
      hook(
        "let data; try { data = JSON.parse(event.prompt); } catch { } return { action: 'notify', text: 'x' };",
      ),
      "function parse(text) { try { return JSON.parse(text); } catch { return undefined; } } export default (event) => { if (!parse(event.prompt)) return { action: 'block', reason: 'x' }; };",
    ],
  },
};

describe.each(Object.entries(samples))("%s", (code, { bad, good }) => {
  it.each(bad.map((source) => [source.length > 150 ? `${source.slice(0, 150)}…` : source, source]))(
    "is in %s",
    (_, source) => {
      expect(codesIn(source)).toContain(code);
    },
  );
  it.each(good.map((source) => [source.length > 150 ? `${source.slice(0, 150)}…` : source, source]))(
    "is not in %s",
    (_, source) => {
      expect(codesIn(source)).not.toContain(code);
    },
  );
});

it("every code of the table is tried here", () => {
  expect(Object.keys(samples).toSorted()).toEqual(Object.keys(lintTable).toSorted());
});

describe("lintScript", () => {
  it("names the place in the TypeScript that was written, not in the program that was made of it", async () => {
    await using dir = await folder({
      "lib.ts":
        "interface Far {\n  away: string;\n}\nexport const now = (far?: Far): number =>\n  Date.now();\n",
      "hook.ts": 'import { now } from "./lib.ts";\ntype Time = number;\nexport default (): Time => now();\n',
    });
    const [script] = await compileScripts(dir.path, [{ name: "hook", path: "hook.ts" }], { maps: true });
    const { program, map } = script!;
    expect(lintScript(program.source, map)).toMatchObject([
      { code: "clock-reliance", origin: "pack", place: { file: "lib.ts", line: 5, column: 3 } },
    ]);
  });

  it("says of npm packages only what counts there", async () => {
    await using dir = await folder({
      "node_modules/dep/package.json": '{ "name": "dep", "version": "1.0.0", "main": "index.js" }',
      "node_modules/dep/index.js": "exports.a = () => Date.now(); exports.b = (text) => new Function(text);",
      "hook.js": 'import { a, b } from "dep";\nexport default () => [a(), b("1")];\n',
    });
    const [script] = await compileScripts(dir.path, [{ name: "hook", path: "hook.js" }], { maps: true });
    const { program, map } = script!;
    expect(lintScript(program.source, map)).toMatchObject([{ code: "dynamic-code", origin: "package" }]);
  });

  it("gives an answer for every script of the hostile corpus", () => {
    const scripts = new URL("../../hostile/scripts/", import.meta.url);
    const files = readdirSync(scripts).filter((name) => name.endsWith(".js"));
    const found = new Map(
      files.map((name) => [name, lintScript(readFileSync(new URL(name, scripts), "utf8"))]),
    );
    const has = (start: string): readonly string[] =>
      [...found]
        .filter(([name]) => name.startsWith(start))
        .flatMap(([, list]) => list.map(({ code }) => code));
    expect(found.size).toBeGreaterThan(100);
    expect(has("tam-001")).toContain("builtin-write");
    expect(has("esc-001")).toContain("dynamic-code");
    expect(has("cpu-001")).toContain("unbounded-loop");
    expect(has("cpu-015")).toContain("regex-nonlinear");
    expect(has("src-005")).toContain("hidden-character");
    expect(has("src-006")).toContain("hidden-character");
    expect(has("iso-011")).toContain("floating-promise");
  });
});

describe("lintScripts", () => {
  const script = (source: string) => ({
    program: { key: source.slice(0, 20), name: "h", source },
    map: null,
  });

  // A script that is made to choke the parser must not take the check of the other ones with it.
  it("answers for the others where one script is too much", async () => {
    const choking = `export default () => ${"(".repeat(5_000)}${"[".repeat(50_000)};`;
    const scripts = [script(hook("Date.now();")), script(choking), script(hook("Math.random();"))];
    const results = await lintScripts(scripts);
    expect(results.map(({ findings }) => findings.at(-1)?.code)).toEqual([
      "clock-reliance",
      "unparsable-code",
      "random-reliance",
    ]);
    expect(results.map(({ usage }) => usage === null)).toEqual([false, true, false]);
  });

  it("says of each script for which there was no time that nothing is known of it", async () => {
    const results = await lintScripts([script(hook("")), script(hook("eval('');"))], {
      wallMs: 1,
      startMs: 0,
    });
    expect(results.map(({ findings }) => findings)).toMatchObject([
      [
        {
          code: "unparsable-code",
          severity: "error",
          message: expect.stringContaining("it took longer than 2 ms") as string,
        },
      ],
      [{ code: "unparsable-code" }],
    ]);
  });
});
