import type { Invocation } from "../lib/commands.ts";
import { hasOption, operands } from "../lib/options.ts";
import { resolvePath } from "../lib/paths.ts";

/** Links that a command makes: where they lead. */
export function linksOf({ name, args, cwd }: Invocation): readonly string[] {
  if (name !== "ln") return [];
  const paths = operands(args);
  const sources =
    hasOption(args, "t", "target-directory", 3) || paths.length === 1 ? paths : paths.slice(0, -1);
  return sources.map((source) => resolvePath(source, cwd));
}
