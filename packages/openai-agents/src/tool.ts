import type { FunctionTool, RunContext } from "@openai/agents";
import { acceptSchema, checkAgainst } from "hookwarden/pack";
import { BoundedMap, runTool, beforeAsking, type ToolRefused, type ToolRuns } from "@hookwarden/mediator";
import { decide, type GuardSession } from "./session.ts";

type AnyFunctionTool = FunctionTool<any, any, any>;
type Details = Parameters<AnyFunctionTool["invoke"]>[2];

/**
 * A function tool that runs between its hooks: one of the host's own, one of an MCP server, or an agent that serves as a
 * tool. Only `invoke` and `needsApproval` are other ones.
 */
export function guardFunctionTool(tool: AnyFunctionTool, session: GuardSession): AnyFunctionTool {
  const { mediator } = session;
  const { name } = tool;
  // By the call and its arguments: a decision is about both.
  const tickets = new BoundedMap<ToolRuns | ToolRefused | undefined>(10_000);
  const keyOf = (input: unknown, id: string | undefined): string => JSON.stringify([id, input]);

  const needsApproval = async (runContext: RunContext, input: unknown, callId?: string): Promise<boolean> => {
    const call = { name, input, id: callId };
    const before = await decide(mediator, call);
    tickets.set(keyOf(input, callId), before);
    // `invoke` tells the model why; a person need not be asked about what will not run.
    if (before.kind === "refused") return false;
    const needed =
      before.kind === "ask" ||
      (!before.allowed && (await tool.needsApproval(runContext, input as never, callId)));
    if (!needed) return false;
    const asked = await beforeAsking(mediator, call);
    if (asked.kind === "refused") tickets.set(keyOf(input, callId), asked);
    else if (asked.kind === "allow" && before.kind === "ask")
      tickets.set(keyOf(input, callId), { ...before, kind: "run" });
    return asked.kind === "ask";
  };

  const invoke = async (runContext: RunContext<any>, text: string, details?: Details): Promise<unknown> => {
    const input = parsed(text);
    const id = details?.toolCall?.callId;
    const key = keyOf(input, id);
    const ticket = tickets.get(key);
    tickets.set(key, undefined);
    const outcome = await runTool({
      mediator,
      call: { name, input, id },
      before: ticket ?? (await decide(mediator, { name, input, id })),
      // The package comes here with a call that a person was asked about only when they have said yes.
      approved: id !== undefined && runContext.isToolApproved({ toolName: name, callId: id }) === true,
      validate: (rewritten) => validated(tool, rewritten),
      run: (final) => tool.invoke(runContext, final === input ? text : JSON.stringify(final), details),
      keepMessages: (messages) => session.pending.push(...messages),
      isControl: () => details?.signal?.aborted === true,
    });
    switch (outcome.kind) {
      case "result":
        return outcome.added === null ? outcome.result : behind(outcome.result, outcome.added);
      case "error":
        if (!outcome.replaced && outcome.thrown instanceof Error && outcome.text === outcome.thrown.message) {
          throw outcome.thrown;
        }
        throw new Error(outcome.text);
      case "ask":
        return outcome.reason ?? "hookwarden: a person must approve this tool call first.";
      default:
        return outcome.text;
    }
  };
  return copyWith(tool, { invoke, needsApproval }) as AnyFunctionTool;
}

/** The same object with other fields; the package marks tools by hidden ones. */
export function copyWith<T extends object>(original: T, fields: Partial<Record<keyof T, unknown>>): T {
  const copy = Object.create(
    Object.getPrototypeOf(original) as object | null,
    Object.getOwnPropertyDescriptors(original),
  ) as T;
  for (const [field, value] of Object.entries(fields)) {
    Object.defineProperty(copy, field, { value, enumerable: true, configurable: true, writable: true });
  }
  return copy;
}

/** What is no JSON is told to hooks as it is; the tool refuses it itself. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Holds an input to the schema that the model was given. A schema that cannot be interpreted is left to the tool's own parser. */
function validated(tool: AnyFunctionTool, input: unknown): unknown {
  const schema: unknown = tool.parameters;
  if (schema !== undefined && acceptSchema(schema) === null) {
    const wrong = checkAgainst(schema, input);
    if (wrong) throw new Error(wrong.message);
  }
  return input;
}

/** A result with a text behind it, in a form that the package sends to the model. */
export function behind(result: unknown, added: string): unknown {
  if (Array.isArray(result) && result.length > 0 && result.every(isPart)) {
    return [...(result as unknown[]), { type: "text", text: added }];
  }
  if (isPart(result) && /^(text|image|file)$/.test((result as { type: string }).type)) {
    return [result, { type: "text", text: added }];
  }
  const text = typeof result === "string" ? result : (JSON.stringify(result) ?? "");
  return `${text}\n\n${added}`;
}

function isPart(part: unknown): boolean {
  return typeof part === "object" && part !== null && typeof (part as { type?: unknown }).type === "string";
}
