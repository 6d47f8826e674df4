import { canApprove, isApproved } from "./approval.ts";
import { listens, type SessionContext } from "./context.ts";
import type { Answer, Call, Mediation, Outcome } from "./mediation.ts";
import {
  errorMessage,
  isObject,
  type JsonObject,
  type RawMessage,
  resultMessage,
  rpcCodes,
} from "./message.ts";
import { refusal, refusalOf } from "./refusal.ts";
import { twinKeys } from "./spelling.ts";
import { stopSentence, type ToolCallFacts } from "./tool-call.ts";
import { mediateError } from "./tool-result.ts";

/**
 * What a server says beside the results of its tools: resources, prompts, lists, suggestions, log messages. Each method
 * is judged as if it were a tool of the server, `mcp__<server>__<method>`: what the client asks for is a PreToolUse, what
 * comes back a PostToolUse, and an error a PostToolUseFailure.
 */

/** A schema of the protocol. */
export interface Schema {
  safeParse(value: unknown): { readonly success: boolean };
}

/** What a result is judged by, and what becomes of it. */
export interface TextForm {
  /** What a client takes. */
  readonly schema: Schema;
  /** Whether there is anything to judge. Default: always. */
  readonly speaks?: (result: JsonObject) => boolean;
  /** What a text becomes that a hook puts in the place of all. Default: no message, so that it is withheld. */
  readonly fromText?: (text: string, input: JsonObject) => JsonObject;
  /** What is left where the text is withheld. Default: an error with the reason. */
  readonly bare?: (result: JsonObject) => JsonObject;
}

const unjudged = "the request was refused, because no decision could be made";
const refusedRequest = "the request was refused";
const withheld = "what the server has sent is withheld";

/** A request that is judged before the server gets it, and whose answer is judged. */
export function judgedRequest(params: Schema, form: TextForm): Mediation {
  return {
    request: (call, session) => mediateRequest(call, session, params),
    answer: (call, answer, session) => judgeServerAnswer(call, answer, form, session),
  };
}

/** A request that passes, and whose answer is judged. */
export function judgedAnswer(form: TextForm): Mediation {
  return { answer: (call, answer, session) => judgeServerAnswer(call, answer, form, session) };
}

async function mediateRequest(call: Call, session: SessionContext, schema: Schema): Promise<Outcome> {
  const { id, method, message } = call;
  const refuse = (text: string): Outcome => ({
    answer: errorMessage(id, { code: rpcCodes.refused, message: text }),
  });
  if (session.stopped !== null) return refuse(session.stopped);
  const input = inputOf(call);
  const twins = twinKeys(input);
  if (twins !== null) {
    const [one, other] = twins;
    const why = `the names \`${one}\` and \`${other}\` differ only in case`;
    return { answer: errorMessage(id, { code: rpcCodes.invalidParams, message: why }) };
  }
  const name = session.hookName(method);
  const decision = await session.decide({
    hook_event_name: "PreToolUse",
    tool_name: name,
    tool_input: input,
    tool_use_id: String(id),
  });
  if (!decision) return refuse(refusal(unjudged));
  if (decision.verdict === "halt") session.stop(refusalOf(stopSentence, decision));
  const asks = decision.verdict === "ask" && canApprove(session);
  if (!asks && decision.verdict !== "continue" && decision.verdict !== "allow")
    return refuse(refusalOf(refusedRequest, decision));
  const changed = Object.hasOwn(decision.changes, "tool_input");
  const settled = changed ? (decision.changes["tool_input"] as JsonObject) : input;
  const forward = (): Outcome => {
    call.facts = { ...factsOf(call, session), input: settled };
    if (!changed) return { forward: message };
    const { _meta: meta } = call.params;
    const params = { ...settled, ...(meta === undefined ? {} : { _meta: meta }) };
    if (schema.safeParse(params).success) return { forward: { ...message, params } };
    session.problem(`what a hook has made of ${name} is no such request, so it is refused`);
    return refuse(refusal(unjudged));
  };
  if (!asks) return forward();
  const question = {
    tool: name,
    input: settled,
    reason: decision.reason ?? "",
    hook: decision.decided_by ?? "",
  };
  const later = isApproved(question, call, session).then((approved): Outcome => {
    if (session.stopped !== null) return refuse(session.stopped);
    return approved ? forward() : refuse(refusalOf(refusedRequest, decision));
  });
  return { later };
}

/** Decides what a client gets of what a server has answered. */
export async function judgeServerAnswer(
  call: Call,
  answer: Answer,
  form: TextForm,
  session: SessionContext,
): Promise<RawMessage> {
  if (answer.kind === "error") return judgeServerError(call, answer, session);
  const { result } = answer;
  if (!isObject(result)) {
    const message = "the server's answer is no result of the protocol";
    return errorMessage(call.id, { code: rpcCodes.refused, message });
  }
  if (form.speaks && !form.speaks(result)) return answer.message;
  const judged = await judgeText(factsOf(call, session), result, form, session);
  if (judged === result) return answer.message;
  if (typeof judged !== "string") return resultMessage(call.id, judged);
  session.problem(`the answer to ${call.method} was withheld: ${judged}`);
  return form.bare && session.stopped === null
    ? resultMessage(call.id, form.bare(result))
    : errorMessage(call.id, { code: rpcCodes.refused, message: judged });
}

/** Decides what a client gets of an error by which a server answers any request. */
export function judgeServerError(
  call: Call,
  answer: Answer & { readonly kind: "error" },
  session: SessionContext,
): Promise<RawMessage> {
  return mediateError(call, answer, factsOf(call, session), session);
}

/**
 * Decides what a client gets of a notification.
 *
 * @returns the message as it came or as hooks have left it; `null` where it is dropped.
 */
export async function judgeNotification(
  method: string,
  message: RawMessage,
  form: TextForm,
  session: SessionContext,
): Promise<RawMessage | null> {
  const params = message["params"] as JsonObject;
  const judged = await judgeText({ name: session.hookName(method), input: {} }, params, form, session);
  if (typeof judged === "string") {
    session.problem(`${method} of the server was dropped: ${judged}`);
    return null;
  }
  return judged === params ? message : { ...message, params: judged };
}

/** @returns the text as it came, as hooks have left it, or in words why it is withheld. */
async function judgeText(
  { name, input, useId, startedAt }: Pick<ToolCallFacts, "name" | "input"> & Partial<ToolCallFacts>,
  response: JsonObject,
  { schema, fromText }: TextForm,
  session: SessionContext,
): Promise<JsonObject | string> {
  if (!listens(session.options.warden, "PostToolUse")) return response;
  const decision = await session.decide({
    hook_event_name: "PostToolUse",
    tool_name: name,
    tool_input: input,
    ...(useId === undefined ? {} : { tool_use_id: useId }),
    tool_response: response,
    ...(startedAt === undefined
      ? {}
      : { duration_ms: Math.max(0, Math.round(performance.now() - startedAt)) }),
  });
  if (!decision) return refusal(`${withheld}, because no decision could be made`);
  const { verdict, changes, additions } = decision;
  if (verdict === "halt") {
    const text = refusalOf(stopSentence, decision);
    session.stop(text);
    return text;
  }
  if (verdict === "block") return refusalOf(withheld, decision);
  if ((additions.augment?.parts.length ?? 0) + additions.messages.length > 0)
    session.problem(`what hooks add to ${name} has no place in it, and is left out`);
  if (changes["is_error"] === true) return refusal(withheld);
  if (!Object.hasOwn(changes, "tool_response")) return response;
  const given = changes["tool_response"];
  const changed = typeof given === "string" && fromText ? { ...response, ...fromText(given, input) } : given;
  if (isObject(changed) && schema.safeParse(changed).success) return changed;
  session.problem(`what a hook has made of ${name} is no such message, so it is withheld`);
  return refusal(`${withheld}, because what a hook has made of it cannot be sent`);
}

function inputOf({ params }: Call): JsonObject {
  const { _meta: _, ...input } = params;
  return input;
}

function factsOf(call: Call, session: SessionContext): ToolCallFacts {
  if (call.facts !== undefined) return call.facts as ToolCallFacts;
  return {
    tool: call.method,
    name: session.hookName(call.method),
    input: inputOf(call),
    originalInput: undefined,
    useId: String(call.id),
    added: [],
    startedAt: call.startedAt,
  };
}
