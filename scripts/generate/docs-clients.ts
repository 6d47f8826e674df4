import { readFileSync } from "node:fs";
import {
  type AgentClient,
  clients,
  type ClientName,
  clientNames,
} from "../../packages/clients/src/clients/index.ts";
import { carriedActions } from "../../packages/clients/src/translate/client-dialect.ts";
import { claudeCode } from "../../src/dialects/claude-code.ts";
import { code, codes, markdownNotice, table } from "./text.ts";

interface Proven {
  readonly date: string;
  readonly clients: {
    readonly [name in ClientName]: {
      readonly version: string;
      readonly paths: { readonly [path: string]: string };
      readonly faults: { readonly [fault: string]: string };
    };
  };
}

/** What the last run of the real clients has shown (`packages/clients/test/live/prove.ts`). */
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
  ["Continue", "Runs offline; whether its hooks fire was not tested."],
];

/** docs/clients.md */
export function clientsPage(): string {
  const names = clientNames.map((name) => clients[name]);
  return `${markdownNotice}
# Agent clients

One pack decides for several agent clients. What each client carries out is taken from the adapters' tables, and for Qwen Code,
droid, Cline and opencode not every cell was seen on the real program. The results under [paths](#paths) and [faults](#faults) come from
runs of the real programs against a stand-in for their model, last on ${proven.date}.

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
  ["client", "name", "tested version"],
  names.map(({ title, name }) => [title, code(name), proven.clients[name].version]),
)}

## What each client carries out

An action without a form in the client is refused when a pack is installed, unless \`--accept-gaps\` is given; at run time it is a
[fault](faults.md). A \`halt\` where a client cannot end the turn is kept: the rest of the turn is refused.

${names.map(section).join("\n\n")}

## Paths

By these paths the model made the client run something, with a policy that denies every tool. \`denied\`: a hook was met, and the call did not
run. \`not offered\`: the client did not offer such a tool in the test, so that nothing is proven. \`not run\`: not part of the last run.

${resultTable("path", "paths")}

## Faults

hookwarden was made to fail while the client worked. \`denied\`: no tool ran; where the program itself fails, the prompt may have been refused
already, so this does not show by itself that the hook of the tool held. \`not run\`: not part of the last run.

${resultTable("fault", "faults")}

## Known gaps

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
    const native = carried.filter((action) => action !== "ask" || event.instead?.ask !== "stop");
    const degraded = [
      ...(event.instead?.ask === "stop" ? ["`ask` becomes a denial"] : []),
      ...(client.name !== "claude-code" && !event.answers.halt && carried.includes("halt")
        ? [event.answers.stop ? "`halt` becomes a denial, and is kept" : "`halt` is kept"]
        : []),
    ];
    return [
      code(name),
      code(event.event),
      native.length > 0 ? codes(native) : "–",
      degraded.join("; ") || "–",
    ];
  });
  return `### ${client.title}\n\n${table(["event", "event of hookwarden", "carried out", "instead"], rows)}`;
}

function resultTable(title: string, kind: "paths" | "faults"): string {
  const keys = [...new Set(clientNames.flatMap((name) => Object.keys(proven.clients[name][kind])))];
  return table(
    [title, ...clientNames.map((name) => code(name))],
    keys.map((key) => [key, ...clientNames.map((name) => proven.clients[name][kind][key] ?? "not run")]),
  );
}
