import { isDeepStrictEqual } from "node:util";
import type { Decision } from "hookwarden/broker";
import { HookwardenError } from "hookwarden/errors";
import { asInput, fromInput, jsonView } from "./json-view.ts";
import type { Mediator } from "./mediator.ts";
import { HookRefusedError, type RefusedHow } from "./refused-error.ts";
import {
  addedMessages,
  type AddedMessage,
  failureText,
  fencedOrNull,
  quoted,
  refusalText,
} from "./refusal-messages.ts";

/** A tool call as the framework has it. */
export interface ToolCall {
  readonly name: string;
  /** The arguments as the tool would get them. */
  readonly input: unknown;
  readonly id?: string | undefined;
}

/** A tool call that hooks did not refuse. */
export interface ToolRuns {
  readonly kind: "run" | "ask";
  /** The input to run the tool with: what hooks saw (see `JsonView.judged`), or what a hook made of it. */
  readonly input: unknown;
  readonly changed: boolean;
  /** A hook said `allow`: no person needs to be asked. */
  readonly allowed: boolean;
  /** Fenced; `null` where the verdict gave none. With `ask`: why a person must decide. */
  readonly reason: string | null;
  /** Messages of hooks to the model: fenced, to be appended to the tool's result. */
  readonly context: readonly AddedMessage[];
  readonly decision: Decision;
}

export interface ToolRefused {
  readonly kind: "refused";
  readonly how: RefusedHow;
  /** For the model, in place of a result. */
  readonly text: string;
  readonly decision: Decision | null;
  readonly error?: HookwardenError;
}

/** Has PreToolUse decide on a call. Never throws: a failure of hookwarden is a refusal. */
export async function beforeTool(mediator: Mediator, call: ToolCall): Promise<ToolRuns | ToolRefused> {
  const what = `the call of tool ${quoted(call.name)} was refused and did not run`;
  if (mediator.halted) {
    const { hook, reason } = mediator.halted;
    const text = refusalText(what, { decided_by: hook, reason, feedback: null });
    return { kind: "refused", how: "halt", text, decision: null };
  }
  try {
    const view = jsonView(call.input);
    const shown = asInput(view.value);
    const fields = { tool_name: call.name, tool_input: shown, ...idOf(call) };
    const decision = await mediator.decide("PreToolUse", fields);
    const { verdict, changes } = decision;
    if (verdict === "deny" || verdict === "skip" || verdict === "halt") {
      const { reason } = decision;
      await mediator.observe("PermissionDenied", { ...fields, ...(reason ? { reason } : {}) }, call.name);
      return { kind: "refused", how: verdict, text: refusalText(what, decision), decision };
    }
    if (verdict !== "continue" && verdict !== "allow" && verdict !== "ask") throw unexpected(decision);
    // A rewrite that changes nothing, as when a decision is repeated, does not count as one.
    const changed = Object.hasOwn(changes, "tool_input") && !isDeepStrictEqual(changes.tool_input, shown);
    return {
      kind: verdict === "ask" ? "ask" : "run",
      input: changed ? fromInput(view.value, view.restore(changes.tool_input)) : view.judged,
      changed,
      allowed: verdict === "allow",
      reason: decision.reason === null ? null : refusalText("a hook asks for a person's approval", decision),
      context: addedMessages(decision.additions),
      decision,
    };
  } catch (error) {
    return failed(what, error);
  }
}

/** Has PermissionRequest decide whether a person needs to be asked. Never throws. */
export async function beforeAsking(
  mediator: Mediator,
  call: ToolCall,
): Promise<{ readonly kind: "ask" | "allow" } | ToolRefused> {
  if (!mediator.listens("PermissionRequest", call.name)) return { kind: "ask" };
  const what = `the call of tool ${quoted(call.name)} was refused and did not run`;
  try {
    const fields = { tool_name: call.name, tool_input: asInput(jsonView(call.input).value), ...idOf(call) };
    const decision = await mediator.decide("PermissionRequest", fields);
    if (decision.verdict === "allow") return { kind: "allow" };
    if (decision.verdict === "continue" || decision.verdict === "ask") return { kind: "ask" };
    const how = decision.verdict === "halt" ? "halt" : "deny";
    return { kind: "refused", how, text: refusalText(what, decision), decision };
  } catch (error) {
    return failed(what, error);
  }
}

/** A tool's result as the model may see it. */
export interface ToolResult {
  readonly kind: "result";
  /** What hooks saw (see `JsonView.judged`), or what a hook put in its place. */
  readonly result: unknown;
  readonly replaced: boolean;
  readonly isError: boolean;
  /** Fenced text to append to the result; `null` for none. */
  readonly augment: string | null;
  readonly messages: readonly AddedMessage[];
}

export interface ToolRan {
  /** The input that the tool ran with, and the one that hooks rewrote, if they did. */
  readonly input: unknown;
  readonly original?: unknown;
  readonly startedAt?: number;
}

/** Has PostToolUse decide on a result. Never throws: if hookwarden fails, the result is withheld. */
export async function afterTool(
  mediator: Mediator,
  call: ToolCall,
  result: unknown,
  ran: ToolRan & { readonly isError?: boolean },
): Promise<ToolResult | ToolRefused> {
  const what = `the result of tool ${quoted(call.name)} is withheld`;
  try {
    const view = jsonView(result);
    const decision = await mediator.decide("PostToolUse", {
      tool_name: call.name,
      tool_response: view.value,
      ...ranFields(call, ran),
      ...(ran.isError === undefined ? {} : { is_error: ran.isError }),
    });
    const { verdict, changes, additions } = decision;
    if (verdict === "block" || verdict === "halt") {
      return { kind: "refused", how: verdict, text: refusalText(what, decision), decision };
    }
    if (verdict !== "continue") throw unexpected(decision);
    const replaced = Object.hasOwn(changes, "tool_response");
    return {
      kind: "result",
      result: replaced ? view.restore(changes.tool_response) : view.judged,
      replaced,
      isError: Object.hasOwn(changes, "is_error") ? changes.is_error === true : ran.isError === true,
      augment: fencedOrNull(additions.augment?.parts ?? []),
      messages: addedMessages(additions),
    };
  } catch (error) {
    return failed(what, error);
  }
}

/** A tool's error as the model may see it. */
export interface ToolError {
  readonly kind: "error";
  /** For the model: the error's text after hooks, with what they added at the end. */
  readonly text: string;
  readonly replaced: boolean;
  readonly messages: readonly AddedMessage[];
}

/** Has PostToolUseFailure decide on an error. Never throws: if hookwarden fails, the error's text is withheld. */
export async function afterToolFailure(
  mediator: Mediator,
  call: ToolCall,
  thrown: unknown,
  ran: ToolRan & { readonly interrupted?: boolean },
): Promise<ToolError | ToolRefused> {
  const what = `tool ${quoted(call.name)} failed, and its error is withheld`;
  try {
    const error = errorText(thrown);
    const decision = await mediator.decide("PostToolUseFailure", {
      tool_name: call.name,
      error,
      ...ranFields(call, ran),
      ...(ran.interrupted === undefined ? {} : { is_interrupt: ran.interrupted }),
    });
    if (decision.verdict === "halt") {
      return { kind: "refused", how: "halt", text: refusalText(what, decision), decision };
    }
    if (decision.verdict !== "continue") throw unexpected(decision);
    const replaced = Object.hasOwn(decision.changes, "error");
    const shown = replaced ? errorText(decision.changes.error) : error;
    const augment = fencedOrNull(decision.additions.augment?.parts ?? []);
    return {
      kind: "error",
      text: augment === null ? shown : `${shown}\n\n${augment}`,
      replaced,
      messages: addedMessages(decision.additions),
    };
  } catch (error) {
    return failed(what, error);
  }
}

/** The error that reports a refusal. */
export function refusedError({ how, text, decision, error }: ToolRefused): HookRefusedError {
  return new HookRefusedError(how, text, decision, error);
}

/** Fenced texts joined to one; `null` for none. */
export function joined(...texts: readonly (string | null | readonly AddedMessage[])[]): string | null {
  const parts = texts.flatMap((text) =>
    text === null ? [] : typeof text === "string" ? [text] : text.map((message) => message.text),
  );
  return parts.length === 0 ? null : parts.join("\n\n");
}

/** The text of a thrown value. */
export function errorText(thrown: unknown): string {
  if (typeof thrown === "string") return thrown;
  if (thrown instanceof Error) return thrown.message;
  return JSON.stringify(thrown) ?? String(thrown);
}

function failed(what: string, thrown: unknown): ToolRefused {
  const error =
    thrown instanceof HookwardenError
      ? thrown
      : new HookwardenError("internal", "a tool call could not be mediated", {}, { cause: thrown });
  return { kind: "refused", how: "failure", text: failureText(what, error), decision: null, error };
}

function unexpected({ verdict, hook_event_name }: Decision): HookwardenError {
  return new HookwardenError("internal", `verdict \`${verdict}\` is not valid for ${hook_event_name}`);
}

function idOf({ id }: ToolCall): { readonly tool_use_id?: string } {
  return id === undefined ? {} : { tool_use_id: id };
}

function ranFields(call: ToolCall, { input, original, startedAt }: ToolRan): { [field: string]: unknown } {
  return {
    tool_input: asInput(jsonView(input).value),
    ...(original === undefined ? {} : { original_tool_input: asInput(jsonView(original).value) }),
    ...(startedAt === undefined ? {} : { duration_ms: Math.max(0, performance.now() - startedAt) }),
    ...idOf(call),
  };
}
