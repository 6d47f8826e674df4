import { expect, test } from "vitest";
import { cycles, type Import, importsOf, sourceFiles } from "./import-graph.ts";

/**
 * Rooms of the source, lowest first. A file imports from its own room and from rooms further down, and from nowhere
 * else: neither from a neighbour on its own level, nor upwards.
 */
const levels: readonly (readonly string[])[] = [
  ["sandbox"],
  ["src/errors.ts", "src/html"],
  ["src/catalogue", "src/state", "src/listen-error.ts"],
  ["src/hook", "src/pack"],
  ["src/broker"],
  ["src/bundle", "src/log"],
  ["src/warden", "src/warden.ts"],
  ["src/dialects", "src/cases", "src/diff", "src/measure"],
  ["src/adapters", "src/review", "src/server", "src/testing", "src/playground"],
  ["src/client"],
  ["src/index.ts", "src/cli"],
];
const levelOf = new Map(levels.flatMap((rooms, level) => rooms.map((room) => [room, level] as const)));
/** A room whose entry lies beside its folder. */
const oneRoom: ReadonlySet<string> = new Set(["src/warden", "src/warden.ts"]);

function roomOf(path: string): string {
  const [top, second] = path.split("/");
  return top === "src" && second !== undefined ? `src/${second}` : (top ?? path);
}

function isAllowed({ from, to }: Import): boolean {
  // Packages and modules of Node are everybody's; so is what the package says of itself.
  if (!/^(\.\.|src|sandbox|policies|test|examples|scripts)(\/|$)/.test(to)) return true;
  const one = roomOf(from);
  const other = roomOf(to);
  if (one === other || (oneRoom.has(one) && oneRoom.has(other))) return true;
  const level = levelOf.get(one);
  const target = levelOf.get(other);
  return level !== undefined && target !== undefined && target < level;
}

const files = sourceFiles("src", "sandbox");

test("every file lies in a room of the plan", () => {
  expect([...new Set(files.map(roomOf))].filter((room) => !levelOf.has(room))).toEqual([]);
});

test("arrows go down the plan only, and none leads from the source to policies or tests", () => {
  const wrong = files.flatMap(importsOf).filter((one) => !isAllowed(one));
  expect(wrong.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
});

test("the sandbox knows packages and itself, nothing of agents", () => {
  const out = sourceFiles("sandbox")
    .flatMap(importsOf)
    .filter(({ to }) => to.startsWith("src") || to === "hookwarden");
  expect(out).toEqual([]);
});

test("policies know packages, and of this one only the types and helpers of hooks", () => {
  const out = sourceFiles("policies")
    .flatMap(importsOf)
    .filter(({ to }) => /^(\.\.|src|sandbox|test)\/|^hookwarden(?!\/hook$)/.test(to));
  expect(out.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
});

test("no files import each other in a circle", { timeout: 120_000 }, async () => {
  expect(await cycles(files.filter((file) => !file.endsWith(".d.ts")))).toEqual([]);
});
