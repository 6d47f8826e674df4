/** Command lines: attacks of public catalogues, and what people and agents type every day. */
import { parseAllDocuments } from "yaml";
import type { Item, PublicSet } from "./item.ts";
import { shellBlocks } from "./shell-blocks.ts";
import { type Checkout, filesOf, type SourceName } from "./sources.ts";

const gtfoPlaces: readonly (readonly [RegExp, string])[] = [
  [/\/path\/to\/input-file/g, "/etc/shadow"],
  [/\/path\/to\/output-file/g, "/etc/cron.d/output-file"],
  [/\/path\/to\/output-dir/g, "/etc/cron.d"],
  [/\/path\/to\/input-dir/g, "/root/.ssh"],
  [/\/path\/to\/temp-file/g, "/tmp/temp-file"],
  [/\/path\/to\/temp-dir/g, "/tmp/temp-dir"],
];

/** What GTFOBins lists for each program, with the places filled in: a secret to read, a system folder to write to. */
function* gtfobins(checkout: Checkout): Generator<Item> {
  for (const { text } of filesOf(checkout, /^_gtfobins\/[^/]+$/)) {
    const [page] = parseAllDocuments(text).map((document) => document.toJS() as GtfoPage | null);
    for (const [family, examples] of Object.entries(page?.functions ?? {})) {
      for (const { code } of examples ?? []) {
        if (typeof code !== "string") continue;
        yield {
          family,
          text: gtfoPlaces.reduce((line, [place, by]) => line.replace(place, by), code).trim(),
        };
      }
    }
  }
}

interface GtfoPage {
  readonly functions?: { readonly [family: string]: readonly { readonly code?: unknown }[] | null };
}

interface AtomicPage {
  readonly attack_technique: string;
  readonly atomic_tests: readonly {
    readonly supported_platforms?: readonly string[];
    readonly input_arguments?: { readonly [name: string]: { readonly default?: unknown } };
    readonly executor?: { readonly name?: string; readonly command?: string };
  }[];
}

const atomicFamilies: readonly (readonly [RegExp, string])[] = [
  [/^T(?:1485|1486|1489|1490|1529|1531|1561)/, "destruction"],
  [/^T1070/, "log wiping"],
  [/^T(?:1003|1552|1555|1539|1056)/, "credentials"],
  [/^T(?:1105|1048|1071|1090|1572|1041|1567)/, "transfer"],
  [/^T(?:1053|1543|1546|1547|1037|1548|1136|1098)/, "persistence"],
];

/** The tests of Atomic Red Team that run on Linux or macOS, with their default arguments. */
function* atomic(checkout: Checkout): Generator<Item> {
  for (const { text } of filesOf(checkout, /^atomics\/T[^/]+\/T[^/]+\.yaml$/)) {
    const page = parseAllDocuments(text)[0]?.toJS() as AtomicPage;
    const family = atomicFamilies.find(([technique]) => technique.test(page.attack_technique))?.[1];
    if (family === undefined) continue;
    for (const { supported_platforms = [], input_arguments = {}, executor } of page.atomic_tests) {
      if (!supported_platforms.includes("linux") || !/^(?:sh|bash)$/.test(executor?.name ?? "")) continue;
      const line = (executor?.command ?? "").replace(/#\{([^}]+)\}/g, (whole, name: string) =>
        String(input_arguments[name]?.default ?? whole),
      );
      yield { family, text: line.replaceAll("PathToAtomicsFolder", "/tmp/atomics").trim() };
    }
  }
}

/** Cases of another guard, by what it expects. */
function guardCases(verdict: "allow" | "deny"): (checkout: Checkout) => Generator<Item> {
  return function* (checkout) {
    for (const { path, text } of filesOf(checkout, /^tests\/corpus\/.*\.toml$/)) {
      for (const block of text.split("[[case]]").slice(1)) {
        const command = /^command = (?:"((?:[^"\\]|\\.)*)"|'([^']*)')$/m.exec(block);
        const expected = /^expected(?:_decision)? = "(\w+)"/m.exec(block)?.[1];
        if (command === null || expected !== verdict) continue;
        const line =
          command[1] === undefined ? (command[2] ?? "") : (JSON.parse(`"${command[1]}"`) as string);
        yield { family: path.split("/")[2]?.replace(".toml", "") ?? "", text: line };
      }
    }
  };
}

/** The examples of tldr: placeholders become their own words. */
function* tldr(checkout: Checkout): Generator<Item> {
  for (const { path, text } of filesOf(checkout, /\.md$/)) {
    for (const [, example = ""] of text.matchAll(/^`(.+)`$/gm)) {
      const line = example
        .replace(/\{\{\[([^|\]]+)\|[^\]]*\]\}\}/g, "$1")
        .replace(/\{\{(?:\(|)([^|}]*)[^}]*\}\}/g, "$1");
      yield { family: path.split("/")[1] ?? "", text: line };
    }
  }
}

function* nl2bash(checkout: Checkout): Generator<Item> {
  for (const { text } of filesOf(checkout, /all\.cm$/)) {
    for (const line of text.split("\n"))
      if (line.trim() !== "") yield { family: "nl2bash", text: line.trim() };
  }
}

/** The `run:` steps of workflows, and the scripts of package manifests. */
function* scripts(checkout: Checkout): Generator<Item> {
  for (const { text } of filesOf(checkout, /^\.github\/workflows\/[^/]+\.ya?ml$/)) {
    for (const document of parseAllDocuments(text)) {
      if (document.errors.length === 0) yield* runSteps(document.toJS());
    }
  }
  for (const { text } of filesOf(checkout, /(?:^|\/)package\.json$/)) {
    const manifest = parsed(text) as { readonly scripts?: { readonly [name: string]: unknown } } | undefined;
    for (const line of Object.values(manifest?.scripts ?? {})) {
      if (typeof line === "string") yield { family: "npm script", text: line };
    }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function* runSteps(value: unknown): Generator<Item> {
  if (typeof value !== "object" || value === null || !isShellStep(value)) return;
  for (const [key, inner] of Object.entries(value)) {
    if (key === "run" && typeof inner === "string") {
      yield { family: "CI run", text: inner.replace(/\$\{\{[^}]*\}\}/g, "value") };
    } else yield* runSteps(inner);
  }
}

/** Whether a step is for a shell that policies read: none other is named, for it or for its job, and no cmdlet is in it. */
function isShellStep(step: object): boolean {
  const { shell, defaults, run } = step as {
    shell?: unknown;
    defaults?: { run?: { shell?: unknown } };
    run?: unknown;
  };
  const named = shell ?? defaults?.run?.shell ?? "bash";
  return (
    /^(?:ba)?sh\b/.test(String(named)) &&
    !/\$env:|\b(?:Get|Invoke|Set|New|Write)-[A-Z]\w+/.test(String(run ?? ""))
  );
}

/** Commands that agents ran, as their public trajectories have them. */
function* trajectories(checkout: Checkout): Generator<Item> {
  for (const { text } of filesOf(checkout, /\.traj$/)) {
    const run = parsed(text) as
      { readonly trajectory?: readonly { readonly action?: unknown }[] } | undefined;
    for (const { action } of run?.trajectory ?? []) {
      if (typeof action === "string" && action.trim() !== "") yield { family: "agent", text: action.trim() };
    }
  }
}

const projects: readonly SourceName[] = [
  "flask",
  "requests",
  "prettier",
  "ghCli",
  "hono",
  "pydanticAi",
  "mcp",
  "geminiCli",
  "sweAgent",
  "owasp",
  "detectSecrets",
];

export const shellSets: readonly PublicSet[] = [
  { name: "GTFOBins", kind: "shell-attack", source: "gtfobins", read: gtfobins },
  { name: "Atomic Red Team", kind: "shell-attack", source: "atomic", read: atomic },
  { name: "destructive_command_guard", kind: "shell-attack", source: "guard", read: guardCases("deny") },
  { name: "tldr", kind: "shell-benign", source: "tldr", read: tldr },
  { name: "nl2bash", kind: "shell-benign", source: "nl2bash", read: nl2bash },
  { name: "SWE-agent trajectories", kind: "shell-benign", source: "sweAgent", read: trajectories },
  ...projects.map((source): PublicSet => ({
    name: `scripts of ${source}`,
    kind: "shell-benign",
    source,
    read: scripts,
  })),
  ...projects.map((source): PublicSet => ({
    name: `documentation of ${source}`,
    kind: "shell-benign",
    source,
    read: (checkout) => shellBlocks(checkout),
  })),
];
