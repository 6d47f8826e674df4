import type { ToolExecutionOptions, ToolSet } from "ai";
import { approvalRequired, asText, joined, refusedError, runTool, type ToolCall } from "@hookwarden/mediator";
import { wasApproved } from "./approval.ts";
import { type CallDecisions, validateInput } from "./decisions.ts";
import type { ModelOutputs } from "./outputs.ts";
import type { GuardState } from "./state.ts";
import type { AnyTool } from "./types.ts";

type Execute = (input: unknown, options: ToolExecutionOptions<unknown>) => unknown;
interface LocalCaller {
  readonly type: "local";
  readonly bind: (tools: ToolSet) => AnyTool;
}

/** What a guarded tool needs from its guard. */
export interface ToolGuard {
  readonly state: GuardState;
  readonly decisions: CallDecisions;
  readonly outputs: ModelOutputs;
}

/** Whether the provider executes a tool itself. */
export function runsAtProvider(tool: AnyTool): boolean {
  return tool.type === "provider" && tool.isProviderExecuted;
}

/**
 * A copy of a tool that runs between its hooks. All own properties are kept, including those that are not enumerable:
 * the AI SDK marks tools that search for or call other tools with them.
 */
export function guardTool(name: string, tool: AnyTool, guard: ToolGuard): AnyTool {
  const fields: PropertyDescriptorMap = Object.getOwnPropertyDescriptors(tool);
  const put = (field: string, value: unknown): void => {
    fields[field] = { enumerable: true, configurable: true, writable: true, ...fields[field], value };
  };
  if (tool.execute) put("execute", guardedExecute(name, tool, tool.execute.bind(tool) as Execute, guard));
  put("toModelOutput", guard.outputs.converter(tool));
  const caller = (tool as { experimental_toolCaller?: LocalCaller }).experimental_toolCaller;
  if (caller?.type === "local") {
    // A caller is bound to the other tools for each request, and the bound tool is the one that runs.
    const bind = (tools: ToolSet): AnyTool => guardTool(name, caller.bind(tools), guard);
    put("experimental_toolCaller", { ...caller, bind });
  }
  return Object.create(Object.getPrototypeOf(tool) as object | null, fields) as AnyTool;
}

function guardedExecute(name: string, tool: AnyTool, execute: Execute, guard: ToolGuard): Execute {
  const run = async (
    input: unknown,
    options: ToolExecutionOptions<unknown>,
    onPreliminary?: (output: unknown) => void,
  ): Promise<unknown> => {
    const { state, decisions, outputs } = guard;
    const { toolCallId, messages } = options;
    const decision = decisions.take(input);
    const call: ToolCall = { name, input: decision?.original ?? input, id: toolCallId };
    const outcome = await runTool({
      mediator: state.mediator,
      call,
      ...(decision
        ? { before: { ...decision.before, ...(decision.refined ? refinedAs(input, decision.original) : {}) } }
        : {}),
      approved: decision?.approved === true || wasApproved(messages, { toolName: name, toolCallId, input }),
      validate: (rewritten) => (decision ? rewritten : validateInput(tool, rewritten)),
      run: (final) => finalOutput(execute(final, options), onPreliminary),
      keepMessages: (added) => state.pending.push(...added),
    });
    switch (outcome.kind) {
      case "result":
        if (outcome.isError) {
          throw new Error(joined(asText(outcome.result), outcome.added) ?? "the tool failed");
        }
        if (outcome.added !== null) outputs.augment(toolCallId, outcome.result, outcome.added);
        return outcome.result;
      case "error":
        // The identical error if hooks did not change it.
        throw outcome.replaced || outcome.text !== messageOf(outcome.thrown)
          ? new Error(outcome.text)
          : outcome.thrown;
      case "ask":
        throw refusedError({
          kind: "refused",
          how: "ask",
          text: outcome.reason ?? approvalRequired,
          decision: outcome.decision,
        });
      default:
        throw refusedError(outcome);
    }
  };
  if (!isGenerator(execute, tool)) return (input, options) => run(input, options);
  return (input, options) =>
    // A result that a hook may still withhold or replace is not shown in parts.
    guard.state.mediator.listens("PostToolUse", name)
      ? run(input, options)
      : streamed((onPreliminary) => run(input, options, onPreliminary));
}

/** The AI SDK already holds a refined input; PostToolUse still gets the original one. */
function refinedAs(input: unknown, original: unknown): object {
  return { input, changed: original !== undefined };
}

function isGenerator(execute: Execute, tool: AnyTool): boolean {
  const own = tool.execute ?? execute;
  const { name } = (own as { constructor: { name: string } }).constructor;
  return name === "AsyncGeneratorFunction";
}

async function finalOutput(result: unknown, onPreliminary?: (output: unknown) => void): Promise<unknown> {
  if (typeof result !== "object" || result === null || !(Symbol.asyncIterator in result)) return result;
  let last: unknown;
  for await (const output of result as AsyncIterable<unknown>) {
    last = output;
    onPreliminary?.(output);
  }
  return last;
}

/** Yields preliminary outputs, then the final one. */
async function* streamed(
  run: (onPreliminary: (output: unknown) => void) => Promise<unknown>,
): AsyncGenerator {
  const queue: unknown[] = [];
  let wake: () => void = () => undefined;
  let ended = false;
  const end = run((output) => {
    queue.push(output);
    wake();
  }).finally(() => {
    ended = true;
    wake();
  });
  // Awaited below; this prevents an unhandled rejection if the consumer returns early.
  end.catch(() => undefined);
  for (;;) {
    // The last preliminary output is also the result.
    while (queue.length > 1) yield queue.shift();
    if (ended) break;
    // oxlint-disable-next-line no-loop-func
    await new Promise<void>((resolve) => (wake = resolve));
  }
  yield await end;
}

function messageOf(thrown: unknown): string | undefined {
  return thrown instanceof Error ? thrown.message : undefined;
}
