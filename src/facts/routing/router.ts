import { RE2JS, RE2Set } from "re2js";
import { answerLimits } from "../matcher.ts";
import { memoize } from "../memoize.ts";
import { type Condition, type ConditionTest, operators, type OptionTest } from "./condition.ts";
import { type Routed, valuesAt, walk } from "./values.ts";

/** Longest text that patterns are tested on, in UTF-16 code units; of a longer one, the result is not known. */
const longestText = 65_536;

/** Whether something holds; `null` if that is not known. */
type Truth = boolean | null;

/** All tests of one path, as tables: each value is looked up once, and all patterns match in one pass. */
interface PathTests {
  readonly path: readonly string[];
  /** Whether only listed values count. */
  readonly listed: boolean;
  /** Tests that any value passes. */
  readonly exists: readonly number[];
  readonly equal: ReadonlyMap<unknown, readonly number[]>;
  /** The tests that a text passes. Memoized: names of programs and folders repeat. */
  readonly passedBy: (text: string) => readonly number[];
  /** Tests by patterns. */
  readonly byPattern: readonly number[];
  readonly tests: readonly number[];
}

/** The tests of one path, as they were added. */
interface PathGroup {
  readonly path: readonly string[];
  readonly listed: boolean;
  readonly tests: [number, ConditionTest][];
}

/** A condition whose tests are numbers. */
type Compiled =
  | { readonly test: number }
  | { readonly all: readonly Compiled[] }
  | { readonly any: readonly Compiled[] }
  | { readonly not: Compiled };

/**
 * The conditions of a pack, as one index. For each state of an event, a path is read once however many conditions use
 * it, and only if one of them is asked for.
 */
export class Router {
  readonly #tests = new Map<string, number>();
  readonly #byPath = new Map<string, PathGroup>();
  readonly #pathOf: string[] = [];
  #index: ReadonlyMap<string, PathTests> | null = null;

  /** How many different tests there are. */
  get size(): number {
    return this.#tests.size;
  }

  /**
   * Adds a condition, which has been checked.
   *
   * @param config the configuration of the hook
   */
  add(condition: Condition, config: object = {}): Route {
    this.#index = null;
    return new Route(this, condition, this.#compile(condition, config));
  }

  /** Whether a test holds. `memory` is kept with the state of the event. */
  truthOf(test: number, routed: Routed, memory: RouteMemory): Truth {
    const known = memory.truths[test];
    if (known !== undefined) return known;
    this.#index ??= this.#makeIndex();
    const path = this.#index.get(this.#pathOf[test] ?? "");
    if (path) evaluate(path, routed, memory);
    return memory.truths[test] ?? null;
  }

  #compile(condition: Condition, config: object): Compiled {
    if ("not" in condition) return { not: this.#compile(condition.not, config) };
    if ("all" in condition) return { all: condition.all.map((part) => this.#compile(part, config)) };
    if ("any" in condition) return { any: condition.any.map((part) => this.#compile(part, config)) };
    // No part of `all` fails, and no part of `any` holds.
    if ("option" in condition) return optionValues(config, condition).length > 0 ? { all: [] } : { any: [] };
    return { test: this.#testOf(withLists(condition, config)) };
  }

  #testOf(test: ConditionTest): number {
    const path = test.incomplete ? `listed ${test.path}` : test.path;
    const key = JSON.stringify([path, ...operators.map((operator) => test[operator])]);
    const known = this.#tests.get(key);
    if (known !== undefined) return known;
    const number = this.#tests.size;
    this.#tests.set(key, number);
    this.#pathOf[number] = path;
    const listed = test.incomplete !== undefined;
    const group: PathGroup = this.#byPath.get(path) ?? { path: test.path.split("."), listed, tests: [] };
    group.tests.push([number, test]);
    this.#byPath.set(path, group);
    return number;
  }

  #makeIndex(): ReadonlyMap<string, PathTests> {
    return new Map([...this.#byPath].map(([key, group]) => [key, indexOf(group)]));
  }
}

/** What is known of the tests, for one state of an event. */
export interface RouteMemory {
  readonly truths: Truth[];
}

/** A condition of a hook. */
export class Route {
  readonly condition: Condition;
  readonly #router: Router;
  readonly #compiled: Compiled;

  /** @internal */
  constructor(router: Router, condition: Condition, compiled: Compiled) {
    this.#router = router;
    this.condition = condition;
    this.#compiled = compiled;
  }

  /** Whether the hook must run: the condition holds, or what is not known could make it hold. */
  matches(routed: Routed, memory: RouteMemory): boolean {
    return this.#truth(this.#compiled, routed, memory) !== false;
  }

  #truth(one: Compiled, routed: Routed, memory: RouteMemory): Truth {
    if ("test" in one) return this.#router.truthOf(one.test, routed, memory);
    if ("not" in one) {
      const truth = this.#truth(one.not, routed, memory);
      return truth === null ? null : !truth;
    }
    const [parts, stop] = "all" in one ? [one.all, false] : [one.any, true];
    let result: Truth = !stop;
    for (const part of parts) {
      const truth = this.#truth(part, routed, memory);
      if (truth === stop) return stop;
      if (truth === null) result = null;
    }
    return result;
  }
}

/** A test with the values of the options that it names. */
function withLists(test: ConditionTest, config: object): ConditionTest {
  const { in: list, glob } = test;
  if (list && "option" in list) return { ...test, in: optionValues(config, list) as readonly string[] };
  if (glob && "option" in glob) return { ...test, glob: optionValues(config, glob) as readonly string[] };
  return test;
}

/** The regular expression of a glob. */
function globPattern(glob: string): string {
  const pattern = glob.replaceAll(/\*\*\/?|\*|\?|\[[^\]]*\]|[^*?[]+|\[/g, (part) => {
    if (part.startsWith("*")) return ".*";
    return part === "?" || (part.length > 1 && part.startsWith("[")) ? "." : RE2JS.quote(part);
  });
  return `(?i)${pattern}`;
}

function optionValues(config: object, { option }: OptionTest): readonly unknown[] {
  return walk(config, option.split(".")).flat();
}

function indexOf({ path, listed, tests }: PathGroup): PathTests {
  const exists: number[] = [];
  const equal = new Map<unknown, number[]>();
  const prefixes: [string, number][] = [];
  const patterns = new RE2Set(RE2Set.ANCHOR_BOTH, RE2JS.DOTALL);
  const byPattern: number[] = [];
  for (const [number, test] of tests) {
    const list = test.in as readonly unknown[] | undefined;
    const values = list ?? (test.equals === undefined ? [] : [test.equals]);
    for (const value of new Set(values)) equal.set(value, [...(equal.get(value) ?? []), number]);
    if (test.exists) exists.push(number);
    if (test.prefix !== undefined) prefixes.push([test.prefix, number]);
    const globs =
      (test.glob as readonly string[] | undefined)?.map((glob) => globPattern(String(glob))) ?? [];
    for (const pattern of test.pattern === undefined ? globs : [test.pattern]) {
      patterns.add(pattern);
      byPattern.push(number);
    }
  }
  if (byPattern.length > 0) patterns.compile();
  const passedBy = (text: string): readonly number[] => {
    const matched = byPattern.length > 0 && text.length <= longestText ? patterns.match(text) : [];
    return [
      ...(equal.get(text) ?? []),
      ...prefixes.flatMap(([prefix, test]) => (text.startsWith(prefix) ? [test] : [])),
      ...matched.map((index) => byPattern[index] as number),
    ];
  };
  return {
    path,
    listed,
    exists,
    equal,
    passedBy: memoize(passedBy, answerLimits),
    byPattern,
    tests: tests.map(([number]) => number),
  };
}

/** Decides all tests of a path. */
function evaluate(path: PathTests, routed: Routed, { truths }: RouteMemory): void {
  const { known, more } = valuesAt(path.path, routed, path.listed);
  for (const test of path.tests) truths[test] = more ? null : false;
  if (known.length > 0) for (const test of path.exists) truths[test] = true;
  let long = false;
  for (const value of known) {
    if (typeof value !== "string") for (const test of path.equal.get(value) ?? []) truths[test] = true;
    else {
      long ||= value.length > longestText;
      for (const test of path.passedBy(value)) truths[test] = true;
    }
  }
  if (long) for (const test of path.byPattern) if (truths[test] === false) truths[test] = null;
}
