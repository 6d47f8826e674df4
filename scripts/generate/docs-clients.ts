import { readFileSync } from "node:fs";
import {
  type AgentClient,
  clients,
  type ClientName,
  clientNames,
} from "../../packages/clients/src/clients/index.ts";
import { settingOf, switches } from "../../packages/clients/src/settings/switches.ts";
import { carriedActions } from "../../packages/clients/src/translate/client-dialect.ts";
import { claudeCode } from "../../src/dialects/claude-code.ts";
import { code, codes, markdownNotice, table } from "./text.ts";

type Outcomes = { readonly [what: string]: string };

interface Proven {
  /** Of one run of `npm run measure:client-latency -- --write`. */
  readonly latency?: {
    readonly date: string;
    readonly machine: string;
    readonly rounds: number;
    readonly milliseconds: {
      readonly [name in ClientName | "empty"]: { readonly median: number; readonly p95: number };
    };
  };
  readonly clients: {
    readonly [name in ClientName]: {
      readonly version: string;
      /** Of the last run. */
      readonly date: string;
      readonly actions: { readonly [event: string]: Outcomes };
      readonly paths: Outcomes;
      readonly tools: Outcomes;
      readonly faults: Outcomes;
      readonly session: Outcomes;
      readonly switches?: Outcomes;
      readonly managed?: Outcomes;
    };
  };
}

/** What the last runs of the real clients have shown (`packages/clients/test/live/prove.ts`). */
const proven = JSON.parse(
  readFileSync(new URL("../../packages/clients/proven.json", import.meta.url), "utf8"),
) as Proven;

/** Clients that cannot be run here, with what is known of them. */
const unsupported: readonly (readonly [string, string])[] = [
  [
    "Cursor",
    "No program that runs without a login. Its documentation has `failClosed` for each hook; by default hooks fail open.",
  ],
  [
    "Windsurf",
    "Only inside its editor. By its documentation, only exit status 2 stops a step; there are no rewrites.",
  ],
  ["VS Code", "Only inside the editor. Its own hooks are moving to the runtime of Copilot."],
  [
    "Kiro",
    "Needs a login. By its documentation, exit status 2 of `preToolUse` stops a tool; other failures do not.",
  ],
  ["Goose", "Not on npm. Its hooks follow the Open Plugins format."],
  [
    "Continue",
    "Tried: version 1.5.47 without a terminal (`cn -p`) fires none of the hooks in `~/.continue/settings.json`. It also reads `~/.claude/settings.json`.",
  ],
];

const names = clientNames.map((name) => clients[name]);

/** docs/clients.md */
export function clientsPage(): string {
  return [introSection(), actionsSection(), provenSections(), gapsSection()].join("");
}

function introSection(): string {
  return `${markdownNotice}
# Agent clients

One pack decides for several agent clients. Everything on this page that is called seen, denied or carried out was observed on the
real program, run against a stand-in for its model without credentials or a network.

\`\`\`sh
npm install --global hookwarden @hookwarden/clients
hookwarden install claude-code codex gemini-cli --pack ./policies
hookwarden doctor
\`\`\`

[\`install\`](cli.md#install) adds one hook for each event of the client. The hook is a small program that asks a daemon; see
[Claude Code](claude-code.md#the-daemon) for how the two work, and for [the hook's options](claude-code.md#options). A failure of
hookwarden is answered with a denial in the client's own form. The deadline of the hook is shorter than the client's, because clients run a tool
whose hook they gave up. If the hook program is missing, the command itself refuses, and says how to get out.

${table(
  ["client", "name", "version", "last run"],
  names.map(({ title, name }) => [
    title,
    code(name),
    proven.clients[name].version,
    proven.clients[name].date,
  ]),
)}

`;
}

function actionsSection(): string {
  return `## What each client carries out

An action without a form in the client is refused when a pack is installed, unless \`--accept-gaps\` is given; at run time it is a
[fault](faults.md). A \`halt\` where a client cannot end the turn is kept: the rest of the turn is refused.

Actions under "seen" were carried out by the real program in the last run. Those under "untested" have a form in the client by its
documentation or source, but the run did not reach the event, for example because it fires only when a person is asked.

${names.map(section).join("\n\n")}

`;
}

function provenSections(): string {
  return `## Paths

By these paths the model made the client run something, with a policy that refuses the call. \`denied\`: a hook was met, and the call did not
run. \`not offered\`: the client did not offer such a tool in the test, so that nothing is proven. \`unclear\`: the call did not run,
and no refusal was shown. \`not run\`: not part of the last run.

${resultTable("path", "paths")}

## Tools

The model called every tool that the client offered to it, with a policy that denies all of them. \`not proven\`: the client itself refused
the call before any hook, for example because it named something that does not exist.

${toolTable()}

## Faults

hookwarden was made to fail before a tool, with no hook at any other event. \`denied\`: the model called the tool, and it did not run.

${resultTable("fault", "faults")}

The last row is the one failure that hookwarden cannot answer: its program is alive and says nothing, so that only the client's own deadline
ends it. \`hookwarden doctor\` warns of clients that run the tool then.

## One policy, one session

The same pack of shipped policies (\`guard-data-flow\`, \`deny-destructive-shell\` and \`protect-git-history\`) decided one session: the model
read a file with credentials, fetched a page, tried to send the file, and deleted the repository. The policies see
[\`facts.tool\`](facts.md), not the client's names of tools. A client that cannot ask denies.

${resultTable("step", "session")}

## Settings that turn hooks off

Clients have settings that turn hooks off, also in files that come with a repository. \`hookwarden clients\` shows those that are set;
for \`hookwarden doctor\` each is a gap, as is a settings file that cannot be parsed. [\`protect-agent-setup\`](policies.md) keeps an
agent from writing these files. \`seen\`: in the last run, with hookwarden installed and the setting set, the client ran the tool.
\`untested\`: by the client's documentation or source, for example because only an administrator can set it. \`no effect\`: the call was
denied all the same.

${switchTable()}

## Settings of the whole machine

\`hookwarden install CLIENT --scope managed\` writes the settings of the whole machine, which users cannot change. In the last run a call of
the shell was ${managed()}. The other clients have no such settings for hooks.

${latency()}

`;
}

function gapsSection(): string {
  return `## Known gaps

${names
  .filter(({ gaps }) => gaps.length > 0)
  .map(({ title, gaps }) => `- ${title}: ${gaps.join("; ")}.`)
  .join("\n")}

## Unsupported clients

An adapter that was never run is worth nothing: many clients take a denial in a wrong form for a permission.

${table(["client", "what is known"], unsupported)}
`;
}

function section(client: AgentClient): string {
  const rows = Object.entries(client.events).map(([name, event]) => {
    const carried =
      client.name === "claude-code" ? (claudeCode.rows.get(name)?.carries ?? []) : carriedActions(event);
    const shown = proven.clients[client.name].actions?.[event.event] ?? {};
    const seen = carried.filter((action) => shown[action] === "carried");
    const becomes = carried.filter((action) => shown[action] === "denied");
    const lost = carried.filter((action) => shown[action] === "not carried");
    const silent = carried.filter((action) => shown[action] === "no reason");
    const untested = carried.filter(
      (action) => shown[action] === undefined || shown[action] === "not reached",
    );
    const kept = client.name !== "claude-code" && !event.answers.halt && carried.includes("halt");
    return [
      code(name),
      code(event.event),
      [
        listed(seen),
        silent.length > 0 ? `${listed(silent)} (without the reason)` : "",
        lost.length > 0 ? `${listed(lost)} (**not carried out**)` : "",
      ]
        .filter(Boolean)
        .join(", "),
      listed(becomes) + (kept ? `${becomes.length > 0 ? "; " : ""}\`halt\` is kept` : ""),
      listed(untested),
    ].map((cell) => cell || "–");
  });
  const head = ["event", "event of hookwarden", "seen", "becomes a denial", "untested"];
  return `### ${client.title}\n\n${table(head, rows)}`;
}

function switchTable(): string {
  const rows = clientNames.flatMap((name) =>
    switches[name].map((one) => {
      const setting = settingOf(one);
      const shown = proven.clients[name].switches?.[setting];
      return [clients[name].title, code(setting), shown === "hooks off" ? "seen" : (shown ?? "untested")];
    }),
  );
  return table(["client", "setting", "last run"], rows);
}

function managed(): string {
  return clientNames
    .flatMap((name) => {
      const shown = proven.clients[name].managed?.["shell"];
      return shown === undefined ? [] : [`${shown} by ${clients[name].title}`];
    })
    .join(", ");
}

const listed = (actions: readonly string[]): string => (actions.length > 0 ? codes(actions) : "");

function latency(): string {
  if (!proven.latency) return "";
  const { rounds, date, machine, milliseconds } = proven.latency;
  const { empty, ...all } = milliseconds;
  const rows = Object.entries(all).map(([name, { median, p95 }]) => [
    code(name),
    String(median),
    String(p95),
    (median - empty.median).toFixed(1),
  ]);
  const head = ["client", "median", "95th percentile", "added, median"];
  return `## Latency

What a hook call takes before a tool, from its start to its end, with a warm daemon and a pack of one hook, and what it adds to a hook that does
nothing (\`/bin/sh -c :\`). Milliseconds; the calls of all rows alternated in one run of ${rounds} rounds on ${date} (${machine}).
\`npm run measure:client-latency\` repeats it. Most of the time is the start of Node.js. The machine was shared and busy, so
that the rows can be compared with each other, and not with those of an idle machine.

${table(head, [["an empty hook", String(empty.median), String(empty.p95), "–"], ...rows])}`;
}

function toolTable(): string {
  return table(
    ["client", "version", "denied", "fired no hook", "not proven"],
    clientNames.map((name) => {
      const { version, tools } = proven.clients[name];
      const having = (outcome: string): string[] =>
        Object.entries(tools ?? {}).flatMap(([tool, one]) => (one === outcome ? [tool] : []));
      const row = [clients[name].title, version];
      if (!tools) return [...row, "not run", "not run", "not run"];
      const lists = ["no hook", "not proven"].map((outcome) => listed(having(outcome)) || "none");
      return [...row, String(having("denied").length), ...lists];
    }),
  );
}

function resultTable(title: string, kind: "paths" | "faults" | "session"): string {
  const keys = [...new Set(clientNames.flatMap((name) => Object.keys(proven.clients[name][kind] ?? {})))];
  return table(
    [title, ...clientNames.map((name) => code(name))],
    keys.map((key) => [key, ...clientNames.map((name) => proven.clients[name][kind]?.[key] ?? "not run")]),
  );
}
