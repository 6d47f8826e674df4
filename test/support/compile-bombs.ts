import { pick, seeded } from "./seeded.ts";

/** A small pack that is made to cost the bundler, the type checker or the linter much memory. */
export interface Bomb {
  readonly kind: string;
  /** Which child it is for. */
  readonly child: "bundler" | "types";
  readonly files: { readonly [path: string]: string };
}

const end = "export default () => null;\n";

function doublings(random: () => number, join: (name: string) => string): readonly string[] {
  const count = 22 + Math.floor(random() * 10);
  return Array.from({ length: count }, (_, index) => `k${index + 1} = ${join(`k${index}`)}`);
}

function enumOf(random: () => number, join: (name: string) => string): string {
  const word = "x".repeat(1 + Math.floor(random() * 16));
  const head = pick(["enum", "const enum", "export enum", "export const enum"], random);
  return `${head} E { k0 = "${word}", ${doublings(random, join).join(", ")} }\n${end}`;
}

type Make = (random: () => number) => Omit<Bomb, "kind">;

function script(source: string): Omit<Bomb, "kind"> {
  return { child: "bundler", files: { "h/hook.ts": source } };
}

function typed(source: string): Omit<Bomb, "kind"> {
  return { child: "types", files: { "h/hook.ts": source + end } };
}

/** Unions of as many members as the compiler allows, each one different from the others. */
function unions(random: () => number, letters: number, digits: number): string {
  const names = Array.from({ length: letters }, (_, index) => `"${String.fromCharCode(97 + index)}"`);
  const word = Array.from({ length: digits }, () => "${L}").join("");
  const count = 20 + Math.floor(random() * 60);
  const types = Array.from({ length: count }, (_, index) => `export type U${index} = \`${index}-${word}\`;`);
  const uses = types.map((_, index) => `export const v${index}: U${index} = "none";`);
  return [`type L = ${names.join(" | ")};`, ...types, ...uses, ""].join("\n");
}

const kinds: { readonly [kind: string]: Make } = {
  "enum, sums": (random) => script(enumOf(random, (name) => `${name} + ${name}`)),
  "enum, templates": (random) => script(enumOf(random, (name) => `\`\${${name}}\${${name}}\``)),
  "enum, members by name": (random) => script(enumOf(random, (name) => `E.${name} + E["${name}"]`)),
  "enums that follow each other": (random) => {
    const steps = 22 + Math.floor(random() * 8);
    const enums = Array.from({ length: steps }, (_, at) => `enum E${at + 1} { k = E${at}.k + E${at}.k }`);
    return script(`enum E0 { k = "xxxxxxxx" }\n${enums.join("\n")}\n${end}`);
  },
  "enum in a namespace": (random) =>
    script(`namespace N { ${enumOf(random, (name) => `${name} + ${name}`).replace(end, "")} }\n${end}`),
  "enum beside a call that is put together": (random) =>
    script(
      `${enumOf(random, (name) => `${name} + ${name}`)}export const z = (n: string) => import("./" + n);\n`,
    ),
  "enum in an imported file": (random) => ({
    child: "bundler",
    files: {
      "h/hook.ts": `import "./e.ts";\n${end}`,
      "h/e.ts": enumOf(random, (name) => `${name} + ${name}`),
    },
  }),
  "templates of constants": (random) => {
    const steps = doublings(random, (name) => `\`\${${name}}\${${name}}\``);
    return script(`const k0 = "xxxxxxxx";\n${steps.map((step) => `const ${step};`).join("\n")}\n${end}`);
  },
  nesting: (random) => {
    const [open, close] = pick(
      [
        ["(", ")"],
        ["[", "]"],
        ["{a:", "}"],
        ["!", ""],
        ["()=>", ""],
      ] as const,
      random,
    );
    const depth = 50_000 + Math.floor(random() * 150_000);
    return script(`export default ${open.repeat(depth)}1${close.repeat(depth)};`);
  },
  "long sum": (random) => {
    const count = 100_000 + Math.floor(random() * 100_000);
    return script(`export default ${Array.from({ length: count }, () => '"a"').join("+")};`);
  },
  "imports that branch": (random) => {
    const levels = 8 + Math.floor(random() * 6);
    const wide = 30 + Math.floor(random() * 60);
    const files: Record<string, string> = { "h/hook.ts": `import "./f0_0.ts";\n${end}` };
    for (let level = 0; level < levels; level++) {
      for (let at = 0; at < wide; at++) {
        const below = Array.from({ length: wide }, (_, to) => `import "./f${level + 1}_${to}.ts";`).join("");
        files[`h/f${level}_${at}.ts`] = level + 1 < levels ? below : "export {};";
      }
    }
    return { child: "bundler", files };
  },
  "types, unions of templates": (random) => typed(unions(random, 9, 5)),
  "types, unions of pairs": (random) => typed(unions(random, 26, 3)),
  "types, tuples": (random) => {
    const steps = 12 + Math.floor(random() * 8);
    const tuples = Array.from({ length: steps }, (_, at) => `type T${at + 1} = [...T${at}, ...T${at}];`);
    return typed(`type T0 = [1];\n${tuples.join("\n")}\nexport const t: T${steps} = [];\n`);
  },
  "types, recursion": (random) => {
    const depth = 100 + Math.floor(random() * 900);
    return typed(
      `type R<N extends number, A extends unknown[] = []> = A["length"] extends N ? A : R<N, [...A, { a: A }]>;\nexport const r: R<${depth}> = [];\n`,
    );
  },
  "types, inferred objects": (random) => {
    const steps = 18 + Math.floor(random() * 10);
    const objects = Array.from({ length: steps }, (_, at) => `const o${at + 1} = { a: o${at}, b: o${at} };`);
    return typed(`const o0 = { x: 1 };\n${objects.join("\n")}\nexport const bad: string = o${steps};\n`);
  },
};

/** So many bombs, of all kinds in turn. */
export function compileBombs(count: number, seed: number): readonly Bomb[] {
  const random = seeded(seed);
  const makers = Object.entries(kinds);
  return Array.from({ length: count }, (_, index) => {
    const [kind, make] = makers[index % makers.length] as [string, Make];
    return { kind, ...make(random) };
  });
}
