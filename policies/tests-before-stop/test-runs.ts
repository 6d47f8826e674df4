import { globMatches } from "../lib/paths.ts";
import { operands } from "../lib/options.ts";
import type { Invocation } from "../lib/commands.ts";

/** Programs that run tests whatever their arguments. */
const runners: ReadonlySet<string> = new Set([
  "pytest",
  "py.test",
  "tox",
  "nox",
  "jest",
  "vitest",
  "mocha",
  "ava",
  "rspec",
  "phpunit",
  "ctest",
  "bats",
  "nextest",
  "playwright",
  "cypress",
]);

/** Programs that run tests with the right command. */
const commands: ReadonlyMap<string, RegExp> = new Map([
  ["npm", /^(?:t|tst|test|run test|run check)(?:$|[ :])/],
  ["pnpm", /^(?:t|test|run test|run check)(?:$|[ :])/],
  ["yarn", /^(?:test|run test|run check)(?:$|[ :])/],
  ["bun", /^(?:test|run test|run check)(?:$|[ :])/],
  ["npx", /^(?:jest|vitest|mocha|ava|playwright|cypress)/],
  ["go", /^(?:test|vet)/],
  ["cargo", /^(?:test|nextest)/],
  ["make", /(?:^| )(?:test|check)/],
  ["just", /(?:^| )(?:test|check)/],
  ["mvn", /(?:^| )(?:test|verify)/],
  ["gradle", /(?:^| )(?:test|check)/],
  ["gradlew", /(?:^| )(?:test|check)/],
  ["dotnet", /^test/],
  ["mix", /^test/],
  ["deno", /^test/],
  ["swift", /^test/],
  ["rake", /^(?:test|spec)/],
  ["bundle", /^exec (?:rspec|rake)/],
  ["uv", /^run pytest/],
  ["poetry", /^run pytest/],
]);

/** Whether a command runs tests. */
export function isTestRun({ name, args }: Invocation, more: readonly string[]): boolean {
  if (args.some((arg) => /^(--version|--help|--collect-only|--list)$/.test(arg))) return false;
  if (runners.has(name) || commands.get(name)?.test(operands(args).join(" "))) return true;
  if (/^python[0-9.]*$/.test(name) && args[0] === "-m")
    return /^(?:pytest|unittest|nose2|tox)$/.test(args[1] ?? "");
  if (name === "node" && args.includes("--test")) return true;
  const line = [name, ...args].join(" ");
  return more.some((pattern) => globMatches(pattern, line));
}
