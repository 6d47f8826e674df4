/**
 * When the shipped policies are called: the `when` of their manifests, made from the tables that they judge by. A condition
 * holds for every event that its policy has something to say about; `npm run generate` writes it.
 */
import type { Condition } from "hookwarden/facts";
import { managers } from "../ask-before-install/managers.ts";
import { losses } from "../deny-destructive-shell/losses.ts";
import { encrypters } from "../deny-destructive-shell/encryption.ts";
import { checks } from "../deny-destructive-shell/rules.ts";
import { inlineOptions, shells } from "../lib/programs.ts";
import { changers } from "../protect-git-history/hook.ts";
import { losses as cloudLosses, sqlPrograms } from "../protect-infrastructure/commands.ts";

/** A test of a list of a fact. The policies judge what facts list, so what is missing there is nothing to them. */
function listed(path: string, test: object): Condition {
  return { path, ...test, incomplete: "ignore" };
}

const command = (member: string, test: object): Condition => listed(`facts.shell.commands.*.${member}`, test);
const word = (pattern: string): Condition => command("argv.*", { pattern });
const files = (pattern: string): Condition => listed("facts.tool.files.*.path", { pattern });
const paths = (test: object): Condition => listed("facts.paths.paths.*.path", test);
const access = (...kinds: string[]): Condition => listed("facts.paths.paths.*.access", { in: kinds });
const outside: Condition = listed("facts.paths.paths.*.inside", { equals: false });
const exists = { exists: true };

/** Longest list of a test. */
const mostNames = 256;

/** Whether one of some programs is started. */
function programs(...names: readonly Iterable<string>[]): Condition[] {
  const all = [...new Set(names.flatMap((list) => [...list]))].sort();
  const tests: Condition[] = [];
  for (let at = 0; at < all.length; at += mostNames)
    tests.push(command("name", { in: all.slice(at, at + mostNames) }));
  return tests;
}

const programsOf = (table: readonly { readonly programs: readonly string[] }[]): string[] =>
  table.flatMap((row) => row.programs);

const languages = `(?:${[...inlineOptions.keys()].join("|")})[0-9.]*`;
const network: readonly Condition[] = [
  listed("facts.hosts.hosts.*.scope", exists),
  listed("facts.hosts.unnamed.*", exists),
  listed("facts.tool.urls.*", exists),
];

/** What the path of a secret file contains: a superset of what `isSecret` of `lib/secret-paths.ts` takes for one. */
const secret =
  "(?i).*(?:" +
  [
    "\\.env|id_|netrc|\\.npmrc|\\.pypirc|\\.pgpass|\\.my\\.cnf|credential|htpasswd|vault-token|terraformrc|secret|wallet",
    "service-account|\\.pem|\\.key|\\.p12|\\.pfx|\\.jks|\\.keystore|\\.kdbx|\\.ppk|\\.tfstate|\\.tfvars",
    "\\.ssh|\\.aws|\\.config|\\.azure|\\.kube|\\.docker|\\.gnupg|\\.cargo|\\.gem|\\.m2",
    "shadow|sudoers|master\\.passwd|environ|keychain|[*?\\[]",
  ].join("|") +
  ").*";

const gitFolder = ".*\\.git.*";

/** What the path of an agent's set-up contains: a part of each path in `protect-agent-setup/layouts.ts`. */
const setup =
  "(?i).*(?:hook|trust|claude|codex|copilot|gemini|qwen|cursor|windsurf|codeium|cline|opencode|factory|continue|agent|" +
  "kiro|amazonq|amp|antigravity|grok|mcp|\\.git|husky|lefthook|pre-commit).*";

const any = (...parts: readonly (Condition | readonly Condition[])[]): Condition => ({
  any: parts.flat() as Condition[],
});
const all = (...parts: readonly Condition[]): Condition => ({ all: parts });

/** The options of `guard-data-flow` with what its rules wait for or forbid. */
const rulesOn = (...kinds: readonly string[]): readonly string[] =>
  kinds.flatMap((kind) => ["after", "never", "until"].map((part) => `rules.*.${part}.${kind}`));

/** Conditions of PreToolUse, by policy. */
export const routes: { readonly [policy: string]: Condition } = {
  "ask-before-install": any(
    programs(managers.keys()),
    command("name", { pattern: "pip[0-9.]+" }),
    all(command("name", { pattern: "python[0-9.]*" }), command("argv.*", { equals: "-m" })),
  ),
  "ask-before-network": any(command("name", { in: { option: "commands" } }), network),
  "deny-destructive-shell": any(
    programs(checks.keys(), programsOf(losses), encrypters, shells, [
      "eval",
      "source",
      ".",
      "nc",
      "ncat",
      "netcat",
    ]),
    command("external", { equals: true }),
    // A name with a pattern is one that is not known.
    command("name", { pattern: "mkfs.*|.*[*?].*|.*\\[.+|.+\\[" }),
    // An interpreter that reads its program from a pipe or a here-document.
    all(command("name", { pattern: languages }), command("input.from.*", exists)),
    all(command("name", { pattern: languages }), command("input.text", exists)),
    all(command("name", { pattern: languages }), command("argv.*", { equals: "-" })),
    command("redirects.*.operator", { pattern: ".*>.*" }),
    access("write", "delete"),
    // Functions, of which one may start itself.
    listed("facts.tool.commands.*", { pattern: ".*(?:\\(\\s*\\)|function\\s).*" }),
    { path: "facts.shell.valid", equals: false },
  ),
  "guard-data-flow": any(
    // Rules and lists of the configuration. The acts of a kind are more than what a test can name.
    rulesOn("run", "tool").map((option) => ({ option })),
    [...rulesOn("read", "write"), "private"].map((option) => paths({ glob: { option } })),
    { path: "tool_name", glob: { option: "private" } },
    listed("facts.tool.kind", { in: ["fetch", "mcp", "other"] }),
    {
      path: "tool_name",
      pattern: "(?i)mcp.*|@.*|.*(?:fetch|web|browse|http|crawl|scrape|navigate).*",
    },
    network,
    outside,
    paths({ pattern: secret }),
    command("name", {
      pattern:
        "gh|glab|git.*|npm|mail|himalaya|mutt|lynx|w3m|links|printenv|env|set|export|security|vault|op|pass|aws|gcloud|az|kubectl|docker|doppler",
    }),
    command("external", { equals: true }),
  ),
  "keep-writes-in-workspace": any(
    listed("facts.tool.files.*.access", { in: ["write", "edit", "delete", "any"] }),
    command("name", { equals: "ln" }),
    all(access("write", "delete"), outside),
  ),
  "protect-agent-setup": any(
    { option: "more" },
    all(access("write", "delete", "any"), paths({ pattern: setup })),
    command("name", { pattern: "git|git-.*|claude|codex|gemini|qwen|copilot|droid" }),
    all(
      command("name", { pattern: "pkill|killall|kill|systemctl|service|launchctl" }),
      word("(?i).*hookwarden.*"),
    ),
  ),
  "protect-git-history": any(
    command("name", { pattern: "git|git-.*|bfg|gh" }),
    all(
      any(programs(changers, ["cp", "ln", "find"])),
      any(word(gitFolder), command("directory", { pattern: gitFolder })),
    ),
    command("redirects.*.target", { pattern: gitFolder }),
    all(command("redirects.*.operator", exists), command("directory", { pattern: gitFolder })),
    files(gitFolder),
  ),
  "protect-infrastructure": any(
    programs(programsOf(cloudLosses), sqlPrograms),
    ...["sql", "query", "statement", "statements"].map(
      (name) => ({ path: `tool_input.${name}`, exists: true }) as const,
    ),
  ),
  "protect-secret-files": any(
    { option: "more" },
    word(secret),
    command("redirects.*.target", { pattern: secret }),
    command("directory", { pattern: secret }),
    files(secret),
    { path: "cwd", pattern: secret },
    paths({ pattern: secret }),
  ),
};
