import { pick, seeded } from "./seeded.ts";

/** A pack of one hook, `h/hook.ts`, that tries to import what is outside of it. */
export interface EscapingPack {
  /** How it tries, for messages. */
  readonly form: string;
  readonly files: { readonly [path: string]: string };
  /** Links, by relative path. */
  readonly links: { readonly [path: string]: string };
}

/** Where the folder is that packs try to reach: its path, and the way to it from the root of a pack. */
export interface Surroundings {
  readonly outside: string;
  readonly fromPack: string;
}

/** Files that packs try to reach: outside, among our own, and in a package whose `exports` do not name it. */
export const canaries = {
  outside: ["canary.js", "canary.json"],
  own: "canary.ts",
  modules: "dep/hidden.js",
} as const;

type Place = (around: Surroundings, random: () => number) => string;

/** Ways to write where the file is, seen from the folder `h` of a pack. */
const places: { readonly [form: string]: Place } = {
  relative: ({ fromPack }) => `../${fromPack}/canary.js`,
  "relative, JSON": ({ fromPack }) => `../${fromPack}/canary.json`,
  "relative, with a detour": ({ fromPack }) => `./x/..//.././${fromPack}/canary.js`,
  "from the root": ({ outside }, random) =>
    `${"../".repeat(12 + Math.floor(random() * 8)).slice(0, -1)}${outside}/canary.js`,
  absolute: ({ outside }) => `${outside}/canary.js`,
  "file URL": ({ outside }) => `file://${outside}/canary.js`,
  "data URL": () => `data:text/javascript,export default "canary"`,
  "our own files": () => `../../hookwarden/canary.ts`,
  "packages past their exports": () => `../../modules/0/dep/hidden.js`,
  "packages past their exports, by name": () => `dep/../dep/hidden.js`,
  "link to a file": () => "./link.js",
  "link to a folder": () => `./folder/canary.js`,
  "package that is a link": () => `linked/canary.js`,
  "file of a package that is a link": () => "m/link.js",
  "package.json": () => "m",
  "package.json, imports": () => "#x",
  "tsconfig.json": () => "zz",
};

type Code = (specifier: string, split: number) => string;

const quoted = (text: string): string => JSON.stringify(text);
const template = (text: string, split: number): string =>
  `\`${text.slice(0, split)}\${x}${text.slice(split + 1)}\``;
const sum = (text: string, split: number): string => `${quoted(text.slice(0, split))} + x`;
const escaped = (text: string): string =>
  `"${[...text].map((letter) => `\\u{${letter.codePointAt(0)?.toString(16)}}`).join("")}"`;
const used = (expression: string): string => `export const f = (x) => { return ${expression}; };`;

/** Ways to write an import. `split` is where the part begins that is known only at run time. */
const codes: { readonly [form: string]: Code } = {
  static: (at) => `import v from ${quoted(at)}; export const f = v;`,
  "static, namespace": (at) => `import * as v from ${quoted(at)}; export const f = v;`,
  "static, bare": (at) => `import ${quoted(at)}; export const f = 1;`,
  "static, attributes": (at) => `import v from ${quoted(at)} with { type: "json" }; export const f = v;`,
  "static, escapes": (at) => `import v from ${escaped(at)}; export const f = v;`,
  "export from": (at) => `export * from ${quoted(at)}; export const f = 1;`,
  dynamic: (at) => used(`import(${quoted(at)})`),
  "dynamic, template": (at) => used(`import(\`${at}\`)`),
  require: (at) => used(`require(${quoted(at)})`),
  "require in try": (at) => `try { require(${quoted(at)}); } catch {} export const f = 1;`,
  "require.resolve": (at) => used(`require.resolve(${quoted(at)})`),
  "module.require": (at) => used(`module.require(${quoted(at)})`),
  "new URL": (at) => used(`new URL(${quoted(at)}, import.meta.url)`),
  "source map": (at) => `export const f = 1;\n//# sourceMappingURL=${at}`,
  "source map, early": (at) => `/*# sourceMappingURL=${at} */ export const f = (x) => import(x);`,
  "source map, kept comment": (at) =>
    `export const f = (x) => import(x);\n/*! @license\n//# sourceMappingURL=${at}\n*/`,
  ...Object.fromEntries(
    Object.entries({
      import: "import(@)",
      "import, comment": "import/* c */(@)",
      "import, line comment": "import// c\n(@)",
      "import, comment of HTML": "import<!--\n(@)",
      "import, closing comment of HTML": "import\n--> c\n(@)",
      "import, line separator": "import\u2028(@)",
      "import, in dead code": "(false && import(@))",
      "import, behind return": "(() => { return; import(@); })()",
      "import, in a choice": "import(x ? @ : './a')",
      "import, by the type of require": "import(typeof require == 'function' ? @ : 0)",
      "import, in an import": "import(import(@))",
      "import, in parentheses": "import((@))",
      "import, comma": "import((0, @))",
      "import, attributes": "import(@, { with: { type: 'json' } })",
      "import, defer": "import.defer(@)",
      "import, source": "import.source(@)",
      require: "require(@)",
      "require, escape": "r\\u0065quire(@)",
      "require, comma": "(0, require)(@)",
      "require, optional": "require?.(@)",
      "require, choice": "(true ? require : 0)(@)",
      "require, and": "(true && require)(@)",
      "require, nullish": "(null ?? require)(@)",
      "require, spread": "require(...[@])",
      "require, in require": "require(require(@))",
      "require, global": "globalThis.require(@)",
      "require, new": "new require(@)",
      "require, resolve": "require.resolve(@)",
      "module.require": "module.require(@)",
      "module.require, index": 'module["require"](@)',
      "module.require, template": "module[`require`](@)",
      "module.require, sum": 'module["req" + "uire"](@)',
      "module.require, escape": "m\\u006fdule.require(@)",
      "module.require, optional": "module?.require(@)",
      "module.require, comma": "(0, module.require)(@)",
      "module.require, own variable": "(() => { var module; return module.require(@); })()",
      "import.meta": "import.meta.glob(@)",
    }).flatMap(([form, code]) =>
      [template, sum].flatMap((argument) =>
        ["export const f =", "exports.f ="].map((head): [string, Code] => [
          `put together, ${form}, ${argument === sum ? "sum" : "template"}, ${head}`,
          (at, split) => `${head} (x) => { return ${code.replace("@", () => argument(at, split))}; };`,
        ]),
      ),
    ),
  ),
  // In a script, `<!--` begins a comment; in a module it is three operators, and what follows is another program.
  "put together, hidden by a comment of HTML": (at, split) =>
    `var a = 1, b = 2;\na<!--b /*\n; exports.f = (x) => import(${template(at, split)}); /* */`,
  "put together, require hidden by a comment of HTML": (at, split) =>
    `var a = 1, b = 2;\na<!--b /*\n; exports.f = (x) => require(${sum(at, split)}); /* */`,
  "put together, hidden by a template": (at, split) =>
    `var a = 1, b = 2;\na<!--b+\`\n; exports.f = (x) => import(${sum(at, split)}); //\``,
  "put together, constant of an enum": (at, split) =>
    `enum E { P = ${quoted(at.slice(0, split))} } export const f = (x: string) => import(E.P + x);`,
  "put together, cast": (at, split) =>
    `declare const require: any; export const f = (x: string) => (require as any)!(${sum(at, split)});`,
  "put together, type arguments": (at, split) =>
    `declare const require: any; export const f = (x: string) => require<string>(${sum(at, split)});`,
  "import =": (at) => `import v = require(${quoted(at)}); export const f = v;`,
  reference: (at) => `/// <reference path=${quoted(at)} />\nexport const f = 1;`,
};

/** Files beside the script that lead out of the pack. */
function settings({ outside, fromPack }: Surroundings, random: () => number): object {
  const up = `${fromPack}/canary.js`;
  const there = pick([`../../${up}`, `./../../${up}`, `${outside}/canary.js`], random);
  const own = pick([there, `../../../hookwarden/canary.ts`, `../../../modules/0/dep/hidden.js`], random);
  const manifest = pick(
    [
      { main: own },
      { module: own },
      { exports: own },
      { exports: { ".": own, "./*": `./../../${fromPack}/*` } },
      { browser: { "./a.js": own }, main: "a.js" },
      { main: "a.js", types: own, imports: { "#x": own } },
    ],
    random,
  );
  const imports = pick([`./${up}`, up, own, { default: own }, "dep/hidden.js"], random);
  return {
    "node_modules/m/package.json": JSON.stringify({ name: "m", ...manifest }),
    "node_modules/m/a.js": "export default 1;",
    "package.json": JSON.stringify({ name: "pack", type: "module", imports: { "#x": imports } }),
    "tsconfig.json": JSON.stringify({
      extends: `${outside}/canary.json`,
      compilerOptions: {
        baseUrl: fromPack,
        rootDirs: [outside],
        paths: { zz: [`${fromPack}/canary.js`] },
      },
    }),
  };
}

/** A pack from the grammar of places and imports; the same for the same seed. */
export function escapingPack(seed: number, around: Surroundings): EscapingPack {
  const random = seeded(seed);
  const place = pick(Object.keys(places), random);
  // Of those that are put together there are the most ways.
  const patterns = random() < 0.6;
  const code = pick(
    Object.keys(codes).filter((form) => form.startsWith("put together") === patterns),
    random,
  );
  const at = (places[place] as Place)(around, random);
  const end = at.lastIndexOf("/") + 1;
  const split = pick([end, Math.min(end + 3, at.length - 1), at.length - 1], random);
  const typescript = / as |: any|: string|enum E|import v =/.test((codes[code] as Code)("", 0));
  const extension = pick(typescript ? ["ts", "mts", "cts"] : ["js", "cjs", "mjs", "ts", "cts"], random);
  const { fromPack, outside } = around;
  return {
    form: `${code}; ${place}; .${extension}`,
    files: {
      ...settings(around, random),
      "h/hook.ts": `import * as g from "./g.${extension}";\nexport default () => g.f;\n`,
      [`h/g.${extension}`]: (codes[code] as Code)(at, split),
    },
    links: {
      "h/link.js": `../${fromPack}/canary.js`,
      "h/folder": outside,
      "node_modules/linked": pick([`../${fromPack}`, outside], random),
      "node_modules/m/link.js": pick([`../../${fromPack}/canary.js`, `${outside}/canary.js`], random),
    },
  };
}
