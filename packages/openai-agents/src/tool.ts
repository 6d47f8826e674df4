import type { FunctionTool, RunContext } from "@openai/agents";
import { acceptSchema, checkAgainst } from "hookwarden/pack";
import { beforeAsking, BoundedMap, runTool, type ToolRefused, type ToolRuns } from "@hookwarden/mediator";
import { decide } from "./decisions.ts";
import { textOf, withAppended } from "./outputs.ts";
import type { GuardState } from "./state.ts";

type AnyFunctionTool = FunctionTool<any, any, any>;
type Details = Parameters<AnyFunctionTool["invoke"]>[2];

/**
 * A copy of a function tool that runs between its hooks: a tool of the host, of an MCP server, or an agent as a tool.
 * Only `invoke` and `needsApproval` differ.
 */
export function guardFunctionTool(tool: AnyFunctionTool, state: GuardState): AnyFunctionTool {
  const { mediator } = state;
  const { name } = tool;
  // By call id and arguments: a decision is about both.
  const decisions = new BoundedMap<ToolRuns | ToolRefused | undefined>(10_000);
  const keyOf = (input: unknown, id: string | undefined): string => JSON.stringify([id, input]);

  const needsApproval = async (runContext: RunContext, input: unknown, callId?: string): Promise<boolean> => {
    const call = { name, input, id: callId };
    const before = await decide(mediator, call);
    decisions.set(keyOf(input, callId), before);
    // `invoke` reports the refusal to the model; a person is not asked about a call that will not run.
    if (before.kind === "refused") return false;
    const needed =
      before.kind === "ask" ||
      (!before.allowed && (await tool.needsApproval(runContext, input as never, callId)));
    if (!needed) return false;
    const asked = await beforeAsking(mediator, call);
    if (asked.kind === "refused") decisions.set(keyOf(input, callId), asked);
    else if (asked.kind === "allow" && before.kind === "ask")
      decisions.set(keyOf(input, callId), { ...before, kind: "run" });
    return asked.kind === "ask";
  };

  const invoke = async (runContext: RunContext<any>, text: string, details?: Details): Promise<unknown> => {
    const input = parsed(text);
    const id = details?.toolCall?.callId;
    const key = keyOf(input, id);
    const decision = decisions.get(key);
    decisions.set(key, undefined);
    const outcome = await runTool({
      mediator,
      call: { name, input, id },
      before: decision ?? (await decide(mediator, { name, input, id })),
      // The SDK runs a call that needs approval only after a person has approved it.
      approved: id !== undefined && runContext.isToolApproved({ toolName: name, callId: id }) === true,
      validate: (rewritten) => validated(tool, rewritten),
      run: (final) => tool.invoke(runContext, final === input ? text : JSON.stringify(final), details),
      keepMessages: (messages) => state.pending.push(...messages),
      isControl: () => details?.signal?.aborted === true,
    });
    switch (outcome.kind) {
      case "result":
        return outcome.added === null ? outcome.result : withAppended(outcome.result, outcome.added);
      case "error":
        if (!outcome.replaced && outcome.thrown instanceof Error && outcome.text === outcome.thrown.message) {
          throw outcome.thrown;
        }
        throw new Error(outcome.text);
      default:
        return textOf(outcome);
    }
  };
  return copyWith(tool, { invoke, needsApproval }) as AnyFunctionTool;
}

/** A copy of an object with some fields replaced, including fields that are not enumerable: the SDK marks tools with them. */
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

/** Arguments that are not JSON are shown to hooks as a text; the tool itself refuses them. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Validates an input against the schema that the model got. The tool's own parser handles schemas that we cannot interpret. */
function validated(tool: AnyFunctionTool, input: unknown): unknown {
  const schema: unknown = tool.parameters;
  if (schema !== undefined && acceptSchema(schema) === null) {
    const wrong = checkAgainst(schema, input);
    if (wrong) throw new Error(wrong.message);
  }
  return input;
}
