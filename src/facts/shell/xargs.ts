import { searched } from "./carriers.ts";
import { type Input, type Invocation, programName } from "./invocation.ts";
import { isExternalSource } from "./output.ts";
import { isUnknown, unknown } from "./text.ts";
import { unwrap, type Wrapped } from "./wrappers.ts";

/** The commands that `xargs` starts. */
export function xargsCommands(
  { words, options }: Wrapped,
  input: Input | undefined,
): readonly (readonly string[])[] {
  const placeholder = placeholderOf(options);
  const items = itemsOf(input, placeholder !== undefined);
  if (placeholder !== undefined) {
    const lines = items ?? [unknownItem(input, false)];
    return lines.map((line) => words.map((word) => word.replaceAll(placeholder, line)));
  }
  const plain = options.every(([option]) => ["-r", "-t", "--no-run-if-empty", "-n"].includes(option));
  const size = options.find(([option]) => option === "-n")?.[1];
  if (items === undefined || !plain || (size !== undefined && !/^[1-9]\d{0,3}$/.test(size)))
    return [[...words, unknownItem(input, true)]];
  if (size === undefined) return [[...words, ...items]];
  const batches: (readonly string[])[] = [];
  for (let at = 0; at < items.length; at += Number(size))
    batches.push([...words, ...items.slice(at, at + Number(size))]);
  return batches;
}

/** What `xargs` replaces: `-I R`, `-i`, `-iR`, `--replace`, `--replace=R`. */
function placeholderOf(options: Wrapped["options"]): string | undefined {
  for (const [option, value] of options.toReversed()) {
    if (option === "-I" || option === "--replace") return value ?? "{}";
    if (option.startsWith("-i")) return option.slice(2) || "{}";
  }
  return undefined;
}

/** The items that `xargs` reads; `undefined` if they are not known. */
function itemsOf(input: Input | undefined, lines: boolean): readonly string[] | undefined {
  const text = input?.text;
  // Quotes and backslashes have a meaning there.
  if (text === undefined || isUnknown(text) || /['"\\]/.test(text)) return undefined;
  const items = lines ? text.split("\n").map((line) => line.trim()) : text.split(/[ \t\n]+/);
  const found = items.filter((item) => item !== "");
  return found.length <= 64 ? found : undefined;
}

function unknownItem(input: Input | undefined, many: boolean): string {
  if (input?.from.some(isExternalSource)) return unknown("e", "", many);
  const source = sourceOf(input);
  const words = source === undefined ? [] : started(source.argv);
  const name = programName(words[0] ?? "");
  if (source === undefined || name !== "find" || source.opaque) return unknown("o", source?.name ?? "", many);
  const args = words.slice(1);
  const [folder, second] = searched(args);
  if (folder === undefined || second !== undefined || args.some(printsOtherwise))
    return unknown("o", "find", many);
  return `${folder === "/" ? "" : folder}/${unknown("o", "find", many)}`;
}

/** The command whose lines arrive, past those that only choose among lines or sort them. */
function sourceOf(input: Input | undefined): Invocation | undefined {
  let source = input?.from.at(-1);
  for (let steps = 0; steps < 8 && source !== undefined && choosesLines(started(source.argv)); steps++)
    source = source.input?.from.at(-1);
  return source;
}

/** A command without the wrappers that start it. */
function started(argv: readonly string[]): readonly string[] {
  let words = argv;
  for (let inner = unwrap(words); inner !== null; inner = unwrap(words)) words = inner.words;
  return words;
}

/** Programs that print some of the lines that they read: how many operands are no files, and options that change the lines. */
const choosers = new Map<string, readonly [patterns: number, changing: RegExp]>([
  ...["sort", "uniq", "head", "tail", "tac", "shuf"].map(
    (name) => [name, [0, /^-[a-zA-Z]*c|^--(?:bytes|count)/]] as const,
  ),
  ...["grep", "egrep", "fgrep"].map(
    (name) => [name, [1, /^-[a-zA-Z]*[coblLnHr]|^--(?:count|only|files|line-n|with|byte|rec)/]] as const,
  ),
]);

/** Whether a command prints some of the lines that it reads, as they are: one without files. */
function choosesLines([program = "", ...args]: readonly string[]): boolean {
  const [patterns, changing] = choosers.get(programName(program)) ?? [];
  if (patterns === undefined || changing === undefined || args.some((arg) => changing.test(arg)))
    return false;
  const files = args.filter((arg, at) => !arg.startsWith("-") && !/^-[nek]$/.test(args[at - 1] ?? ""));
  return files.length <= patterns;
}

/** Actions of `find` that print something else than the paths that it finds. */
function printsOtherwise(arg: string, at: number, args: readonly string[]): boolean {
  if (arg === "-printf") return /%[fP]/.test(args[at + 1] ?? "");
  return /^-(?:exec|ok|execdir|okdir|ls)$/.test(arg);
}
