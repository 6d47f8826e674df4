import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js";
import type { AttributedText, Decision } from "hookwarden/broker";
import type { SessionContext } from "./context.ts";
import type { Answer, Call } from "./mediation.ts";
import {
  errorMessage,
  isObject,
  type JsonObject,
  type RawMessage,
  resultMessage,
  rpcCodes,
} from "./message.ts";
import { judgeElicitationError } from "./elicitation.ts";
import { failedResult, fenced, refusal, refusalOf } from "./refusal.ts";
import { asksForTask, relatedTaskKey, taskIdOf } from "./tasks.ts";
import { stopSentence, type ToolCallFacts } from "./tool-call.ts";

const withheld = refusal("the tool has run, and its result is withheld, because no decision could be made");
const blocked = "the tool has run, and its result is withheld";

/** Decides what a client gets as the answer to `tools/call`. */
export async function mediateToolAnswer(
  call: Call,
  answer: Answer,
  session: SessionContext,
): Promise<RawMessage> {
  const facts = call.facts as ToolCallFacts;
  const asked = asksForTask(call.params);
  const taskId = asked && answer.kind === "result" ? taskIdOf(answer.result) : undefined;
  if (taskId === undefined) return mediateAnswer(call, answer, facts, session);
  const problem = session.serverTasks.add(taskId, { method: call.method, facts });
  if (problem !== null) {
    session.problem(`the server's answer to ${facts.name} is refused: ${problem}`);
    return errorMessage(call.id, {
      code: rpcCodes.refused,
      message: `the server's answer was refused: ${problem}`,
    });
  }
  return mediateTaskStart(call, answer, facts, session);
}

/** The text that a server may send with a new task, for the model to read at once. */
const immediateKey = "io.modelcontextprotocol/model-immediate-response";

/** A new task is no result yet, but for what of it is meant for the model, or would be a result in other eyes. */
async function mediateTaskStart(
  call: Call,
  { message, result }: Answer & { readonly result?: unknown },
  facts: ToolCallFacts,
  session: SessionContext,
): Promise<RawMessage> {
  const { task, _meta: meta, ...others } = result as JsonObject;
  const immediate = isObject(meta) ? meta[immediateKey] : undefined;
  const odd = ["content", "structuredContent", "toolResult"].some((field) => others[field] !== undefined);
  if (immediate === undefined && !odd) return message;
  const content = [
    { type: "text", text: typeof immediate === "string" ? immediate : JSON.stringify(immediate ?? null) },
  ];
  const judged = await judgeResult(immediate === undefined ? {} : { content }, facts, session);
  const rest = Object.fromEntries(
    Object.entries(isObject(meta) ? meta : {}).filter(([key]) => key !== immediateKey),
  );
  const text = immediate === undefined ? undefined : textOf(judged);
  const kept = text === undefined ? rest : { ...rest, [immediateKey]: text };
  return resultMessage(call.id, { task, ...(Object.keys(kept).length > 0 ? { _meta: kept } : {}) });
}

/** Decides what a client gets of a tool's result or error, whether the call itself or `tasks/result` brought it. */
export async function mediateAnswer(
  call: Call,
  answer: Answer,
  facts: ToolCallFacts,
  session: SessionContext,
): Promise<RawMessage> {
  if (answer.kind === "error") return mediateError(call, answer, facts, session);
  if (!isObject(answer.result))
    return resultMessage(call.id, failedResult(refusal("the server's answer is no tool result")));
  const judged = await judgeResult(answer.result, facts, session);
  return judged === answer.result ? answer.message : resultMessage(call.id, judged);
}

/** What is left of a result after the hooks: the same object where they leave it alone. */
async function judgeResult(
  result: JsonObject,
  facts: ToolCallFacts,
  session: SessionContext,
): Promise<JsonObject> {
  const failed = result["isError"] === true;
  const decision = await session.decide({
    hook_event_name: "PostToolUse",
    ...aboutCall(facts),
    ...(facts.originalInput === undefined ? {} : { original_tool_input: facts.originalInput }),
    tool_response: result,
    ...(failed ? { is_error: true } : {}),
  });
  if (!decision) return failedResult(withheld);
  if (decision.verdict === "halt") return halted(decision, session);
  if (decision.verdict === "block") return failedResult(refusalOf(blocked, decision));
  const { changes, additions } = decision;
  let judged = result;
  if (Object.hasOwn(changes, "tool_response") || Object.hasOwn(changes, "is_error")) {
    judged = replaced(result, changes, facts, session);
  }
  const added: AttributedText[] = [
    ...facts.added,
    ...(additions.augment?.parts ?? []),
    ...additions.messages,
  ];
  if (failed) {
    // That a tool says it has failed is for its server to say. So it is judged as what a tool has returned first, and as
    // a failure then: a server cannot choose which hooks see what it sends.
    const failure = await judgeFailure(errorOf(judged), facts, session);
    if ("stopped" in failure) return failure.stopped;
    if (failure.error !== undefined) judged = failureResult(failure.error, result);
    added.push(...failure.added);
  }
  if (added.length === 0) return judged;
  const content = Array.isArray(judged["content"]) ? (judged["content"] as unknown[]) : [];
  return { ...judged, content: [...content, { type: "text", text: fenced(added) }] };
}

/** Decides what a client gets of an error: the elicitations in it, then its words. */
export async function mediateError(
  call: Call,
  answer: Answer & { readonly kind: "error" },
  facts: ToolCallFacts,
  session: SessionContext,
): Promise<RawMessage> {
  const { error } = answer;
  const plain = isObject(error) && typeof error["message"] === "string" ? error : null;
  const code = Number.isInteger(plain?.["code"]) ? (plain?.["code"] as number) : rpcCodes.internal;
  if (!plain) return errorMessage(call.id, { code, message: "the server's error is no error of JSON-RPC" });
  const asking = await judgeElicitationError(plain, facts.useId, session);
  if (!asking) {
    const message = refusal("the server wants something of the person, and was refused");
    return errorMessage(call.id, { code: rpcCodes.refused, message });
  }
  const failure = await judgeFailure(asking, facts, session);
  if ("stopped" in failure) return errorMessage(call.id, { code, message: textOf(failure.stopped) });
  const added = [...facts.added, ...failure.added];
  if (failure.error === undefined && added.length === 0 && asking === plain) return answer.message;
  const { message, data } = errorParts(failure.error ?? asking);
  const text = added.length === 0 ? message : `${message}\n${fenced(added)}`;
  return errorMessage(call.id, { code, message: text, ...(data === undefined ? {} : { data }) });
}

type Failure =
  | { readonly stopped: JsonObject }
  /** `error`: what hooks have put in its place; `undefined` where they leave it. */
  | { readonly error: unknown; readonly added: readonly AttributedText[] };

async function judgeFailure(error: unknown, facts: ToolCallFacts, session: SessionContext): Promise<Failure> {
  const decision = await session.decide({
    hook_event_name: "PostToolUseFailure",
    ...aboutCall(facts),
    error,
  });
  if (!decision || redactorFailed(decision, session)) return { stopped: failedResult(withheld) };
  if (decision.verdict === "halt") return { stopped: halted(decision, session) };
  const { changes, additions } = decision;
  return {
    error: Object.hasOwn(changes, "error") ? changes["error"] : undefined,
    added: [...(additions.augment?.parts ?? []), ...additions.context, ...additions.messages],
  };
}

/**
 * Whether a hook failed that may rewrite errors. The catalogue knows no verdict that closes this event, but what the
 * hook would have taken out must not pass because it fell over it.
 */
function redactorFailed({ trace }: Decision, { options }: SessionContext): boolean {
  const failed = new Set(trace.filter(({ outcome }) => outcome === "faulted").map(({ hook }) => hook));
  if (failed.size === 0) return false;
  const { hooks, monitor } = options.warden.pack;
  return hooks.some(
    ({ name, granted, mode, onFailure }) =>
      failed.has(name) &&
      granted.has("replace_error") &&
      mode !== "monitor" &&
      !monitor &&
      !(onFailure.get("PostToolUse") === "open"),
  );
}

function halted(decision: Decision, session: SessionContext): JsonObject {
  const text = refusalOf(stopSentence, decision);
  session.stop(text);
  return failedResult(text);
}

function aboutCall({ name, input, useId, startedAt }: ToolCallFacts): { readonly [field: string]: unknown } {
  return {
    tool_name: name,
    tool_input: input,
    tool_use_id: useId,
    duration_ms: Math.max(0, Math.round(performance.now() - startedAt)),
  };
}

/** A hook's result in the form of a tool result, held to what the tool promises. */
function replaced(
  original: JsonObject,
  changes: Decision["changes"],
  { tool, name }: ToolCallFacts,
  session: SessionContext,
): JsonObject {
  const value = Object.hasOwn(changes, "tool_response") ? asResult(changes["tool_response"]) : original;
  if (!CallToolResultSchema.safeParse(value).success) {
    session.problem(`a hook's result for ${name} is no tool result, so the result is kept back`);
    return failedResult(withheld);
  }
  const failed = Object.hasOwn(changes, "is_error")
    ? changes["is_error"] === true
    : value["isError"] === true;
  const { isError: _, ...rest } = value;
  const result: JsonObject = { ...rest, ...taskMeta(original, rest), ...(failed ? { isError: true } : {}) };
  if (failed) return result;
  const problem = session.tools.outputProblem(tool, result["structuredContent"]);
  if (problem === null) return result;
  // A client takes a failure without structured content, but no success that breaks the tool's promise.
  session.problem(
    `a hook's result for ${name} does not keep the tool's output schema, so it goes on as a failure: ${problem}`,
  );
  const { structuredContent: __, ...unstructured } = result;
  return { ...unstructured, isError: true };
}

/** `tasks/result` says to which task a result belongs, whatever hooks make of the result. */
function taskMeta(original: JsonObject, result: JsonObject): JsonObject {
  const meta = original["_meta"];
  if (!isObject(meta) || meta[relatedTaskKey] === undefined) return {};
  const own = isObject(result["_meta"]) ? result["_meta"] : {};
  return { _meta: { ...own, [relatedTaskKey]: meta[relatedTaskKey] } };
}

/** A result stays one, a list of content is content, and everything else is a text. */
function asResult(value: unknown): JsonObject {
  if (isObject(value) && Array.isArray(value["content"])) return value;
  if (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((block) => isObject(block) && typeof block["type"] === "string")
  ) {
    return { content: value };
  }
  return { content: [{ type: "text", text: typeof value === "string" ? value : JSON.stringify(value) }] };
}

/** A failed result as an error for hooks: its text, or where it is more than text, the result. */
function errorOf(result: JsonObject): unknown {
  const { content, structuredContent } = result;
  const texts =
    Array.isArray(content) && structuredContent === undefined ? content.map(textBlock) : [undefined];
  return texts.every((text) => text !== undefined) ? texts.join("\n") : result;
}

function failureResult(error: unknown, original: JsonObject): JsonObject {
  const result = asResult(error);
  const sound = CallToolResultSchema.safeParse(result).success ? result : asResult(JSON.stringify(error));
  return { ...sound, ...taskMeta(original, sound), isError: true };
}

function errorParts(error: unknown): { message: string; data: unknown } {
  if (!isObject(error)) return { message: String(error), data: undefined };
  const { message, data } = error;
  return { message: typeof message === "string" ? message : JSON.stringify(error), data };
}

function textBlock(block: unknown): string | undefined {
  return isObject(block) && block["type"] === "text" && typeof block["text"] === "string"
    ? block["text"]
    : undefined;
}

function textOf({ content }: JsonObject): string {
  return Array.isArray(content)
    ? content
        .map(textBlock)
        .filter((text) => text !== undefined)
        .join("\n")
    : "";
}
