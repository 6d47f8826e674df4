import { callsOf, type Reading } from "./calls.ts";
import { evaluate } from "./evaluator.ts";
import { isEffective } from "./functions.ts";
import { parseJavaScript } from "./javascript.ts";
import type { Language } from "./languages.ts";
import { parsePython } from "./python.ts";
import { tokensOf } from "./tokens.ts";

const parsers = { python: parsePython, javascript: parseJavaScript } as const;

/**
 * Reads a program: by the parser of its language where there is one, else, and where the program does not follow the
 * grammar, by its tokens.
 */
export function readProgram(language: Language, program: string): Reading & { readonly isParsed: boolean } {
  const parsed = language.parser === undefined ? undefined : parsers[language.parser](program);
  const read = parsed === undefined ? undefined : evaluate(parsed.code);
  if (read !== undefined && parsed?.whole) return { ...read, isParsed: true };
  const others = callsOf(tokensOf(program, language), isEffective);
  return {
    calls: [...(read?.calls ?? []), ...others.calls],
    texts: [...(read?.texts ?? []), ...others.texts],
    commands: others.commands,
    lines: others.lines,
    whole: read?.whole ?? true,
    isParsed: false,
  };
}
