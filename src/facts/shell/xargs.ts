import { searched } from "./carriers.ts";
import type { Input } from "./invocation.ts";
import { isExternalSource } from "./output.ts";
import { isUnknown, unknown } from "./text.ts";
import type { Wrapped } from "./wrappers.ts";

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
  const source = input?.from.at(-1);
  if (source?.name !== "find" || source.opaque) return unknown("o", source?.name ?? "", many);
  const [folder, second] = searched(source.argv.slice(1));
  if (folder === undefined || second !== undefined) return unknown("o", "find", many);
  return `${folder === "/" ? "" : folder}/${unknown("o", "find", many)}`;
}
