import {
  asSchema,
  type GenericToolApprovalFunction,
  type ModelMessage,
  type ToolApprovalConfiguration,
  type ToolApprovalStatus,
  type ToolSet,
} from "ai";
import { beforeAsking, type ToolRefused } from "../shared/tool-call.ts";
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

/** Whether a person has said yes to a call, as the conversation tells it. The package has checked its signature. */
export function wasApproved(messages: readonly ModelMessage[], toolCallId: string): boolean {
  const asked = new Set<string>();
  for (const { role, content } of messages) {
    if (typeof content === "string") continue;
    for (const part of content) {
      if (role === "assistant" && part.type === "tool-approval-request" && part.toolCallId === toolCallId) {
        if (!part.isAutomatic) asked.add(part.approvalId);
      } else if (role === "tool" && part.type === "tool-approval-response" && part.approved) {
        if (asked.has(part.approvalId)) return true;
      }
    }
  }
  return false;
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
