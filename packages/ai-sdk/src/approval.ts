import { isDeepStrictEqual } from "node:util";
import {
  asSchema,
  type GenericToolApprovalFunction,
  type ModelMessage,
  type ToolApprovalConfiguration,
  type ToolApprovalStatus,
  type ToolSet,
} from "ai";
import { beforeAsking, jsonView, rewrittenBeforeApproval, type ToolRefused } from "@hookwarden/mediator";
import { type CallDecisions, validateInput } from "./decisions.ts";
import type { GuardState } from "./state.ts";
import type { AnyTool } from "./types.ts";

type Status = Exclude<ToolApprovalStatus, string | undefined>;
type AnyApproval = GenericToolApprovalFunction<ToolSet, never, never>;
type ApprovalInput = Parameters<AnyApproval>[0];

/** The approval function of a guard: the decision of hooks or, if they make none, that of the host and the tool. */
export function guardedApproval(
  guard: { readonly state: GuardState; readonly decisions: CallDecisions },
  host: ToolApprovalConfiguration<ToolSet, never> | undefined,
): AnyApproval {
  const { mediator } = guard.state;
  return async (options) => {
    const { toolCall, tools } = options;
    const tool = own(tools, toolCall.toolName);
    const call = { name: toolCall.toolName, input: toolCall.input as unknown, id: toolCall.toolCallId };
    const decision = await guard.decisions.for(call, (input) =>
      tool ? validateInput(tool, input) : Promise.resolve(input),
    );
    const { before } = decision;
    if (before.kind === "refused") return denied(before);
    const asks = before.kind === "ask";
    if (asks && before.changed) {
      return { type: "denied", reason: rewrittenBeforeApproval };
    }
    const status = await hostStatus(host, options, tool);
    if (status.type === "denied") return status;
    if (!asks && status.type !== "user-approval") return status;
    if (!asks && before.allowed) {
      decision.approved = true;
      return { type: "approved" };
    }
    const asked = await beforeAsking(mediator, call);
    if (asked.kind === "refused") return denied(asked);
    if (asked.kind === "allow") {
      decision.approved = true;
      return { type: "approved" };
    }
    return asks ? { type: "user-approval", ...(before.reason ? { reason: before.reason } : {}) } : status;
  };
}

/**
 * Whether a person approved exactly this call, according to the end of the conversation, where the AI SDK looks too. The
 * call's id alone is not proof: the model chooses it, and a tool that calls others passes on its own id.
 */
export function wasApproved(
  messages: readonly ModelMessage[],
  call: { readonly toolName: string; readonly toolCallId: string; readonly input: unknown },
): boolean {
  const last = messages.at(-1);
  if (last?.role !== "tool") return false;
  const approvals = new Set(
    last.content.flatMap((part) =>
      part.type === "tool-approval-response" && part.approved ? [part.approvalId] : [],
    ),
  );
  if (approvals.size === 0) return false;
  const parts = messages.flatMap(({ role, content }) =>
    role === "assistant" && typeof content !== "string" ? content : [],
  );
  const asked = parts.some(
    (part) =>
      part.type === "tool-approval-request" &&
      !part.isAutomatic &&
      part.toolCallId === call.toolCallId &&
      approvals.has(part.approvalId),
  );
  // Of several calls with one id, the AI SDK runs the last.
  const shown = parts.findLast((part) => part.type === "tool-call" && part.toolCallId === call.toolCallId);
  return (
    asked &&
    shown?.type === "tool-call" &&
    shown.toolName === call.toolName &&
    isDeepStrictEqual(jsonView(shown.input).value, jsonView(call.input).value)
  );
}

function denied({ text }: ToolRefused): Status {
  return { type: "denied", reason: text };
}

/** The status without a guard, in the AI SDK's own order of precedence. */
async function hostStatus(
  host: ToolApprovalConfiguration<ToolSet, never> | undefined,
  options: ApprovalInput,
  tool: AnyTool | undefined,
): Promise<Status> {
  if (typeof host === "function") return normal(await host(options));
  const { toolCall, messages, runtimeContext } = options;
  const { toolName, toolCallId } = toolCall;
  const context = await contextOf(
    tool,
    own(options.toolsContext as Record<string, unknown> | undefined, toolName),
  );
  const given = own(host as Record<string, unknown> | undefined, toolName);
  if (given !== undefined && given !== null) {
    if (typeof given !== "function") return normal(given as ToolApprovalStatus);
    return normal(
      await given(toolCall.input, { toolCallId, messages, toolContext: context, runtimeContext }),
    );
  }
  const needs: unknown = tool?.needsApproval;
  const asks =
    typeof needs === "function" ? await needs(toolCall.input, { toolCallId, messages, context }) : needs;
  return asks ? { type: "user-approval" } : { type: "not-applicable" };
}

async function contextOf(tool: AnyTool | undefined, context: unknown): Promise<unknown> {
  if (!tool?.contextSchema) return context;
  const outcome = await asSchema(tool.contextSchema).validate?.(context);
  if (outcome && !outcome.success) throw outcome.error;
  return outcome ? outcome.value : context;
}

function normal(status: ToolApprovalStatus): Status {
  if (status === undefined) return { type: "not-applicable" };
  return typeof status === "string" ? { type: status } : status;
}

/** Reads an own property only: names come from the model. */
export function own<V>(of: { readonly [name: string]: V } | undefined, name: string): V | undefined {
  return of && Object.hasOwn(of, name) ? of[name] : undefined;
}
