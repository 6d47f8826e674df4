import { notKnown } from "../fact.ts";
import { homeOf, resolvePath } from "../path-text.ts";
import type { ToolFact } from "../tool/row.ts";
import { LimitExceeded } from "./execution.ts";
import { Interpreter } from "./interpreter.ts";
import type { Invocation } from "./invocation.ts";
import { isExternalSource } from "./output.ts";
import { type ShellCommand, type ShellFact, shellLimits } from "./row.ts";
import { clean, isUnknown, toWord, unknown } from "./text.ts";

/** Derives `facts.shell`. With fewer `maxNodes` than the fact's limit, `too-many` may only mean that there are more. */
export function deriveShell(
  { cwd }: { readonly [field: string]: unknown },
  tool: ToolFact,
  maxNodes?: number,
): ShellFact {
  if (!tool.ok) return tool;
  const base = typeof cwd === "string" && cwd.startsWith("/") ? resolvePath(clean(cwd), "/") : ".";
  const directory = tool.directory === null ? base : resolvePath(clean(tool.directory), base);
  return readShell(tool.commands, directory, tool.language, maxNodes);
}

/** Reads command lines that run one after another, each in a shell of its own. */
export function readShell(
  lines: readonly string[],
  directory: string,
  language: "sh" | "powershell" | "cmd" = "sh",
  maxNodes: number = shellLimits.nodes.maximum,
): ShellFact {
  if (language !== "sh" && lines.length > 0) return notKnown("language");
  if (lines.reduce((sum, line) => sum + line.length, 0) > shellLimits.characters.maximum)
    return notKnown("too-long");
  const found: Invocation[] = [];
  let [valid, complete] = [true, true];
  let recursion: string | null = null;
  try {
    for (const line of lines) {
      const interpreter = new Interpreter(directory, homeOf(directory) ?? unknown("u"), maxNodes);
      interpreter.readText(clean(line));
      interpreter.readUncalled();
      found.push(...interpreter.execution.found);
      valid &&= interpreter.execution.valid;
      complete &&= interpreter.execution.complete;
      recursion ??= interpreter.execution.recursion;
    }
  } catch (error) {
    if (error instanceof LimitExceeded) return notKnown(error.why);
    // The parser recurses with the nesting of the text.
    if (error instanceof RangeError) return notKnown("too-deep");
    throw error;
  }
  if (found.length > shellLimits.commands.maximum) return notKnown("too-many");
  const indices = new Map(found.map((invocation, index) => [invocation, index]));
  return { ok: true, commands: found.map((one) => toCommand(one, indices)), valid, complete, recursion };
}

function toCommand(invocation: Invocation, indices: ReadonlyMap<Invocation, number>): ShellCommand {
  const { name, argv, directory, through, variables, redirects, input, maybe, guess, opaque } = invocation;
  return {
    name: isUnknown(name) ? null : name,
    argv: argv.map((word) => toWord(word)),
    directory: toWord(directory),
    through: through.filter((one) => !isUnknown(one)),
    variables: variables.map(([variable, value]) => ({ name: variable, value: toWord(value) })),
    redirects: redirects.map(({ operator, target }) => ({ operator, target: toWord(target) })),
    input: input
      ? {
          text: input.text === undefined ? null : toWord(input.text),
          from: input.from.flatMap((one) => indices.get(one) ?? []),
        }
      : null,
    maybe,
    guess,
    opaque,
    external: isExternalSource(invocation),
  };
}
