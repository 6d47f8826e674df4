import { hostPrefix, isHostFactName } from "../host-fact.ts";
import { quote } from "@hookwarden/sandbox/json";
import { catalogueFields } from "../../catalogue/index.ts";
import { compileMatcher } from "../matcher.ts";
import { factRows } from "../table.ts";

type Scalar = string | number | boolean | null;

/** A test of one field or member of a fact; it holds if any value at the path passes. */
export interface ConditionTest {
  /** Names joined by dots; `*` is every element of an array. */
  readonly path: string;
  readonly equals?: Scalar;
  /** One of some values, or of those in an option of the hook. */
  readonly in?: readonly Scalar[] | OptionTest;
  readonly prefix?: string;
  /** A regular expression of RE2 syntax that must match the whole text. */
  readonly pattern?: string;
  /** Globs, or an option of the hook that has some: `*` is any text, `?` and `[…]` any character; case does not matter. */
  readonly glob?: readonly string[] | OptionTest;
  /** Holds if there is any value at the path. */
  readonly exists?: true;
  /**
   * Only what the fact lists counts, although its list is not complete. For a hook that reads the list in the same way;
   * absent: what is missing from the list may match.
   */
  readonly incomplete?: "ignore";
}

/** Whether the pack sets an option of the hook: names joined by dots, as in a path. */
export interface OptionTest {
  readonly option: string;
}

/** When a hook runs: a test, or tests joined by `all`, `any` and `not`. */
export type Condition =
  | ConditionTest
  | OptionTest
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }
  | { readonly not: Condition };

export const conditionLimits = {
  /** Tests of one condition. */
  tests: 64,
  depth: 8,
  /** Values of `in`. */
  values: 256,
  textLength: 512,
} as const;

/** The operators of a test. */
export const operators = ["equals", "in", "prefix", "pattern", "glob", "exists"] as const;

/** Where a condition is used. */
export interface ConditionPlace {
  readonly event: string;
  /** JSON pointer of the condition. */
  readonly pointer: string;
  /** The options that the hook's configuration may have. */
  readonly options: readonly string[];
}

/** What is wrong with a condition at an event, and where; `null` if nothing is. */
export function conditionProblem(
  condition: Condition,
  { event, pointer, options }: ConditionPlace,
): { readonly message: string; readonly pointer: string } | null {
  const tests: string[] = [];
  const visit = (one: Condition, at: string, depth: number): { message: string; pointer: string } | null => {
    if (depth > conditionLimits.depth)
      return { message: `a condition is at most ${conditionLimits.depth} deep`, pointer: at };
    const kinds = kindsOfCondition.filter((kind) => Object.hasOwn(one, kind));
    const isTest = kinds[0] === "path";
    if (kinds.length !== 1 || (!isTest && operators.some((operator) => Object.hasOwn(one, operator))))
      return { message: `a condition has exactly one of ${listed(kindsOfCondition)}`, pointer: at };
    if ("option" in one) return optionProblem(one, options, at);
    if ("not" in one) return visit(one.not, `${at}/not`, depth + 1);
    const joined = "all" in one ? one.all : "any" in one ? one.any : null;
    if (joined !== null) {
      const key = "all" in one ? "all" : "any";
      for (const [index, part] of joined.entries()) {
        const problem = visit(part, `${at}/${key}/${index}`, depth + 1);
        if (problem) return problem;
      }
      return null;
    }
    tests.push(at);
    if (tests.length > conditionLimits.tests)
      return { message: `a condition has at most ${conditionLimits.tests} tests`, pointer: at };
    const test = one as ConditionTest;
    for (const operator of ["in", "glob"] as const) {
      const list = test[operator];
      const problem = list && "option" in list ? optionProblem(list, options, `${at}/${operator}`) : null;
      if (problem) return problem;
    }
    return testProblem(test, event, at);
  };
  return visit(condition, pointer, 1);
}

const kindsOfCondition = ["path", "option", "all", "any", "not"] as const;

function listed(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}

function optionProblem({ option }: OptionTest, options: readonly string[], at: string) {
  if (options.includes(option.split(".", 1)[0] ?? "")) return null;
  return {
    message: `${quote(option)} is not in the schema of the hook's \`config\``,
    pointer: `${at}/option`,
  };
}

function testProblem(
  test: ConditionTest,
  event: string,
  at: string,
): { readonly message: string; readonly pointer: string } | null {
  const given = operators.filter((operator) => test[operator] !== undefined);
  if (given.length !== 1) {
    return { message: `a test has exactly one of ${listed(operators)}`, pointer: at };
  }
  const [first = "", second = "", third = ""] = test.path.split(".");
  if (first === "facts" && second === "host") {
    if (!isHostFactName(third))
      return { message: `${quote(`facts.host.${third}`)} is not a fact of a host`, pointer: `${at}/path` };
  } else if (first === "facts") {
    const row = factRows.get(second);
    if (!row) return { message: `${quote(`facts.${second}`)} is not a fact`, pointer: `${at}/path` };
    if (!(row.events as readonly string[]).includes(event))
      return { message: `${quote(`facts.${second}`)} is not a fact of ${event}`, pointer: `${at}/path` };
    if (third !== "ok" && !Object.hasOwn(row.members, third))
      return { message: `${quote(`facts.${second}`)} has no member ${quote(third)}`, pointer: `${at}/path` };
  } else if (!catalogueFields(event).includes(first))
    return { message: `${event} has no field ${quote(first)}`, pointer: `${at}/path` };
  if (test.pattern === undefined) return null;
  const compiled = compileMatcher(test.pattern);
  return compiled.ok ? null : { message: compiled.problem, pointer: `${at}/pattern` };
}

/** The facts that a condition uses. */
export function factsOfCondition(condition: Condition): readonly string[] {
  if ("not" in condition) return factsOfCondition(condition.not);
  if ("all" in condition) return condition.all.flatMap(factsOfCondition);
  if ("any" in condition) return condition.any.flatMap(factsOfCondition);
  if ("option" in condition) return [];
  const [first, name, inner] = condition.path.split(".");
  if (first !== "facts" || name === undefined) return [];
  return [name === "host" ? `${hostPrefix}${inner}` : name];
}

/** A condition in one line, for people. */
export function conditionText(condition: Condition): string {
  if ("not" in condition) return `not (${conditionText(condition.not)})`;
  if ("all" in condition) return condition.all.map((part) => nested(part)).join(" and ");
  if ("any" in condition) return condition.any.map((part) => nested(part)).join(" or ");
  if ("option" in condition) return `the option ${condition.option} is set`;
  const path = condition.incomplete ? `listed ${condition.path}` : condition.path;
  if (condition.exists) return `${path} exists`;
  if (condition.in !== undefined) return `${path} in ${listText(condition.in)}`;
  if (condition.glob !== undefined) return `${path} matches a glob of ${listText(condition.glob)}`;
  if (condition.prefix !== undefined) return `${path} starts with ${JSON.stringify(condition.prefix)}`;
  if (condition.pattern !== undefined) return `${path} matches ${JSON.stringify(condition.pattern)}`;
  return `${path} is ${JSON.stringify(condition.equals)}`;
}

function listText(list: readonly Scalar[] | OptionTest): string {
  return "option" in list ? `the option ${list.option}` : JSON.stringify(list);
}

function nested(condition: Condition): string {
  return "all" in condition || "any" in condition
    ? `(${conditionText(condition)})`
    : conditionText(condition);
}
