import { ElicitRequestParamsSchema, ElicitResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { quote } from "@hookwarden/sandbox/json";
import type { Decision } from "hookwarden/broker";
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
import { foldCase, memberProblem, twinKeys } from "./spelling.ts";
import { asksForTask, taskIdOf } from "./tasks.ts";
import { stopSentence } from "./tool-call.ts";

/**
 * `elicitation/create`: a server asks the person for something. It is judged as a tool that the server uses: the
 * request is a PreToolUse of `mcp__<server>__elicitation/create`, and what the person has answered its PostToolUse. So
 * hooks can refuse it, change what is asked, and take out of the answer what the server must not have.
 */

/** The error by which a server asks a person to open addresses, before it runs the tool. */
const urlElicitationRequired = -32042;
/** The member of that error's data, without its case. */
const listName = foldCase("elicitations");

/**
 * What a server asks the person in an error, judged as if it had asked by a request of its own.
 *
 * @returns the error as it came or with what hooks have changed, or `null` where they refuse it.
 */
export async function judgeElicitationError(
  error: JsonObject,
  useId: string,
  session: SessionContext,
): Promise<JsonObject | null> {
  const { code, data } = error;
  if (!isObject(data)) return error;
  // Readers that turn texts into numbers take "-32042" for the code, and some look at the data alone.
  const misspelt = Object.keys(data).some((key) => foldCase(key) === listName && key !== "elicitations");
  if (misspelt) return null;
  const { elicitations } = data;
  if (!Array.isArray(elicitations))
    return elicitations !== undefined && Number(code) === urlElicitationRequired ? null : error;
  let changed = false;
  const judged: JsonObject[] = [];
  for (const input of elicitations) {
    if (!isObject(input)) return null;
    const outcome = await judge(input, useId, session);
    if (outcome.kind === "refused") return null;
    changed ||= outcome.input !== input;
    judged.push(outcome.input);
  }
  return changed ? { ...error, data: { ...data, elicitations: judged } } : error;
}

type Judged =
  | { readonly kind: "goes"; readonly input: JsonObject }
  | { readonly kind: "refused"; readonly decision: Decision | null };

async function judge(input: JsonObject, useId: string, session: SessionContext): Promise<Judged> {
  const misspelt = memberProblem(input);
  const twins = twinKeys(input);
  if (misspelt !== null || twins !== null) {
    session.problem(
      `an elicitation was declined: ${misspelt ?? `it has two names that differ only in case, ${quote(twins?.[0] ?? "")} and ${quote(twins?.[1] ?? "")}`}`,
    );
    return { kind: "refused", decision: null };
  }
  const decision = await session.decide({
    hook_event_name: "PreToolUse",
    tool_name: session.hookName(elicitationTool),
    tool_input: input,
    tool_use_id: useId,
  });
  // `ask` is what happens anyway: a person decides.
  if (!decision || !["continue", "allow", "ask"].includes(decision.verdict)) {
    showNotices(decision, session);
    return { kind: "refused", decision };
  }
  if (!Object.hasOwn(decision.changes, "tool_input")) return { kind: "goes", input };
  const changed = decision.changes["tool_input"] as JsonObject;
  if (ElicitRequestParamsSchema.safeParse(changed).success) return { kind: "goes", input: changed };
  session.problem("what a hook has made of an elicitation is none, so it is declined");
  return { kind: "refused", decision: null };
}

/** The server does not learn the reason: it is no party to the policy. */
function showNotices(decision: Decision | null, session: SessionContext): void {
  if (!decision) return;
  if (decision.verdict === "halt") session.stop(refusalOf(stopSentence, decision));
  session.problem(`an elicitation was declined by ${decision.decided_by}: ${decision.reason ?? ""}`);
}

interface ElicitationFacts {
  readonly input: JsonObject;
}

/** Decides whether a server may ask the person. */
export async function mediateElicitation(call: Call, session: SessionContext): Promise<Outcome> {
  const { params, message } = call;
  if (session.stopped !== null) return { answer: declined(call) };
  const { _meta: meta, task, ...input } = params;
  const judged = await judge(input, String(call.id), session);
  if (judged.kind === "refused") return { answer: declined(call) };
  call.facts = { input: judged.input } satisfies ElicitationFacts;
  if (judged.input === input) return { forward: message };
  const kept = { ...(meta === undefined ? {} : { _meta: meta }), ...(task === undefined ? {} : { task }) };
  return { forward: { ...message, params: { ...judged.input, ...kept } } };
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
  if (!decision || decision.verdict !== "continue") {
    showNotices(decision, session);
    return declined(call);
  }
  if (!Object.hasOwn(decision.changes, "tool_response")) return answer.message;
  const changed = decision.changes["tool_response"];
  if (!isObject(changed) || !ElicitResultSchema.safeParse(changed).success) {
    session.problem("what a hook has made of a person's answer is none, so it is declined");
    return declined(call);
  }
  return resultMessage(call.id, changed);
}

/** What a server gets where the person says no. For a task, whose creator expects a task, an error. */
function declined({ id, params, method }: Call): RawMessage {
  return asksForTask(params) && method === "elicitation/create"
    ? errorMessage(id, { code: rpcCodes.refused, message: "the request was declined" })
    : resultMessage(id, { action: "decline" });
}
