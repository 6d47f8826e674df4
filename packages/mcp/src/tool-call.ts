import { quote } from "@hookwarden/sandbox/json";
import type { AttributedText, Decision } from "hookwarden/broker";
import { canApprove, isApproved } from "./approval.ts";
import { listens, type SessionContext } from "./context.ts";
import type { Call, Outcome } from "./mediation.ts";
import { errorMessage, isObject, type JsonObject, losesNumbers, originalText, rpcCodes } from "./message.ts";
import { isPlainToolName } from "./names.ts";
import { refusal, refusalOf, refusedCall } from "./refusal.ts";
import { twinKeys } from "./spelling.ts";
import { asksForTask } from "./tasks.ts";

/** What is remembered of a tool call until its result comes. */
export interface ToolCallFacts {
  /** As the server names it. */
  readonly tool: string;
  /** As hooks see it. */
  readonly name: string;
  readonly input: JsonObject;
  /** Where a hook has rewritten it: what the client sent. */
  readonly originalInput: JsonObject | undefined;
  readonly useId: string;
  /** What hooks added before the call, for the model. */
  readonly added: readonly AttributedText[];
  readonly startedAt: number;
}

const unjudged = refusal("the call was refused and did not run, because no decision could be made");

/** Decides a tool call before the server sees it. */
export async function mediateToolCall(call: Call, session: SessionContext): Promise<Outcome> {
  const { id, params, message } = call;
  const { name: tool, arguments: given = {} } = params;
  if (typeof tool !== "string" || !isObject(given)) {
    const error = {
      code: rpcCodes.invalidParams,
      message: "`name` must be a string, and `arguments` an object",
    };
    return { answer: errorMessage(id, error) };
  }
  const refuse = (text: string): Outcome => ({ answer: refusedCall(id, asksForTask(params), text) });
  if (session.stopped !== null) return refuse(session.stopped);
  if (!isPlainToolName(tool)) {
    return refuse(
      refusal("the call did not run: its tool's name has characters that names of tools do not have"),
    );
  }
  if (losesNumbers(originalText(message) ?? "")) {
    return refuse(
      refusal(
        "the call did not run: a number in it has too many digits to be judged exactly; send it as a string, if the tool takes one",
      ),
    );
  }
  const twins = twinKeys(given);
  if (twins !== null) {
    return refuse(
      refusal(
        `the call did not run: two names in its arguments differ only in case, ${quote(twins[0])} and ${quote(twins[1])}; send one of them`,
      ),
    );
  }
  const name = session.hookName(tool);
  const useId = String(id);
  const decision = await session.decide({
    hook_event_name: "PreToolUse",
    tool_name: name,
    tool_input: given,
    tool_use_id: useId,
  });
  if (!decision) return refuse(unjudged);
  const about = { call, session, tool, name, given, useId };
  switch (decision.verdict) {
    case "continue":
    case "allow":
      return settle(about, decision);
    case "ask":
      return canApprove(session) ? { later: ask(about, decision) } : unaskable(about, decision);
    case "halt":
      return halted(about, decision);
    default:
      return denied(about, decision);
  }
}

interface About {
  readonly call: Call;
  readonly session: SessionContext;
  readonly tool: string;
  readonly name: string;
  readonly given: JsonObject;
  readonly useId: string;
}

/** The call goes on, with the input that hooks have left it, if that is one that the tool takes. */
async function settle(about: About, { changes, additions }: Decision): Promise<Outcome> {
  const { call, session, tool, name, given, useId } = about;
  const rewritten = Object.hasOwn(changes, "tool_input");
  const input = rewritten ? (changes["tool_input"] as JsonObject) : given;
  if (rewritten) {
    const problem = await session.tools.inputProblem(tool, input);
    if (problem !== null) {
      session.problem(`a hook's input for ${name} is refused: ${problem}`);
      return answerWith(
        about,
        refusal("the call did not run: a hook has changed its input to one that the tool does not take"),
      );
    }
  }
  const facts: ToolCallFacts = {
    tool,
    name,
    input,
    originalInput: rewritten ? given : undefined,
    useId,
    added: [...additions.context, ...additions.messages],
    startedAt: call.startedAt,
  };
  call.facts = facts;
  if (!rewritten) return { forward: call.message };
  return { forward: { ...call.message, params: { ...call.params, arguments: input } } };
}

async function ask(about: About, decision: Decision): Promise<Outcome> {
  const { call, session, name, given, useId } = about;
  const { changes } = decision;
  const input = Object.hasOwn(changes, "tool_input") ? (changes["tool_input"] as JsonObject) : given;
  if (listens(session.options.warden, "PermissionRequest")) {
    const event = {
      hook_event_name: "PermissionRequest",
      tool_name: name,
      tool_input: input,
      tool_use_id: useId,
    } as const;
    const permission = await session.decide(event);
    if (!permission) return answerWith(about, unjudged);
    if (permission.verdict === "halt") return halted(about, permission);
    if (permission.verdict === "deny") return denied(about, permission);
    if (permission.verdict === "allow") return settle(about, decision);
  }
  const reason = decision.reason ?? "";
  const approved = await isApproved(
    { tool: name, input, reason, hook: decision.decided_by ?? "" },
    call,
    session,
  );
  if (session.stopped !== null) return answerWith(about, session.stopped);
  if (approved) return settle(about, decision);
  return denied(about, decision, "the call did not run: a hook asked for approval, and it was not given");
}

function unaskable(about: About, decision: Decision): Outcome {
  return denied(
    about,
    decision,
    "the call did not run: a hook asks for approval, and no approver is available",
  );
}

function denied(
  about: About,
  decision: Decision,
  sentence = "the call was refused and did not run",
): Outcome {
  const { session, name, given, useId } = about;
  if (listens(session.options.warden, "PermissionDenied")) {
    const reason = decision.reason ?? "";
    const event = {
      hook_event_name: "PermissionDenied",
      tool_name: name,
      tool_input: given,
      tool_use_id: useId,
      reason,
    } as const;
    // The refusal does not wait for it; a hook that halts stops what comes after.
    void session.decide(event).then((notice) => {
      if (notice?.verdict === "halt") session.stop(refusalOf(stopSentence, notice));
    });
  }
  return answerWith(about, refusalOf(sentence, decision));
}

/** What a model reads at each call after a hook has said `halt`. */
export const stopSentence = "a hook has ended this session, and no tool runs any more";

function halted(about: About, decision: Decision): Outcome {
  const text = refusalOf(stopSentence, decision);
  about.session.stop(text);
  return answerWith(about, text);
}

function answerWith({ call }: About, text: string): Outcome {
  return { answer: refusedCall(call.id, asksForTask(call.params), text) };
}
