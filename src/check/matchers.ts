import { nearestName } from "../errors/index.ts";
import { type Expression, JS, NFA, type NoParent, transform, Transformers } from "refa";
import { quote } from "@hookwarden/sandbox/json";
import { eventRows } from "../catalogue/index.ts";
import { compileMatcher } from "../facts/index.ts";
import { type AcceptedHook, hookManifestFile } from "../pack/index.ts";
import { type Finding, finding } from "./finding.ts";

/** Tools that agents commonly have, by the names that their hosts give them. */
const knownTools: readonly string[] = (
  "Bash BashOutput Edit ExitPlanMode Glob Grep KillShell MultiEdit NotebookEdit NotebookRead Read Skill " +
  "SlashCommand Task TodoWrite WebFetch WebSearch Write"
).split(" ");

/** Largest automaton that is made of an expression. */
const maxNodes = 5_000;

/** Matchers that match nothing, or not what was meant. */
export function checkMatchers(hooks: readonly AcceptedHook[]): readonly Finding[] {
  return hooks.flatMap(({ folder, hook }) =>
    hook.manifest.on.flatMap(({ event, matcher }, index) => {
      const field = eventRows.get(event)?.matches;
      if (matcher === undefined || field === undefined) return [];
      const place = { file: `${folder}/${hookManifestFile}`, pointer: `/on/${index}/matcher` };
      const never = whyNever(event, field, matcher);
      if (never !== null) return [finding("matcher-never", hook.name, never, place)];
      const slip = field === "tool_name" ? misspelt(matcher) : null;
      return slip === null ? [] : [finding("matcher-misspelt", hook.name, slip, place)];
    }),
  );
}

function whyNever(event: string, field: string, source: string): string | null {
  const { matcher } = { matcher: null, ...compileMatcher(source) };
  if (!matcher) return null;
  const values = eventRows.get(event)?.fields[field]?.schema.enum;
  if (values) {
    if (values.some((value) => matcher.test(String(value)))) return null;
    return `${quote(source)} matches none of the values of \`${field}\`: ${values.map((value) => quote(String(value))).join(", ")}`;
  }
  return matchesNothing(source) ? `${quote(source)} matches no name at all` : null;
}

/** Whether an expression matches no text but the empty one, which no name is. Says no where that is not known. */
function matchesNothing(source: string): boolean {
  const [, inline = "", rest = source] = /^\(\?([is]{1,2})\)(.*)$/s.exec(source) ?? [];
  try {
    const limited = new NFA.LimitedNodeFactory(maxNodes);
    const parser = JS.Parser.fromLiteral({ source: rest, flags: inline.includes("i") ? "sui" : "su" });
    const parsed = parser.parse({ backreferences: "throw" });
    // A matcher is held against the whole name, so that anchors at its ends say nothing.
    const expression = transform(Transformers.applyAssertions(), withoutAnchors(parsed.expression));
    const automaton = NFA.fromRegex(
      expression,
      { maxCharacter: parsed.maxCharacter },
      { assertions: "throw" },
      limited,
    );
    automaton.withoutEmptyWord();
    return automaton.isEmpty;
  } catch {
    return false;
  }
}

function withoutAnchors(expression: NoParent<Expression>): NoParent<Expression> {
  const alternatives = expression.alternatives.map((alternative) => ({
    ...alternative,
    elements: alternative.elements.filter(
      (element, index, all) => element.type !== "Assertion" || (index > 0 && index < all.length - 1),
    ),
  }));
  return { ...expression, alternatives };
}

/** A name of a list that is nearly that of a known tool. */
function misspelt(source: string): string | null {
  if (!/^[A-Za-z0-9_\-,| ]*$/.test(source)) return null;
  const names = source.split(/[,|]/).map((name) => name.trim());
  for (const name of names) {
    if (name.length < 4 || knownTools.includes(name)) continue;
    const meant = nearestName(name, knownTools);
    if (meant === null || names.includes(meant)) continue;
    return `${quote(name)} is no known tool; did you mean ${quote(meant)}?`;
  }
  return null;
}
