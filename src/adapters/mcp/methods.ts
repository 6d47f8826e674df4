import { capabilitiesOf, type Side } from "./context.ts";
import { mediateElicitation, mediateElicitationAnswer } from "./elicitation.ts";
import type { Mediation } from "./mediation.ts";
import { mediateSampling, mediateSamplingAnswer } from "./sampling.ts";
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

const untouched = "passed on as it is";

/** Every request of the Model Context Protocol. What is not in it is passed on, or refused where that is asked for. */
export const methodTable: { readonly [method: string]: MethodRow } = {
  initialize: {
    client: {
      request(call, session) {
        session.clientCapabilities = capabilitiesOf(call.params);
        return { forward: call.message };
      },
    },
    says: untouched,
  },
  ping: { client: null, server: null, says: untouched },
  "tools/list": {
    client: { answer: mediateToolList },
    says: "filtered: tools that would be refused always are left out",
  },
  "tools/call": {
    client: { request: mediateToolCall, answer: mediateToolAnswer },
    says: "`PreToolUse`, then `PostToolUse` and `PostToolUseFailure`",
  },
  "tasks/get": { client: null, server: null, says: untouched },
  "tasks/list": { client: null, server: null, says: untouched },
  "tasks/cancel": { client: null, server: null, says: untouched },
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
  "resources/list": { client: null, says: untouched },
  "resources/templates/list": { client: null, says: untouched },
  "resources/read": { client: null, says: untouched },
  "resources/subscribe": { client: null, says: untouched },
  "resources/unsubscribe": { client: null, says: untouched },
  "prompts/list": { client: null, says: untouched },
  "prompts/get": { client: null, says: untouched },
  "completion/complete": { client: null, says: untouched },
  "logging/setLevel": { client: null, says: untouched },
  "roots/list": { server: null, says: untouched },
};

const rows: ReadonlyMap<string, MethodRow> = new Map(Object.entries(methodTable));

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
