import { searched } from "./inner.ts";
import { TAINTED, UNKNOWN } from "./marks.ts";
import { isTaintSource } from "./output.ts";
import type { Input } from "./types.ts";

/** The arguments of a program that `xargs` starts. */
export function filled(
  args: readonly string[],
  placeholder: string | undefined,
  input: Input | undefined,
): readonly string[] {
  const lines = itemsOf(input);
  if (placeholder === undefined) return [...args, ...lines];
  return args.flatMap((arg) =>
    arg.includes(placeholder) ? lines.map((line) => arg.replaceAll(placeholder, line)) : [arg],
  );
}

/** What `xargs` reads: words of a known text, names below the folders that `find` searches, or something unknown. */
function itemsOf(input: Input | undefined): readonly string[] {
  if (input?.text !== undefined) return input.text.split(/\s+/, 64).filter((item) => item !== "");
  if (input?.from.some(isTaintSource)) return [TAINTED];
  const [source] = input?.from ?? [];
  if (source?.name !== "find") return [UNKNOWN];
  return searched(source.args).map((folder) => `${folder}/${UNKNOWN}`);
}
