import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { format } from "prettier";
import type { Cost } from "./cost.ts";
import type { Kind } from "./item.ts";
import type { Family, Measured } from "./run.ts";
import type { EvasionResult } from "./evasions.ts";
import type { SessionResult } from "./sessions.ts";
import { sources } from "./sources.ts";

const percent = (part: number, whole: number): string => {
  if (whole === 0) return "–";
  const share = (part / whole) * 100;
  return `${share > 0 && share < 10 ? share.toFixed(1) : share.toFixed(0)} %`;
};

/** One set in a few lines, for the terminal. */
export function summaryOf({ set, families, faults }: Measured): string {
  const n = families.reduce((sum, family) => sum + family.n, 0);
  const hit = families.reduce((sum, family) => sum + family.hit, 0);
  const lines = families.map(
    (family) =>
      `  ${family.name}: ${family.hit} of ${family.n} (${percent(family.hit, family.n)}) ${policiesOf(family)}`,
  );
  const head = `${set.name} (${set.kind}): ${hit} of ${n} (${percent(hit, n)})${faults.length > 0 ? `, ${faults.length} faults` : ""}`;
  return [head, ...(families.length > 1 || set.kind.startsWith("shell") ? lines.slice(0, 30) : [])].join(
    "\n",
  );
}

function policiesOf({ byPolicy }: Family): string {
  return [...byPolicy]
    .map(([policy, { deny, ask, other }]) => `${policy} ${deny + other}${ask > 0 ? `+${ask}` : ""}`)
    .join(", ");
}

const titles: { readonly [K in Kind]: string } = {
  "shell-attack": "Attacks by shell commands: stopped by any policy",
  "shell-benign": "Ordinary commands: stopped by any policy, rightly or wrongly",
  secret: "Secrets: found by `redact-secrets`",
  lookalike: "What only looks like a secret: changed by `redact-secrets`",
  prompt: "Prompts without a secret: blocked by `no-secrets-in-prompts`",
  clean: "Clean documents: flagged or changed",
  injection: "Injections: flagged by `flag-prompt-injection`",
};

/** What is to be known about a table. */
const notes: { readonly [K in Kind]?: readonly string[] } = {
  "shell-benign": [
    "",
    "Where there is a number, the stops of each policy were judged by hand. A stop is wrong if its reason is not true of the command, or is nothing that the policy claims to stop; by this measure, an ask about an ordinary `git fetch` is right. One person judged, and kinds of wrong stops that were found were mended before this measurement, so it is no test on commands that are new.",
  ],
};

/** What was measured on sets that the script makes itself. */
export interface Simulated {
  readonly sessions: SessionResult | undefined;
  readonly evasions: EvasionResult | undefined;
  readonly costs: readonly Cost[];
}

/** What was measured on sets, as Markdown. */
function setsOf(
  all: readonly Measured[],
  half: string,
  { sessions, evasions }: Simulated,
): readonly string[] {
  const kinds = Object.keys(titles) as Kind[];
  const parts = kinds.flatMap((kind) => {
    const of = all.filter(({ set }) => set.kind === kind);
    return of.length === 0
      ? []
      : [`**${titles[kind]}**`, ...(notes[kind] ?? []), "", ...tableOf(kind, of), ""];
  });
  const note = half === "held-out" ? "Of each set the half that no rule was tuned on." : "";
  return [note, "", ...parts, ...flowOf(sessions), ...evasionsOf(evasions), ...sourcesOf(all)];
}

function tableOf(kind: Kind, all: readonly Measured[]): readonly string[] {
  if (kind === "clean") {
    return [
      "| set | part | n | flagged | changed |",
      "| --- | --- | ---: | ---: | ---: |",
      ...all.flatMap(({ set, families }) =>
        families.map(
          (family) =>
            `| ${set.name} | ${family.name} | ${family.n} | ${shareOf(family, "flag-prompt-injection")} | ${shareOf(family, "redact-secrets")} |`,
        ),
      ),
    ];
  }
  const isBenign = kind === "shell-benign";
  return [
    `| set | part | n | |${isBenign ? " judged wrong |" : ""} by policy |`,
    `| --- | --- | ---: | ---: |${isBenign ? " ---: |" : ""} --- |`,
    ...all.flatMap(({ set, families }) =>
      merged(families).map(
        (family) =>
          `| ${set.name} | ${family.name} | ${family.n} | ${family.hit} (${percent(family.hit, family.n)}) |${isBenign ? ` ${judgedOf(family)} |` : ""} ${kind.startsWith("shell") ? policiesOf(family) : ""} |`,
      ),
    ),
  ];
}

function shareOf({ byPolicy, n }: Family, policy: string): string {
  const { deny = 0, ask = 0, other = 0 } = byPolicy.get(policy) ?? {};
  return `${deny + ask + other} (${percent(deny + ask + other, n)})`;
}

const mostRows = 12;

/** The stops that were judged wrong, of those that were judged. */
function judgedOf({ judged: { n, wrong } }: Family): string {
  return n === 0 ? "" : `${wrong} of ${n}`;
}

/** The families of a set, or their sum where there are many. */
function merged(families: readonly Family[]): readonly Family[] {
  if (families.length <= mostRows) return families;
  const sum: Family = {
    name: `${families.length} parts`,
    n: 0,
    hit: 0,
    byPolicy: new Map(),
    judged: { n: 0, wrong: 0 },
  };
  for (const family of families) {
    sum.n += family.n;
    sum.hit += family.hit;
    sum.judged.n += family.judged.n;
    sum.judged.wrong += family.judged.wrong;
  }
  return [sum];
}

function flowOf(sessions: SessionResult | undefined): readonly string[] {
  if (sessions === undefined) return [];
  const { attacks, stopped, benign, askedTwice } = sessions;
  return [
    `**Simulated sessions**: \`guard-data-flow\` stops ${stopped} of ${attacks} attacks (${percent(stopped, attacks)}) before the data leaves, and asks more than once in ${askedTwice} of ${benign} honest sessions (${percent(askedTwice, benign)}).`,
    "",
  ];
}

function evasionsOf(evasions: EvasionResult | undefined): readonly string[] {
  if (evasions === undefined) return [];
  const { n, stopped, ways } = evasions;
  const cell = (text: string): string =>
    `\`${text.replace(/\s+/g, " ").replaceAll("`", "'").replaceAll("|", "\\|").slice(0, 110)}\``;
  return [
    `**Evasions**: ${stopped} of ${n} harmful commands that are written to hide what they do are stopped (${percent(stopped, n)}). They are made by rule from ${"`scripts/measure/policies/evasions.ts`"}. Missed:`,
    "",
    ...(ways.length === 0
      ? ["None."]
      : [
          "| way of writing | missed | of | for example |",
          "| --- | ---: | ---: | --- |",
          ...ways.map(
            ({ way, missed, n: count, example }) => `| ${way} | ${missed} | ${count} | ${cell(example)} |`,
          ),
        ]),
    "",
  ];
}

function costsOf(costs: readonly Cost[]): readonly string[] {
  if (costs.length === 0) return [];
  return [
    "**Cost** of one call on 1 MB of text, in [steps](limits.md) of QuickJS: of prose, code, base64, markup and commands, the one that costs most. A command line beyond the limits of the facts is not read. A [fault](faults.md) fails closed: the call is refused without being judged. Code of 1 MB is more than 1 MiB in JSON, where its quotation marks are escaped.",
    "",
    "| policy | most steps | text | limit | share | fault |",
    "| --- | ---: | --- | ---: | ---: | --- |",
    ...costs.map(
      ({ policy, steps, text, limit, fault }) =>
        `| \`${policy}\` | ${steps.toLocaleString("en")} | ${text} | ${limit.toLocaleString("en")} | ${percent(steps, limit)} | ${fault === undefined ? "" : `\`${fault.code}\` (${fault.text})`} |`,
    ),
    "",
  ];
}

function sourcesOf(all: readonly Measured[]): readonly string[] {
  const lines = all.map(({ set, commit }) => {
    const { repository, licence } = sources[set.source];
    return `[${repository}](https://github.com/${repository}) at \`${commit.slice(0, 12)}\` (${licence})`;
  });
  return [`Sources: ${[...new Set(lines)].join(", ")}.`];
}

/**
 * Writes the tables into docs/policies.md and policies/README.md, each between its own marks. `all` is `undefined`
 * where only some sets were measured: their tables then stay as they are, and so do the costs where there are none.
 */
export async function writeTables(
  all: readonly Measured[] | undefined,
  half: string,
  simulated: Simulated,
): Promise<void> {
  const tables = {
    "public sets": all === undefined ? [] : setsOf(all, half, simulated),
    cost: costsOf(simulated.costs),
  };
  for (const page of ["docs/policies.md", "policies/README.md"]) {
    const path = fileURLToPath(new URL(`../../../${page}`, import.meta.url));
    let text = readFileSync(path, "utf8");
    for (const [name, lines] of Object.entries(tables)) {
      if (lines.length === 0) continue;
      const [begin, end] = [`<!-- begin: ${name} -->`, `<!-- end: ${name} -->`];
      const [from, to] = [text.indexOf(begin), text.indexOf(end)];
      if (from < 0 || to < from)
        throw new Error(`${page} has no place for a table: \`${begin}\` … \`${end}\``);
      const table = (await format(lines.join("\n"), { parser: "markdown" })).trim();
      text = `${text.slice(0, from + begin.length)}\n\n${table}\n\n${text.slice(to)}`;
    }
    writeFileSync(path, text);
  }
}
