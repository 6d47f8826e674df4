import type { Dialect, DialectRow } from "../../src/dialects/dialect.ts";
import { dialects } from "../../src/dialects/dialects.ts";
import { eventRows } from "../../src/catalogue/lookup.ts";
import { code, codes, markdownNotice, table } from "./text.ts";

/** What a dialect's table does not tell, with exchanges that the tests hold dialects to. */
interface Guide {
  readonly notes: readonly string[];
  /** A message, what a hook called `guard` returns for it, and the answer. */
  readonly exchanges: readonly (readonly [message: object, action: object | null, answer: unknown])[];
}

const call = {
  event: "tool_call",
  tool_name: "bash",
  tool_call_id: "c1",
  arguments_json: '{"command":"rm -rf /"}',
};
const result = {
  event: "tool_result",
  tool_name: "bash",
  tool_call_id: "c1",
  result: "key=1234",
  is_error: false,
  duration_ms: 5,
};
const turn = { model: "m", messages: [{ role: "user", content: "hi" }] };
const deny = { action: "deny", reason: "no" };

const guides: { readonly [dialect: string]: Guide } = {
  pig: {
    notes: [
      "`arguments_json` is a JSON text and read as strictly as the message itself.",
      "A replaced result that is no text becomes its JSON text.",
      "`transformers` are all hooks whose replacement was honoured, in the order in which they ran.",
    ],
    exchanges: [
      [call, null, { decision: "ToolAllowed" }],
      [call, deny, { decision: "ToolBlocked", hook_name: "guard", reason: "no" }],
      [
        result,
        { action: "replace_result", result: "key=***" },
        {
          decision: "ResultTransformed",
          final_event: { ...result, result: "key=***" },
          transformers: ["guard"],
        },
      ],
      [
        { event: "before_inference", model: "m", messages: [] },
        null,
        { decision: "MessagesUnchanged", original: [] },
      ],
      [{ event: "error", model: "m", error: "timeout" }, null, { decision: "Notified" }],
    ],
  },
  agentix: {
    notes: [
      "Of a turn, `model`, `messages`, `system`, `params` and `assistant_message` are fields of the event; what else it has, a hook that names it can read as `turn.…`.",
      "`injections` holds what was pending, then what hooks add: those of the chain, then those of parallel hooks in declared order.",
      "An overflow of `budgets.injectionBytes` halts the turn by name, whatever the hook's failure policy.",
      "A parallel hook that listens to `PostModelResponse` is refused before any message.",
    ],
    exchanges: [
      [
        { phase: "pre", turn },
        { action: "inject", messages: [{ role: "user", content: "it is late" }] },
        {
          cont: {
            ...turn,
            injections: [
              { type: "text", text: "it is late", durable: false, hook: "guard", trust: "third-party" },
            ],
          },
        },
      ],
      [{ phase: "pre", turn }, { action: "halt", reason: "no" }, { halt: "no" }],
      [
        { phase: "post", turn: { ...turn, assistant_message: "hello" } },
        null,
        { cont: { ...turn, assistant_message: "hello" } },
      ],
      [{ phase: "chunk", chunk: "hel" }, { action: "replace_chunk", chunk: "HEL" }, { chunk: "HEL" }],
      [{ phase: "chunk", chunk: "hel" }, { action: "drop_chunk" }, { dropped: true }],
    ],
  },
  eai: {
    notes: [
      "Errors of hooks fail open, and are reported by the `fault` event, the trace and telemetry; a pack's own policy takes precedence.",
      'A `terminal` event is a result `{ "terminated": reason }` to hooks; a block there ends the chain of hooks and nothing else.',
    ],
    exchanges: [
      [{ run: "pre", tool: "Fs.write", payload: { path: "a" } }, null, { ok: true }],
      [{ run: "pre", tool: "Fs.write", payload: { path: "a" } }, deny, { block: "no" }],
      [
        { run: "pre", tool: "Fs.write", payload: ["a"] },
        { action: "modify_input", input: { args: ["b"] } },
        { modify: ["b"] },
      ],
      [
        { run: "llm_post", payload: {}, result: ["ok", "hello", []] },
        { action: "block", reason: "no" },
        { block: "no" },
      ],
      [
        { run: "terminal", tool: "PTY", payload: {}, reason: "shutdown" },
        { action: "block", reason: "no" },
        { ok: true },
      ],
    ],
  },
  "ex-athena": {
    notes: [
      "`input` holds the event's fields by their catalogue names; arguments stay nested in `tool_input`, so that one called `tool_name` renames nothing.",
      "Fields that a lifecycle event must have here, and the system may not send, have neutral values.",
      "A stop that comes of a failed hook is a `halt` where the system has no milder word.",
    ],
    exchanges: [
      [{ event: "PreToolUse", input: { tool_name: "Write", tool_input: {} }, tool_use_id: "t1" }, null, "ok"],
      [{ event: "PreToolUse", input: { tool_name: "Write", tool_input: {} } }, deny, { deny: "no" }],
      [
        { event: "PostToolUse", input: { tool_name: "Write", tool_response: "r" } },
        { action: "augment", text: "see also" },
        { augment: "see also" },
      ],
      [
        { event: "UserPromptSubmit", input: { prompt: "hi" } },
        { action: "transform", prompt: "hello" },
        { halt: null, injects: [], transform: "hello" },
      ],
    ],
  },
  "hook-event": {
    notes: [
      "Only the fields that an event lets hooks read reach them; an answer holds the fields that hooks write, and nothing else.",
      "`stop` is `block`. The answer has no field for a reason; it stands in the decision.",
    ],
    exchanges: [
      [{ event: "pre_tool_execution", tool_name: "Shell", tool_arguments: { command: "ls" } }, null, {}],
      [
        { event: "pre_tool_execution", tool_name: "Shell", tool_arguments: { command: "ls" } },
        { action: "skip", reason: "no" },
        { action: "skip" },
      ],
      [
        { event: "pre_llm_request", messages: [], system_prompt: "s", model: "m" },
        { action: "add_context", text: "it is late" },
        { additional_context: "it is late" },
      ],
      [
        { event: "stop", user_input: "done", messages: [] },
        { action: "retry", feedback: "run the tests" },
        { retry_feedback: "run the tests" },
      ],
    ],
  },
  "claude-code": {
    notes: [
      "What the model reads (reasons of denials, feedback, contexts) stands in a fence; what the person reads does not.",
      "A rewritten input is `updatedInput` alone: it allows nothing by itself.",
      "A replaced or withheld result is put into the form of the tool's own output, since Claude Code shows the original otherwise.",
      "Events of Claude Code without a row pass untouched: the answer is `{}`, and a note says so.",
      "A prompt cannot be rewritten there, so that `transform` is not carried; nor is context at `Stop` and `SubagentStop`, which would make the agent go on without end.",
    ],
    exchanges: [
      [
        { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" } },
        { action: "ask", reason: "sure?" },
        {
          hookSpecificOutput: {
            hookEventName: "PreToolUse",
            permissionDecision: "ask",
            permissionDecisionReason: "sure?",
          },
        },
      ],
      [
        { hook_event_name: "UserPromptSubmit", prompt: "hi" },
        { action: "block", reason: "not now" },
        { decision: "block", reason: "not now" },
      ],
      [
        { hook_event_name: "Notification", message: "waiting" },
        { action: "notify", text: "look here" },
        { systemMessage: "look here" },
      ],
      [{ hook_event_name: "ConfigChange" }, null, {}],
    ],
  },
};

/** docs/dialects.md */
export function dialectsPage(): string {
  return `# Dialects

${markdownNotice}

A system with its own hook protocol can use hookwarden through a dialect, which translates its messages into events of
the [catalogue](events.md), and decisions into its answers. [Hook systems](seed-systems.md) lists which features of each system
are supported, with the tests that prove it.

\`\`\`ts
import { createDialect, createWarden } from "hookwarden";

await using warden = await createWarden({ pack: "./policies" });
const pig = createDialect(warden, "pig");
await pig.handle({ event: "tool_call", tool_name: "bash", tool_call_id: "c1", arguments_json: "{}" });
// { decision: "ToolAllowed" }
\`\`\`

\`handle\` accepts an object, JSON text or bytes, and \`reply\` returns the decision along with the answer. Several dialects can
share one warden. Common rules:

- A message is one JSON object, parsed strictly. \`session_id\` names the session (default \`default\`); \`time\`,
  \`cwd\`, \`agent_id\` and \`agent_type\` are passed on.
- An event that the system does not define is the error \`event-unknown\`.
- An action that the system cannot carry out at an event is an \`illegal-action\` there, before composition: a fault of the
  hook. \`continue\`, \`notify\` and \`set_state\` need no support from the system and are always legal. Actions that
  the table lists as ignored have no effect, as the system defines; the trace notes them.
- A stop that the system cannot express is the error \`dialect-unsupported\`, and never ignored. A host that gates something must
  treat any error as a refusal.
- If the table has no failure policy, the catalogue's default applies; the pack's own policy has precedence over both.
- If the arguments of a tool are a list, hooks see \`{ "args": […] }\`, and the host gets a list back.

${table(
  ["dialect", "system"],
  [...dialects].map(([name, { system }]) => [`[${code(name)}](#${name})`, system]),
)}

${[...dialects].map(([name, dialect]) => section(name, dialect)).join("\n\n")}
`;
}

function section(name: string, dialect: Dialect): string {
  const guide = guides[name];
  if (!guide) throw new Error(`the page has no guide for the dialect ${name}`);
  return `## ${name}

${dialect.system}.

${guide.notes.map((note) => `- ${note}`).join("\n")}

${table(
  ["event", "is", "carries", "ignores", "fails by default", "stops as"],
  [...dialect.rows].map(([event, row]) => [
    code(event),
    `[${row.event}](events.md#${row.event.toLowerCase()})`,
    codes(row.carries) || "nothing",
    ignored(row),
    policy(row),
    Object.entries(row.stops)
      .map(([verdict, form]) => `${code(verdict)}: ${form}`)
      .join("; "),
  ]),
)}

\`\`\`text
${guide.exchanges.map(exchange).join("\n\n")}
\`\`\``;
}

function ignored({ ignores = [], carries }: DialectRow): string {
  if (ignores.length === 0) return "";
  return carries.length === 0 && ignores.length > 5 ? "everything" : codes(ignores);
}

function policy({ onFailure, event }: DialectRow): string {
  const closedAs = eventRows.get(event)?.closedAs;
  if (closedAs === undefined || onFailure === "open") return "open";
  return onFailure === "closed" ? `closed, as ${code(closedAs)}` : `guards closed, as ${code(closedAs)}`;
}

function exchange([message, action, answer]: Guide["exchanges"][number]): string {
  return [
    `host  ${JSON.stringify(message)}`,
    `hook  ${JSON.stringify(action)}`,
    `back  ${JSON.stringify(answer)}`,
  ].join("\n");
}
