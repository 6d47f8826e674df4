import { quote } from "@hookwarden/sandbox/json";
import {
  CancelledNotificationParamsSchema,
  CompleteResultSchema,
  GetPromptRequestParamsSchema,
  GetPromptResultSchema,
  GetTaskResultSchema,
  InitializeResultSchema,
  CancelTaskResultSchema,
  ListPromptsResultSchema,
  ListResourcesResultSchema,
  ListResourceTemplatesResultSchema,
  ListTasksResultSchema,
  ListToolsResultSchema,
  LoggingMessageNotificationParamsSchema,
  ProgressNotificationParamsSchema,
  ReadResourceRequestParamsSchema,
  ReadResourceResultSchema,
  TaskStatusNotificationParamsSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { capabilitiesOf, type Side } from "./context.ts";
import { mediateElicitation, mediateElicitationAnswer } from "./elicitation.ts";
import type { Answer, Mediation } from "./mediation.ts";
import { isObject, type JsonObject, type RawMessage } from "./message.ts";
import { mediateSampling, mediateSamplingAnswer } from "./sampling.ts";
import { bareTool } from "./bare-tool.ts";
import { judgedAnswer, judgedRequest, judgeServerAnswer, type Schema, type TextForm } from "./server-text.ts";
import { foldCase, memberProblem } from "./spelling.ts";
import { answerTaskResult, toolTaskResult } from "./task-result.ts";
import { mediateToolCall } from "./tool-call.ts";
import { mediateToolAnswer } from "./tool-result.ts";
import { mediateToolList } from "./tool-list.ts";

/** A request of the protocol, and what the proxy does with it. */
export interface MethodRow {
  /** Who may send it, with what is done beyond passing it on: `null` for nothing. Absent: it is refused. */
  readonly client?: Mediation | null;
  readonly server?: Mediation | null;
  /** For docs/mcp.md: what hooks see of it. */
  readonly says: string;
}

/** What a server says of itself: a session needs the rest. */
const greeting: TextForm = {
  schema: InitializeResultSchema,
  fromText: (instructions) => ({ instructions }),
  bare: ({ protocolVersion, capabilities, serverInfo }) => {
    const { name, version } = isObject(serverInfo) ? serverInfo : {};
    return { protocolVersion, capabilities, serverInfo: { name, version } };
  },
};

/** The words in a list of tools are for the model. Without them the tools are still there to be called. */
const toolList: TextForm = {
  schema: ListToolsResultSchema,
  bare: ({ tools, nextCursor }) => ({
    tools: Array.isArray(tools) ? tools.filter(isObject).map(bareTool) : [],
    ...(nextCursor === undefined ? {} : { nextCursor }),
  }),
};

/** Whether a result has a text that a server has written on a task. */
const hasStatus = (result: JsonObject): boolean =>
  result["statusMessage"] !== undefined || result["tasks"] !== undefined;

/** An answer without words of the server; errors are judged all the same. */
const silent = "passed on as it is: the answer has no text";
/** What goes the other way: to a server that has asked. */
const outward = "passed on as it is: what goes to a server reaches neither the model nor the person";
const asPost = "passed on; the answer is judged as `PostToolUse` of `mcp__<server>__<method>`";
const asTool = "`PreToolUse` and `PostToolUse` of `mcp__<server>__<method>`";

/** Every request of the Model Context Protocol. What is not in it is passed on, or refused where that is asked for. */
export const methodTable: { readonly [method: string]: MethodRow } = {
  initialize: {
    client: {
      request(call, session) {
        session.clientCapabilities = capabilitiesOf(call.params);
        return { forward: call.message };
      },
      answer: (call, answer, session) => judgeServerAnswer(call, answer, greeting, session),
    },
    says: "passed on; the answer is judged as `PostToolUse` of `mcp__<server>__initialize`, and loses `instructions` where they are withheld",
  },
  ping: { client: null, server: null, says: silent },
  "tools/list": {
    client: {
      async answer(call, answer, session) {
        const message = await mediateToolList(call, answer, session);
        return judgeServerAnswer(call, again(answer, message), toolList, session);
      },
    },
    says: "filtered: tools that would be refused always are left out; then `PostToolUse` of `mcp__<server>__tools/list`",
  },
  "tools/call": {
    client: { request: mediateToolCall, answer: mediateToolAnswer },
    says: "`PreToolUse`, then `PostToolUse` and `PostToolUseFailure`",
  },
  "tasks/get": {
    client: judgedAnswer({ schema: GetTaskResultSchema, speaks: hasStatus }),
    server: null,
    says: `${asPost}, where it has a status text`,
  },
  "tasks/list": {
    client: judgedAnswer({ schema: ListTasksResultSchema, speaks: hasStatus }),
    server: null,
    says: `${asPost}, where it has a status text`,
  },
  "tasks/cancel": {
    client: judgedAnswer({ schema: CancelTaskResultSchema, speaks: hasStatus }),
    server: null,
    says: `${asPost}, where it has a status text`,
  },
  "tasks/result": {
    client: toolTaskResult,
    server: answerTaskResult,
    says: "what comes is judged as that of the request that the task was made of; unknown tasks are refused",
  },
  "sampling/createMessage": {
    server: { request: mediateSampling, answer: mediateSamplingAnswer },
    says: "`PreModelRequest`, then `PostModelResponse` or `ModelRequestFailure`",
  },
  "elicitation/create": {
    server: {
      request: mediateElicitation,
      answer: (call, answer, session) => mediateElicitationAnswer(call, answer, call.facts, session),
    },
    says: "`PreToolUse` and `PostToolUse` of the tool `mcp__<server>__elicitation/create`",
  },
  "resources/list": { client: judgedAnswer({ schema: ListResourcesResultSchema }), says: asPost },
  "resources/templates/list": {
    client: judgedAnswer({ schema: ListResourceTemplatesResultSchema }),
    says: asPost,
  },
  "resources/read": {
    client: judgedRequest(ReadResourceRequestParamsSchema, {
      schema: ReadResourceResultSchema,
      fromText: (text, { uri }) => ({ contents: [{ uri, text }] }),
    }),
    says: asTool,
  },
  "resources/subscribe": { client: null, says: silent },
  "resources/unsubscribe": { client: null, says: silent },
  "prompts/list": { client: judgedAnswer({ schema: ListPromptsResultSchema }), says: asPost },
  "prompts/get": {
    client: judgedRequest(GetPromptRequestParamsSchema, {
      schema: GetPromptResultSchema,
      fromText: (text) => ({ messages: [{ role: "user", content: { type: "text", text } }] }),
    }),
    says: asTool,
  },
  "completion/complete": { client: judgedAnswer({ schema: CompleteResultSchema }), says: asPost },
  "logging/setLevel": { client: null, says: silent },
  "roots/list": { server: null, says: outward },
};

/** An answer with another message in the place of its own. */
function again(answer: Answer, message: RawMessage): Answer {
  return answer.kind === "error" ? answer : { kind: "result", message, result: message["result"] };
}

/** A notification of the protocol, and what the proxy does with it. */
export interface NotificationRow {
  /** Who may send it. */
  readonly from: readonly Side[];
  /** What of a server's notification is judged; `null` where it has no text for the model or the person. */
  readonly judged: { readonly schema: Schema; readonly text: string } | null;
  /** For docs/mcp.md. */
  readonly says: string;
}

const wordless = "passed on as it is: it has no text";
const asNotice = "from a server: `PostToolUse` of `mcp__<server>__<method>`";

/** Every notification of the Model Context Protocol. What a client sends passes: its server is no person. */
export const notificationTable: { readonly [method: string]: NotificationRow } = {
  "notifications/cancelled": {
    from: ["client", "server"],
    judged: { schema: CancelledNotificationParamsSchema, text: "reason" },
    says: `${asNotice}, where it has a \`reason\``,
  },
  "notifications/initialized": { from: ["client"], judged: null, says: wordless },
  "notifications/progress": {
    from: ["client", "server"],
    judged: { schema: ProgressNotificationParamsSchema, text: "message" },
    says: `${asNotice}, where it has a \`message\``,
  },
  "notifications/message": {
    from: ["server"],
    judged: { schema: LoggingMessageNotificationParamsSchema, text: "data" },
    says: `${asNotice}, where it has \`data\``,
  },
  "notifications/tasks/status": {
    from: ["client", "server"],
    judged: { schema: TaskStatusNotificationParamsSchema, text: "statusMessage" },
    says: `${asNotice}, where it has a \`statusMessage\``,
  },
  "notifications/resources/updated": {
    from: ["server"],
    judged: null,
    says: "passed on as it is: it names a resource that the client has subscribed to",
  },
  "notifications/resources/list_changed": { from: ["server"], judged: null, says: wordless },
  "notifications/prompts/list_changed": { from: ["server"], judged: null, says: wordless },
  "notifications/tools/list_changed": { from: ["server"], judged: null, says: wordless },
  "notifications/roots/list_changed": { from: ["client"], judged: null, says: wordless },
  "notifications/elicitation/complete": {
    from: ["server"],
    judged: null,
    says: "passed on as it is: it names an elicitation that was judged",
  },
};

const rows: ReadonlyMap<string, MethodRow> = new Map(Object.entries(methodTable));
const notifications: ReadonlyMap<string, NotificationRow> = new Map(Object.entries(notificationTable));
const methods: ReadonlyMap<string, string> = new Map(
  [...rows.keys(), ...notifications.keys()].map((method) => [foldCase(method), method]),
);

/** Whether the protocol has a method. */
export function isKnownMethod(method: string): boolean {
  return rows.has(method) || notifications.has(method);
}

/** Why a message is refused that has a name of the protocol in another case; `null` where none has. */
export function misspelling(method: string, params: unknown): string | null {
  if (isKnownMethod(method)) return memberProblem(params);
  const meant = methods.get(foldCase(method));
  return meant === undefined ? null : `the method ${quote(method)} differs from ${quote(meant)} only in case`;
}

/** What a server's notification is judged by; `null` where it passes as it is. */
export function judgedNotification(method: string, params: unknown): TextForm | null {
  const judged = notifications.get(method)?.judged;
  if (!judged || !isObject(params) || params[judged.text] === undefined) return null;
  return { schema: judged.schema, fromText: (text) => ({ [judged.text]: text }) };
}

/**
 * What is done with a request.
 *
 * @returns `unknown` for a method that the protocol does not have, `wrong-side` for one that the other side sends.
 */
export function mediationOf(method: string, from: Side): Mediation | null | "unknown" | "wrong-side" {
  const row = rows.get(method);
  if (!row) return "unknown";
  const mediation = row[from];
  return mediation === undefined ? "wrong-side" : mediation;
}
