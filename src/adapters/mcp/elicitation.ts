import { ElicitRequestParamsSchema, ElicitResultSchema } from "@modelcontextprotocol/sdk/types.js";
import type { Decision } from "../../broker/decision.ts";
import type { SessionContext } from "./context.ts";
import type { Answer, Call, Outcome } from "./mediation.ts";
import {
  errorMessage,
  isObject,
  type JsonObject,
  type RawMessage,
  resultMessage,
  rpcCodes,
} from "./message.ts";
import { elicitationTool } from "./names.ts";
import { refusalOf } from "./refusal.ts";
import { asksForTask, taskIdOf } from "./tasks.ts";
import { stopSentence } from "./tool-call.ts";

/**
 * `elicitation/create`: a server asks the person for something. It is judged as a tool that the server uses: the
 * request is a PreToolUse of `mcp__<server>__elicitation/create`, and what the person has answered its PostToolUse. So
 * hooks can refuse it, change what is asked, and take out of the answer what the server must not have.
 */

interface ElicitationFacts {
  readonly input: JsonObject;
}

/** Decides whether a server may ask the person. */
export async function mediateElicitation(call: Call, session: SessionContext): Promise<Outcome> {
  const { params, message } = call;
  if (session.stopped !== null) return { answer: declined(call) };
  const { _meta: meta, task, ...input } = params;
  call.facts = { input } satisfies ElicitationFacts;
  const decision = await session.decide({
    hook_event_name: "PreToolUse",
    tool_name: session.hookName(elicitationTool),
    tool_input: input,
    tool_use_id: String(call.id),
  });
  // `ask` is what happens anyway: a person decides.
  if (!decision || !["continue", "allow", "ask"].includes(decision.verdict)) {
    return { answer: refusal(call, decision, session) };
  }
  if (!Object.hasOwn(decision.changes, "tool_input")) return { forward: message };
  const changed = decision.changes["tool_input"] as JsonObject;
  if (!ElicitRequestParamsSchema.safeParse(changed).success) {
    session.problem("what a hook has made of an elicitation is none, so it is declined");
    return { answer: declined(call) };
  }
  call.facts = { input: changed } satisfies ElicitationFacts;
  const kept = { ...(meta === undefined ? {} : { _meta: meta }), ...(task === undefined ? {} : { task }) };
  return { forward: { ...message, params: { ...changed, ...kept } } };
}

/** Decides what a server gets of a person's answer. */
export async function mediateElicitationAnswer(
  call: Call,
  answer: Answer,
  facts: unknown,
  session: SessionContext,
): Promise<RawMessage> {
  if (answer.kind === "error") return answer.message;
  const { result } = answer;
  if (asksForTask(call.params)) {
    const taskId = taskIdOf(result);
    if (taskId !== undefined && isObject(result) && result["content"] === undefined) {
      const problem = session.clientTasks.add(taskId, { method: call.method, facts });
      return problem === null
        ? answer.message
        : errorMessage(call.id, { code: rpcCodes.refused, message: problem });
    }
  }
  if (!isObject(result)) return declined(call);
  const decision = await session.decide({
    hook_event_name: "PostToolUse",
    tool_name: session.hookName(elicitationTool),
    tool_input: (facts as ElicitationFacts).input,
    tool_use_id: String(call.id),
    tool_response: result,
  });
  if (!decision || decision.verdict !== "continue") return refusal(call, decision, session);
  if (!Object.hasOwn(decision.changes, "tool_response")) return answer.message;
  const changed = decision.changes["tool_response"];
  if (!isObject(changed) || !ElicitResultSchema.safeParse(changed).success) {
    session.problem("what a hook has made of a person's answer is none, so it is declined");
    return declined(call);
  }
  return resultMessage(call.id, changed);
}

function refusal(call: Call, decision: Decision | null, session: SessionContext): RawMessage {
  if (decision?.verdict === "halt") session.stop(refusalOf(stopSentence, decision));
  if (decision)
    session.problem(`an elicitation was declined by ${decision.decided_by}: ${decision.reason ?? ""}`);
  return declined(call);
}

/** What a server gets where the person says no. For a task, whose creator expects a task, an error. */
function declined({ id, params, method }: Call): RawMessage {
  return asksForTask(params) && method === "elicitation/create"
    ? errorMessage(id, { code: rpcCodes.refused, message: "the request was declined" })
    : resultMessage(id, { action: "decline" });
}
