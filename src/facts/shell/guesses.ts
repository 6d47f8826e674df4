import { argsOf, type Invocation } from "./invocation.ts";

/** Languages whose programs can be given on the command line, and the option that does it. */
const inlineOptions: ReadonlyMap<string, RegExp> = new Map([
  ["python", /^-[A-Za-z]*c$/],
  ["perl", /^-[A-Za-z]*[eE]$/],
  ["ruby", /^-[A-Za-z]*e$/],
  ["node", /^(-[A-Za-z]*[ep]|--eval|--print)$/],
  ["bun", /^(-e|--eval)$/],
  ["deno", /^eval$/],
  ["php", /^-r$/],
  ["lua", /^-e$/],
  ["osascript", /^-e$/],
]);

const awks: ReadonlySet<string> = new Set(["awk", "gawk", "mawk"]);

/** The name of a language's interpreter without its version, such as `python3.12`; `undefined` for other programs. */
function languageOf(name: string): string | undefined {
  const language = name.replace(/[0-9.]+$/, "");
  return inlineOptions.has(language) ? language : undefined;
}

export function isInterpreter(name: string): boolean {
  return awks.has(name) || languageOf(name) !== undefined;
}

/** The program text that an interpreter was given on the command line. */
export function inlineProgram(invocation: Invocation): string | undefined {
  const args = argsOf(invocation);
  if (awks.has(invocation.name)) return args.find((arg) => !arg.startsWith("-"));
  const option = inlineOptions.get(languageOf(invocation.name) ?? "");
  const at = option === undefined ? -1 : args.findIndex((arg) => option.test(arg));
  return at < 0 ? undefined : args[at + 1];
}

/** Functions of other languages that delete a folder with all that is in it. */
const deletes =
  /(?:rmtree|rmSync|rmdirSync|rm_rf|rm_r|remove_entry_secure|remove_tree)[\s(]{1,8}["'`]([^"'`]{1,400})/g;

/** What a program in another language may start: its strings, read as command lines. */
export function guesses(program: string): readonly { code?: string; words?: readonly string[] }[] {
  const strings = literals(program);
  const lines = [...strings.filter((text) => /\s/.test(text)), strings.join(" ")];
  const inner: { code?: string; words?: readonly string[] }[] = lines.map((code) => ({ code }));
  for (const [, path = ""] of program.matchAll(deletes)) inner.push({ words: ["rm", "-r", path] });
  return inner;
}

const mostLiterals = 32;

/** The string literals of a program, in any of the usual quotes. One pass. */
function literals(program: string): readonly string[] {
  const found: string[] = [];
  let quote = "";
  let text = "";
  for (let at = 0; at < program.length && found.length < mostLiterals; at++) {
    const char = program[at] ?? "";
    if (char === "\\") text += program[++at] ?? "";
    else if (quote === "" && /["'`]/.test(char)) [quote, text] = [char, ""];
    else if (char === quote) {
      found.push(text);
      quote = "";
    } else text += char;
  }
  return found;
}
