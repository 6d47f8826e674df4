import {
  flagOf,
  settingGroups,
  settingTable,
  variableOf,
} from "../../packages/server/src/commands/settings-table.ts";
import { logEvents } from "../../packages/server/src/log.ts";
import { code, markdownNotice, sentence, table } from "./text.ts";

function rowOf(name: string): string[] {
  const row = settingTable[name]!;
  const flag = flagOf(name);
  const shown = row.default === undefined ? "" : code(String(row.default));
  const choices = row.choices ? ` (${row.choices.map(code).join(", ")})` : "";
  return [
    code(name),
    flag === null ? "" : code(flag),
    code(variableOf(name)),
    shown,
    `${row.means}${choices}`,
  ];
}

/** docs/server-settings.md */
export function serverSettingsPage(): string {
  const own = Object.keys(settingTable).filter((name) => !name.includes("."));
  return `# Settings of the server

${markdownNotice}

Every setting of [\`hookwarden serve\`](server.md) can be given in three ways. If there are several, the first wins:

1. a **flag** of the command line;
2. an **environment variable**, \`HOOKWARDEN_\` and the name in capitals. Lists are separated by commas; switches are
   \`true\` or \`false\`;
3. a member of the **configuration file**, a JSON object, named by \`--config\` or \`HOOKWARDEN_CONFIG\`;
4. the default.

\`hookwarden serve --print-config\` prints every setting with its source, and exits; passwords in URLs are masked. An unknown
variable that begins with \`HOOKWARDEN_\`, or an unknown member of the file, is an error that names the nearest setting.
Relative paths are relative to the working folder.

\`\`\`json
{
  "data": "/var/lib/hookwarden",
  "containment": "required",
  "trust": "/etc/hookwarden/trust.json",
  "limits": { "requestMs": 10000 },
  "tenantLimits": { "requestsPerSecond": 500 }
}
\`\`\`

A flag that begins with \`--no-\` turns a switch off: \`--no-credentials\` is \`HOOKWARDEN_CREDENTIALS=false\` or
\`"credentials": false\`.

${table(["setting", "flag", "variable", "default", ""], own.map(rowOf))}

${Object.entries(settingGroups)
  .map(
    ([group, rows]) =>
      `## ${code(group)}

${table(
  ["setting", "variable", "default", ""],
  Object.keys(rows).map((name) => {
    const [setting, , ...rest] = rowOf(`${group}.${name}`);
    return [setting!, ...rest];
  }),
)}`,
  )
  .join("\n\n")}

## Log events

Each line of the log is a JSON object with \`time\`, \`level\`, \`msg\`, \`event\` and fields of the event.

${table(
  ["event", "level", ""],
  Object.entries(logEvents).map(([event, { level, msg }]) => [code(event), level, sentence(msg)]),
)}
`;
}
