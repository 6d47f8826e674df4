/**
 * `npm run measure:packages`: whether popular pure packages work in hooks. Installs them into
 * a cache folder, calls a hook with each on every engine and realm, and compares the answer with that of Node.js. It
 * exits with 1 if another package than those with `cannot` fails, or one of those works.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { createSandbox, defaultLimits, type Sandbox } from "@hookwarden/sandbox";
import { loadPack } from "../../src/pack/index.ts";
import { installPackages } from "../../test/support/install-packages.ts";

interface Trial {
  readonly package: string;
  readonly version: string;
  readonly imports: string;
  /** An expression whose value is a text that shows that the package works. */
  readonly shows: string;
  /** Absent: it works everywhere. */
  readonly cannot?: string;
}

const trials: readonly Trial[] = [
  {
    package: "lodash",
    version: "4.17.21",
    imports: 'import _ from "lodash"',
    shows:
      '_.chain([3, 1, 2]).sortBy().map((x) => x * 2).value().join() + _.camelCase("foo bar") + _.merge({ a: { b: 1 } }, { a: { c: 2 } }).a.c + _.get({ a: [{ b: 1 }] }, "a[0].b") + _.cloneDeep(new Map([[1, { a: 1 }]])).get(1).a',
  },
  {
    package: "zod",
    version: "4.1.12",
    imports: 'import { z } from "zod"',
    shows:
      'JSON.stringify(z.object({ a: z.email(), b: z.number().int().optional(), c: z.array(z.enum(["x", "y"])) }).safeParse({ a: "q@example.com", c: ["x", "z"] }).error.issues.map((i) => i.code))',
  },
  {
    package: "semver",
    version: "7.7.3",
    imports: 'import semver from "semver"',
    shows:
      '[semver.satisfies("1.2.3", "^1.0.0"), semver.inc("1.2.3", "minor"), semver.coerce("v2").version].join()',
  },
  {
    package: "date-fns",
    version: "4.1.0",
    imports: 'import { addDays, differenceInHours, formatISO, parseISO } from "date-fns"',
    shows:
      'formatISO(addDays(parseISO("2024-02-28"), 2), { representation: "date" }) + differenceInHours(new Date(1e12), new Date(9e11))',
  },
  {
    package: "ms",
    version: "2.1.3",
    imports: 'import ms from "ms"',
    shows: '[ms("2 days"), ms(60000), ms(1e9, { long: true })].join()',
  },
  {
    package: "picomatch",
    version: "4.0.3",
    imports: 'import pm from "picomatch"',
    shows: '[pm("**/*.js")("a/b.js"), pm("!(a|b)")("c"), pm("{a..c}/*")("b/x")].join()',
  },
  {
    package: "minimist",
    version: "1.2.8",
    imports: 'import m from "minimist"',
    shows: 'JSON.stringify(m(["-a", "1", "--b=2", "c", "--no-d"]))',
  },
  {
    package: "yaml",
    version: "2.8.1",
    imports: 'import YAML from "yaml"',
    shows: String.raw`YAML.stringify(YAML.parse("a: [1, 2, {b: c}]\nd: &x {e: 1}\nf: *x\n"))`,
  },
  {
    package: "acorn",
    version: "8.15.0",
    imports: 'import * as acorn from "acorn"',
    shows:
      'String(acorn.parse("class A{#x=1;m(){return this.#x??2}}", { ecmaVersion: 2024 }).body[0].body.body.length)',
  },
  {
    package: "nanoid",
    version: "5.1.6",
    imports: 'import { nanoid } from "nanoid/non-secure"',
    shows: "String(nanoid().length)",
  },
  {
    package: "uuid",
    version: "13.0.0",
    imports: 'import { parse, stringify, v5, validate } from "uuid"',
    shows:
      '[v5("hello", "6ba7b810-9dad-11d1-80b4-00c04fd430c8"), validate("x"), stringify(parse("6ba7b810-9dad-11d1-80b4-00c04fd430c8"))].join()',
  },
  {
    package: "immer",
    version: "10.2.0",
    imports: 'import { produce } from "immer"',
    shows:
      "JSON.stringify(produce({ a: [1, { b: 2 }], m: {} }, (d) => { d.a[1].b = 3; d.a.push(4); delete d.m; }))",
  },
  {
    package: "ramda",
    version: "0.32.0",
    imports: 'import * as R from "ramda"',
    shows:
      'R.pipe(R.filter(R.gt(R.__, 1)), R.map(R.inc), R.sum)([1, 2, 3]) + R.path(["a", "b"], { a: { b: 1 } }) + JSON.stringify(R.groupBy((x) => (x % 2 ? "o" : "e"), [1, 2, 3]))',
  },
  {
    package: "validator",
    version: "13.15.20",
    imports: 'import v from "validator"',
    shows:
      '[v.isEmail("a@example.com"), v.isURL("https://example.com/a"), v.escape("<a>"), v.isISO8601("2024-01-01")].join()',
  },
  {
    package: "jsonpath-plus",
    version: "10.3.0",
    imports: 'import { JSONPath } from "jsonpath-plus"',
    shows:
      'JSON.stringify(JSONPath({ path: "$..b", json: { a: [{ b: 1 }, { b: 2 }] } })) + JSON.stringify(JSONPath({ path: "$.a[?(@.b>1)]", json: { a: [{ b: 1 }, { b: 2 }] }, eval: "safe" }))',
  },
  {
    package: "marked",
    version: "16.4.1",
    imports: 'import { marked } from "marked"',
    shows: String.raw`marked.parse("# a\n\n* b **c**\n\n|x|y|\n|-|-|\n|1|2|\n")`,
  },
  {
    package: "fast-deep-equal",
    version: "3.1.3",
    imports: 'import eq from "fast-deep-equal"',
    shows: "[eq({ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }), eq(/a/, /b/)].join()",
  },
  {
    package: "unbash",
    version: "4.0.2",
    imports: 'import { parse } from "unbash"',
    shows: 'String(parse("git push --force && rm -rf $HOME | cat").commands.length)',
  },
  {
    package: "ajv",
    version: "8.17.1",
    imports: 'import Ajv from "ajv"',
    shows:
      'String(new (Ajv.default ?? Ajv)({}).compile({ type: "object", properties: { a: { type: "number" } }, required: ["a"] })({ a: 1 }))',
    cannot: "makes code from strings; use its standalone code",
  },
  {
    package: "handlebars",
    version: "4.7.8",
    imports: 'import H from "handlebars/dist/cjs/handlebars.js"',
    shows: '(H.default || H).compile("Hi {{a}} {{#each b}}{{this}},{{/each}}")({ a: 1, b: [1, 2] })',
    cannot: "makes code from strings; use precompiled templates",
  },
];

const folder = fileURLToPath(new URL("../../node_modules/.cache/hookwarden-packages/", import.meta.url));

/** Writes a pack of one hook that uses the package. @returns its folder */
function writePack({ package: name, imports, shows }: Trial): string {
  const at = join(folder, "packs", name);
  mkdirSync(join(at, "trial"), { recursive: true });
  const hook = {
    apiVersion: 1,
    name: "trial",
    version: "1.0.0",
    entry: "hook.js",
    on: [{ event: "SessionStart" }],
    reads: [],
    actions: ["notify"],
  };
  writeFileSync(
    join(at, "hookwarden.json"),
    JSON.stringify({ apiVersion: 1, name, version: "1.0.0", hooks: ["trial"] }),
  );
  writeFileSync(join(at, "trial/hook.json"), JSON.stringify(hook));
  writeFileSync(join(at, "trial/hook.js"), `${imports};\nexport default () => ${shows};\n`);
  return at;
}

/** What Node.js answers, with every package as it is. */
async function expected(at: string): Promise<string> {
  const module = (await import(pathToFileURL(join(at, "trial/hook.js")).href)) as { default: () => string };
  return module.default();
}

async function answer(sandbox: Sandbox, at: string): Promise<string> {
  const [hook] = (await loadPack(at)).hooks;
  const outcome = await sandbox.call({
    program: hook!.program,
    tenant: "t",
    handler: "SessionStart",
    args: ["{}", "{}"],
    time: 0,
    seed: [1, 2, 3, 4],
    limits: { ...defaultLimits, wallMs: 5_000, steps: 100_000_000 },
  });
  return outcome.ok
    ? String(JSON.parse(outcome.output ?? "null"))
    : `${outcome.fault.code}: ${outcome.fault.message}`;
}

installPackages(folder, Object.fromEntries(trials.map((one) => [one.package, one.version])));
await using quickjs = await createSandbox({ engine: "quickjs", processes: 1 });
await using frozen = await createSandbox({ engine: "isolate", processes: 1 });
await using fresh = await createSandbox({ engine: "isolate", processes: 1, realm: "fresh" });
const engines = new Map([
  ["quickjs", { sandbox: quickjs, working: 0 }],
  ["isolate, frozen realm", { sandbox: frozen, working: 0 }],
  ["isolate, fresh contexts", { sandbox: fresh, working: 0 }],
]);
for (const trial of trials) {
  const at = writePack(trial);
  const wanted = await expected(at);
  for (const [name, engine] of engines) {
    const got = await answer(engine.sandbox, at).catch((error: unknown) => String(error));
    // Random texts are as long.
    const same = got === wanted || (trial.package === "nanoid" && got.length === wanted.length);
    if (same) engine.working++;
    else console.log(`${trial.package}, ${name}: ${got.replaceAll("\n", " ").slice(0, 160)}`);
    if (same === (trial.cannot !== undefined)) process.exitCode = 1;
  }
}
for (const [name, { working }] of engines) console.log(`${name}: ${working} of ${trials.length} work`);
