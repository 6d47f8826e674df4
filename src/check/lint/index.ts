import { eventFlow, type Flow, identityFlow } from "./flow.ts";
import type { LintFinding } from "./finding.ts";
import { type Origin, Origins } from "./origin.ts";
import type { Subject } from "./rule.ts";
import { rules } from "./rules/index.ts";
import { lintText } from "./source-text.ts";
import { parseProgram, type Syntax } from "./syntax.ts";
import { type LintCode, lintTable } from "./table.ts";
import { type Usage, usageOf } from "./usage.ts";

export type { CodeOrigin, LintFinding } from "./finding.ts";
export type { Usage } from "./usage.ts";
export type { FindingRow, Severity } from "./row.ts";
export { type LintCode, type LintRow, lintTable } from "./table.ts";

/** What a script was found to do and to name. */
export interface LintResult {
  /** In order of place. */
  readonly findings: readonly LintFinding[];
  /** `null` for a program that could not be looked at. */
  readonly usage: Usage | null;
}

/**
 * Looks for risky code in a script, without running any of it.
 *
 * A stranger's code can be made to cost the parser and the analysis much time: where that matters, use `lintScripts`,
 * which does the same in a child process with limits.
 *
 * @param source a program, as `compileScripts` makes it, or one ES module in JavaScript.
 * @param map its source map (version 3), as JSON text, so that findings name places in the sources.
 * @returns findings in order of place. Those in npm packages are cut down to what counts there.
 */
export function lintScript(source: string, map: string | null = null): readonly LintFinding[] {
  return analyseScript(source, map).findings;
}

/** As `lintScript`, with what the script names besides. */
export function analyseScript(source: string, map: string | null = null): LintResult {
  const origins = new Origins(source, map);
  const findings: LintFinding[] = [];
  const add = (code: LintCode, message: string, { place, origin }: Origin): void => {
    const { severity, packages } = lintTable[code];
    if (origin === "helper" || (origin === "package" && !packages)) return;
    findings.push({ code, severity, message, place, origin });
  };
  for (const { file, origin, text } of origins.sources()) {
    for (const { code, message, line, column } of lintText(text)) {
      add(code, message, { place: { ...(file ? { file } : {}), line, column }, origin });
    }
  }
  const syntax = parseProgram(source);
  if (!syntax) {
    add("unparsable-code", "the program cannot be parsed", { place: {}, origin: "pack" });
    return { findings, usage: null };
  }
  const subject = subjectOf(syntax);
  for (const rule of rules) {
    for (const { code, node, message } of rule(subject)) {
      const { line = 1, column = 0 } = node.loc?.start ?? {};
      add(code, message, origins.of(line, column));
    }
  }
  return { findings: findings.sort(byPlace), usage: usageOf(syntax, subject.event, origins) };
}

function subjectOf(syntax: Syntax): Subject {
  let event: Flow | undefined;
  let identity: Flow | undefined;
  return {
    ...syntax,
    get event() {
      return (event ??= eventFlow(syntax));
    },
    get identity() {
      return (identity ??= identityFlow(syntax));
    },
  };
}

function byPlace(a: LintFinding, b: LintFinding): number {
  const [one = "", other = ""] = [a.place.file, b.place.file];
  if (one !== other) return one < other ? -1 : 1;
  return (a.place.line ?? 0) - (b.place.line ?? 0) || (a.place.column ?? 0) - (b.place.column ?? 0);
}
