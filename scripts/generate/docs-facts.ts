import type { JsonSchema } from "../../src/catalogue/schema.ts";
import { type CostClass, type FactRow, unknownReasons } from "../../src/facts/fact.ts";
import { conditionLimits } from "../../src/facts/routing/condition.ts";
import { lightLimits } from "../../src/facts/weight.ts";
import { factRows } from "../../src/facts/table.ts";
import { clientTools, toolKinds } from "../../src/facts/tool/clients.ts";
import { code, codes, markdownNotice, sentence, table } from "./text.ts";

const costs: { readonly [cost in CostClass]: string } = {
  low: "low: a few microseconds for an ordinary event",
  medium: "medium: tens of microseconds for an ordinary event, milliseconds at the limits",
  high: "high: up to milliseconds for an ordinary event",
};

/** docs/facts.md */
export function factsPage(): string {
  return [
    introSection(),
    derivationSection(),
    hostSection(),
    routingSection(),
    factsSection(),
    toolsSection(),
  ].join("");
}

function introSection(): string {
  return `# Facts

${markdownNotice}

A fact is a value that hookwarden derives from an event, so that hooks do not have to: what kind of tool call this is
whatever the client calls the tool, which commands a command line would start. Facts are derived by trusted code outside the
sandbox.

\`\`\`json
{ "apiVersion": 1, "name": "no-curl", "version": "1.0.0", "entry": "hook.ts",
  "on": [{ "event": "PreToolUse" }], "reads": ["facts.shell"], "actions": ["deny"] }
\`\`\`

\`\`\`ts
import { deny, type PreToolUse } from "hookwarden/hook";

const hook: PreToolUse = ({ facts: { shell } }) => {
  if (!shell.ok) return deny(\`the command line cannot be read: \${shell.why}\`);
  return shell.commands.some(({ name }) => name === "curl") ? deny("no downloads here") : undefined;
};
export default hook;
\`\`\`

- **A hook asks for a fact in \`reads\`**, as for a field: \`facts.shell\`. It is read whole. A grant must name it; \`*\` does
  not include facts. A fact shows what is in the fields that it comes from: a hook that may read \`facts.shell\` learns the
  command line.
- **\`{ "ok": false, "why": … }\`** is the value of a fact that is not known. TypeScript makes a hook handle it; a guard
  treats it as the worst case.
- **Derived when needed**: if a hook that runs reads it, once for each state of the event, and again after a hook has
  rewritten a field.
- **Deterministic**: a fact is a function of the event. Its limits count characters and parts, never time.
- **Versioned**: a hook gets the major version that its manifest pins, \`"facts": { "shell": 1 }\`; without a pin that is
  version 1. If this version of hookwarden derives another one, the pack does not load. The pin is part of the manifest, so
  bundles sign it and reviews cover it. The decision log records the exact versions, and a replay says if they differ.
- **Not from the event**: a field \`facts\` that comes with an event is never shown to a hook that reads facts.

`;
}

function derivationSection(): string {
  return `## Where facts are derived

Outside the sandbox, in trusted code that reads text that is not: it has no side effects, starts nothing, and does not look
at files. Its limits bound what it costs.

What takes microseconds is derived where the decision is made. What may take longer is derived in a thread that all wardens
of the process share, whatever the isolation of the hooks is, so that no text blocks the host's event loop: command lines
of more than ${lightLimits.commandLines.toLocaleString("en")} characters or ${lightLimits.words} words together, with more than ${lightLimits.nested} openings of \`$(\`, \`\${\`, \`<(\` or a backtick, or
with more than ${lightLimits.nodes} nodes, loops and functions counted as often as they are read; texts of more than ${lightLimits.text.toLocaleString("en")}
characters. That costs about 0.1 ms more, and some milliseconds the first times. The value is the same in both places. The
thread derives one event at a time: on a server, an event with large texts waits for those before it. The time counts
against \`budgets.decisionMs\`; if it is used up, or the thread dies, guards that read facts are faults
(\`budget-exceeded\`), and a replay uses what was recorded.

| \`why\` | meaning |
| --- | --- |
${Object.entries(unknownReasons)
  .map(([why, meaning]) => `| \`${why}\` | ${meaning} |`)
  .join("\n")}

`;
}

function hostSection(): string {
  return `## Facts of the host

A host registers facts of its own, which hooks read as \`facts.host.NAME\`, and conditions as \`facts.host.NAME.member\`:

\`\`\`ts
import { createWarden } from "hookwarden";

const customers = new Map([["acme", { plan: "free" }]]);

await using warden = await createWarden({
  pack: "./policies",
  facts: {
    customer: {
      version: "1.0",
      events: ["PreToolUse"],
      schema: { type: "object", properties: { plan: { type: "string" } }, required: ["plan"] },
      derive: (event, { tenant }) => customers.get(tenant),
    },
  },
});
\`\`\`

- **\`derive\` is trusted code.** It runs in the host's process without a sandbox, on events whose texts are not trusted, and
  what it returns is shown to third-party hooks and logged. It gets a copy of the event, the tenant, and an
  \`AbortSignal\`; it is called if a hook or condition of the event reads the fact, once for an event, before any hook runs.
  A rewrite by a hook does not derive it again.
- **\`{ "ok": false, "why": "host" }\`** is what hooks see if it throws, takes longer than \`timeoutMs\` (1,000), or gives
  anything but an object that its schema accepts, of at most \`maxBytes\` (65,536) of JSON; \`absent\` if the host has no such
  fact for the event.
- **Recorded whole** in the event, in \`host_facts\`, with its version: the decision log has it there, a mask such as
  \`/host_facts/customer/value/mail\` covers it as it covers fields, and a replay uses it. What an event from outside brings
  under this name is removed.
- **In cases**, write it into the event: \`"host_facts": { "customer": { "version": "1.0", "value": { "plan": "free" } } }\`.
  \`check\`, \`test\`, \`diff\` and \`try\` use it.

**Symbolic links.** With the option \`resolveLink\`, a function of the host that gets an absolute path and returns where it
leads, \`facts.paths\` has the paths that are really used. They are recorded in \`host_facts.links\`. A path that a hook wrote
into the event afterwards is not resolved: whether it is \`inside\` is not known then.

`;
}

function routingSection(): string {
  return `## Routing

\`when\` in a subscription is a condition on fields and facts. A hook whose condition does not hold is not called, which
costs next to nothing, however many such hooks a pack has: all conditions of a pack are one index, each path is read once for
an event, and all patterns for it match in one pass.

\`\`\`json fragment
"on": [{
  "event": "PreToolUse",
  "when": { "any": [
    { "path": "facts.shell.commands.*.name", "in": ["curl", "wget"] },
    { "all": [{ "path": "tool_name", "prefix": "mcp__" }, { "not": { "path": "tool_input.dry_run", "equals": true } }] }
  ] }
}]
\`\`\`

| member | meaning |
| --- | --- |
| \`path\` | names joined by dots; \`*\` is every element of an array. A test holds if any value at the path passes |
| \`equals\` | a string, number, boolean or \`null\` |
| \`in\` | one of up to ${conditionLimits.values} such values; or \`{ "option": … }\`: one of those in an option of the hook's \`config\` |
| \`prefix\` | how a string begins |
| \`pattern\` | a regular expression of RE2 syntax that must match the whole string, as a matcher; \`.\` matches every character |
| \`glob\` | a list, or an option, of globs of which one must match the whole string: \`*\` is any text, \`?\` and \`[…]\` any character, and case does not matter |
| \`exists\` | \`true\`: there is any value at the path |
| \`incomplete\` | \`"ignore"\`, beside one of these: only what the fact lists counts, although its list is not complete. For hooks that read the list in the same way |
| \`option\` | instead of a path, an option of the hook's \`config\`, as names joined by dots: whether the pack sets it |
| \`all\`, \`any\`, \`not\` | conditions joined; up to ${conditionLimits.depth} deep, with ${conditionLimits.tests} tests |

- **What is not known matches.** If a fact is not \`ok\`, a word has unknown parts, or \`facts.shell\` is not \`complete\`, a
  test that does not hold for what is known may hold for the rest, and the hook runs. \`not\` of what is not known is not
  known. A string of more than 65,536 characters is not matched against patterns, but not known. In a fact, \`null\` is not
  known.
- A field that is absent passes no test. The first name of a path must be a field of the event in
  [the catalogue](events.md) or \`facts\`; a fact that a condition uses is pinned as one that is read.
- After a rewrite, conditions are tested on the rewritten event, and a guard that was passed over before it and now
  matches runs as well.
- In the trace, such a hook is \`not-matched\`, with its condition. \`hookwarden explain\` shows conditions.

`;
}

function factsSection(): string {
  return `${[...factRows].map(([name, row]) => factSection(name, row)).join("\n\n")}

A hook that finds something in a text of \`facts.text\` gets its place in the original from \`originalRange\`, so that a
redaction changes what the event has and not a copy:

\`\`\`ts
import { originalRange, transform, type UserPromptSubmit } from "hookwarden/hook";

const hook: UserPromptSubmit = ({ prompt, facts: { text } }) => {
  if (!text.ok) return { action: "block", reason: \`the prompt cannot be read: \${text.why}\` };
  for (const plain of text.texts) {
    const at = plain.text.indexOf("Project Falcon");
    if (at < 0) continue;
    if (plain.inside) return { action: "block", reason: "the prompt has an encoded name" };
    const [start, end] = originalRange(plain, at, at + "Project Falcon".length);
    return transform(\`\${prompt.slice(0, start)}[redacted]\${prompt.slice(end)}\`);
  }
  return undefined;
};
export default hook;
\`\`\`

What is read as what:

- **In place**: form NFKC; invisible characters, terminal sequences and marks that only overlay a Latin letter removed;
  HTML's character references; letters of other scripts in words that imitate Latin ones. A word of such letters only is
  left alone next to words that are certainly of its script.
- **As texts of their own**: base64 (16 characters and more), hexadecimal numbers, percent-encoding, escapes such as
  \`\\u0061\`, tag characters and variation selectors, if they decode to readable text.
- **Not**: text in images, other ciphers (ROT13), compressed data, words in other spelling, accents of Latin letters.

`;
}

function toolsSection(): string {
  return `## Tools of clients

\`facts.tool\` knows these tools. Names are compared without case and punctuation: \`read_file\` is \`ReadFile\` too.

${table(
  ["client", ...toolKinds],
  Object.entries(clientTools).map(([client, kinds]) => [
    client,
    ...toolKinds.map((kind) => codes(kinds[kind] ?? []) || "–"),
  ]),
)}
`;
}

function factSection(name: string, row: FactRow): string {
  const { version, doc, events, from, cost, limits, members, types = {} } = row;
  const head = [
    `- **Version:** ${version}`,
    `- **Events:** ${events.map((event) => `[${event}](events.md#${event.toLowerCase()})`).join(", ")}`,
    `- **Comes from:** ${codes(from)}`,
    `- **Cost:** ${costs[cost]}`,
    `- **Limits:** ${Object.values(limits)
      .map(({ maximum, doc: what }) => `${maximum.toLocaleString("en")} ${what}`)
      .join("; ")}`,
  ];
  return [
    `## facts.${name}`,
    sentence(doc),
    head.join("\n"),
    table(
      ["member", "type", "what it is"],
      Object.entries(members).map(([member, { doc: what, schema }]) => [code(member), shown(schema), what]),
    ),
    ...Object.entries(types).map(([type, { doc: what, schema }]) =>
      [
        `### ${type}`,
        sentence(what),
        ...(schema.properties
          ? [
              table(
                ["member", "type", "what it is"],
                Object.entries(schema.properties).map(([member, part]) => [
                  code(member),
                  shown(part),
                  part.description ?? "",
                ]),
              ),
            ]
          : []),
      ].join("\n\n"),
    ),
  ].join("\n\n");
}

/** What JSON a schema accepts, in words. */
function shown({ type, anyOf, enum: values, items, tsType, properties, const: only }: JsonSchema): string {
  if (tsType !== undefined) return `[${tsType}](#${tsType.toLowerCase()})`;
  if (only !== undefined) return code(JSON.stringify(only));
  if (values) return values.map((value) => code(JSON.stringify(value))).join(", ");
  if (anyOf) return anyOf.map(shown).join(" or ");
  if (type === "array") return `array of ${items ? shown(items) : "any JSON"}`;
  if (properties)
    return `object (${Object.entries(properties)
      .map(([name, part]) => `${code(name)}: ${shown(part)}`)
      .join("; ")})`;
  return type ?? "any JSON";
}
