import { isDeepStrictEqual } from "node:util";
import {
  asSchema,
  type GenericToolApprovalFunction,
  type ModelMessage,
  type ToolApprovalConfiguration,
  type ToolApprovalStatus,
  type ToolSet,
} from "ai";
import { jsonView, beforeAsking, type ToolRefused } from "@hookwarden/mediator";
import type { GuardSession } from "./session.ts";
import type { Tickets } from "./tickets.ts";
import type { AnyTool } from "./types.ts";
import { validateInput } from "./validate-input.ts";

type Status = Exclude<ToolApprovalStatus, string | undefined>;
type AnyApproval = GenericToolApprovalFunction<ToolSet, never, never>;
type ApprovalInput = Parameters<AnyApproval>[0];

/** The approval function of a guard: what hooks say, and, where they say nothing, what the host and the tool say. */
export function guardedApproval(
  session: GuardSession,
  tickets: Tickets,
  host: ToolApprovalConfiguration<ToolSet, never> | undefined,
): AnyApproval {
  const { mediator } = session;
  return async (options) => {
    const { toolCall, tools } = options;
    const tool = own(tools, toolCall.toolName);
    const call = { name: toolCall.toolName, input: toolCall.input as unknown, id: toolCall.toolCallId };
    const ticket = await tickets.for(call, (input) =>
      tool ? validateInput(tool, input) : Promise.resolve(input),
    );
    const { before } = ticket;
    if (before.kind === "refused") return denied(before);
    const asks = before.kind === "ask";
    if (asks && before.changed) {
      return {
        type: "denied",
        reason:
          "hookwarden: the tool call was refused and did not run, because a hook rewrote its input and a person would have been asked about another one.",
      };
    }
    const status = await hostStatus(host, options, tool);
    if (status.type === "denied") return status;
    if (!asks && status.type !== "user-approval") return status;
    if (!asks && before.allowed) {
      ticket.approved = true;
      return { type: "approved" };
    }
    const asked = await beforeAsking(mediator, call);
    if (asked.kind === "refused") return denied(asked);
    if (asked.kind === "allow") {
      ticket.approved = true;
      return { type: "approved" };
    }
    return asks ? { type: "user-approval", ...(before.reason ? { reason: before.reason } : {}) } : status;
  };
}

/**
 * Whether a person has said yes to this very call, as the end of the conversation tells it, where the package looks too.
 * The call's id alone is no proof: it is the model's choice, and a tool that calls others hands its own id on.
 */
export function wasApproved(
  messages: readonly ModelMessage[],
  call: { readonly toolName: string; readonly toolCallId: string; readonly input: unknown },
): boolean {
  const last = messages.at(-1);
  if (last?.role !== "tool") return false;
  const yes = new Set(
    last.content.flatMap((part) =>
      part.type === "tool-approval-response" && part.approved ? [part.approvalId] : [],
    ),
  );
  if (yes.size === 0) return false;
  const parts = messages.flatMap(({ role, content }) =>
    role === "assistant" && typeof content !== "string" ? content : [],
  );
  const asked = parts.some(
    (part) =>
      part.type === "tool-approval-request" &&
      !part.isAutomatic &&
      part.toolCallId === call.toolCallId &&
      yes.has(part.approvalId),
  );
  // Of several calls with one id, the package runs the last.
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

/** What would hold without a guard, in the package's own order of precedence. */
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

/** Names come from the model: only own properties count. */
export function own<V>(of: { readonly [name: string]: V } | undefined, name: string): V | undefined {
  return of && Object.hasOwn(of, name) ? of[name] : undefined;
}
