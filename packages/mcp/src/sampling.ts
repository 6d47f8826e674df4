import {
  CreateMessageRequestParamsSchema,
  CreateMessageResultWithToolsSchema,
} from "@modelcontextprotocol/sdk/types.js";
import type { Decision } from "hookwarden/broker";
import { listens, type SessionContext } from "./context.ts";
import type { Answer, Call, Outcome } from "./mediation.ts";
import {
  errorMessage,
  isObject,
  type JsonObject,
  type RawMessage,
  type RequestId,
  resultMessage,
  rpcCodes,
} from "./message.ts";
import { fenced, refusalOf } from "./refusal.ts";
import { asksForTask, taskIdOf } from "./tasks.ts";
import { stopSentence } from "./tool-call.ts";

/**
 * `sampling/createMessage`: a server asks the client's model. The request is a PreModelRequest, and what the model has
 * answered is a PostModelResponse. A refused server does not learn the reason: it is no party to the policy.
 */
const refused = { code: -1, message: "the request was refused" };

/** Fields of the request that hooks see under names of their own. */
const ownFields = new Set(["messages", "systemPrompt", "_meta", "task"]);

/** Decides whether, and with which messages, a server may ask the model. */
export async function mediateSampling(call: Call, session: SessionContext): Promise<Outcome> {
  const { id, params, message } = call;
  if (session.stopped !== null) return { answer: errorMessage(id, refused) };
  const { messages, systemPrompt: system } = params;
  if (!Array.isArray(messages) || !messages.every(isObject)) {
    return {
      answer: errorMessage(id, {
        code: rpcCodes.invalidParams,
        message: "`messages` must be a list of messages",
      }),
    };
  }
  const settings = Object.fromEntries(Object.entries(params).filter(([field]) => !ownFields.has(field)));
  const decision = await session.decide({
    hook_event_name: "PreModelRequest",
    model: modelName(session),
    messages,
    ...(system === undefined ? {} : { system }),
    params: settings,
  });
  if (!decision) return { answer: errorMessage(id, refused) };
  if (decision.verdict !== "continue" && decision.verdict !== "allow")
    return { answer: refusal(id, decision, session) };
  const rewritten = rewrite(params, decision);
  if (rewritten === params) return { forward: message };
  if (!CreateMessageRequestParamsSchema.safeParse(rewritten).success) {
    session.problem("what a hook has made of a sampling request is none, so it is refused");
    return { answer: errorMessage(id, refused) };
  }
  return { forward: { ...message, params: rewritten } };
}

/** Decides what a server gets of what the model has answered. */
export async function mediateSamplingAnswer(
  call: Call,
  answer: Answer,
  session: SessionContext,
): Promise<RawMessage> {
  if (answer.kind === "error") {
    if (listens(session.options.warden, "ModelRequestFailure")) {
      const error = isObject(answer.error) ? answer.error : String(answer.error);
      await session.decide({ hook_event_name: "ModelRequestFailure", model: modelName(session), error });
    }
    return answer.message;
  }
  const { result } = answer;
  if (asksForTask(call.params)) {
    const taskId = taskIdOf(result);
    if (taskId !== undefined && isObject(result) && result["content"] === undefined) {
      const problem = session.clientTasks.add(taskId, { method: call.method, facts: undefined });
      return problem === null
        ? answer.message
        : errorMessage(call.id, { code: rpcCodes.refused, message: problem });
    }
  }
  if (!isObject(result)) return errorMessage(call.id, refused);
  const { role, content, model, _meta: meta } = result;
  const decision = await session.decide({
    hook_event_name: "PostModelResponse",
    model: modelName(session),
    message: { role, content, ...(model === undefined ? {} : { model }) },
    duration_ms: Math.max(0, Math.round(performance.now() - call.startedAt)),
  });
  if (!decision) return errorMessage(call.id, refused);
  if (decision.verdict !== "continue") return refusal(call.id, decision, session);
  if (!Object.hasOwn(decision.changes, "message")) return answer.message;
  const changed = decision.changes["message"];
  const rewritten: JsonObject = {
    ...result,
    ...(isObject(changed) ? changed : { content: { type: "text", text: String(changed) } }),
    ...(meta === undefined ? {} : { _meta: meta }),
  };
  if (!CreateMessageResultWithToolsSchema.safeParse(rewritten).success) {
    session.problem("what a hook has made of a model's answer is none, so it is kept back");
    return errorMessage(call.id, refused);
  }
  return resultMessage(call.id, rewritten);
}

/** What matchers are held against. Not the model's name: that is the client's to choose, and hints are the server's. */
function modelName({ options }: SessionContext): string {
  return `mcp__${options.name}__sampling`;
}

function refusal(id: RequestId, decision: Decision, session: SessionContext): RawMessage {
  if (decision.verdict === "halt") session.stop(refusalOf(stopSentence, decision));
  session.problem(
    `sampling was refused by ${decision.decided_by}: ${decision.reason ?? decision.feedback ?? ""}`,
  );
  return errorMessage(id, refused);
}

/** The parameters with what hooks have changed and added; the same object where they have not. */
function rewrite(params: JsonObject, { changes, additions }: Decision): JsonObject {
  const has = (field: string): boolean => Object.hasOwn(changes, field);
  const asUser = [...additions.context, ...additions.messages.filter(({ role }) => role === "user")];
  const asSystem = additions.messages.filter(({ role }) => role === "system");
  if (!has("messages") && !has("system") && !has("params") && asUser.length + asSystem.length === 0)
    return params;
  const { messages, systemPrompt, _meta: meta, task } = params;
  const settings = has("params") ? (changes["params"] as JsonObject) : params;
  const conversation = (has("messages") ? changes["messages"] : messages) as readonly JsonObject[];
  const system = has("system") ? changes["system"] : systemPrompt;
  const prompt = asSystem.length === 0 ? system : [system, fenced(asSystem)].filter(Boolean).join("\n");
  const added =
    asUser.length === 0 ? [] : [{ role: "user", content: { type: "text", text: fenced(asUser) } }];
  return {
    ...Object.fromEntries(Object.entries(settings).filter(([field]) => !ownFields.has(field))),
    messages: [...conversation.map(asSamplingMessage), ...added],
    ...(prompt === undefined ? {} : { systemPrompt: prompt }),
    ...(meta === undefined ? {} : { _meta: meta }),
    ...(task === undefined ? {} : { task }),
  };
}

/** Hooks may write a message's content as a text, as most model interfaces have it. */
function asSamplingMessage(message: JsonObject): JsonObject {
  const { content } = message;
  return typeof content === "string" ? { ...message, content: { type: "text", text: content } } : message;
}
