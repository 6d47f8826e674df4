import type { ToolExecutionOptions, ToolSet } from "ai";
import { joined, refusedError, type ToolCall, runTool } from "@hookwarden/mediator";
import { wasApproved } from "./approval.ts";
import type { ModelOutputs } from "./outputs.ts";
import type { GuardSession } from "./session.ts";
import type { Tickets } from "./tickets.ts";
import type { AnyTool } from "./types.ts";
import { validateInput } from "./validate-input.ts";

type Execute = (input: unknown, options: ToolExecutionOptions<unknown>) => unknown;
interface LocalCaller {
  readonly type: "local";
  readonly bind: (tools: ToolSet) => AnyTool;
}

/** What a guarded tool needs of its guard. */
export interface ToolGuard {
  readonly session: GuardSession;
  readonly tickets: Tickets;
  readonly outputs: ModelOutputs;
}

/** Whether the provider runs a tool at its own place. */
export function runsAtProvider(tool: AnyTool): boolean {
  return tool.type === "provider" && tool.isProviderExecuted;
}

/**
 * A tool that runs between its hooks, and is the same in all else. All own properties are kept, the hidden ones too:
 * the package marks tools that search or call others by such.
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
    // A caller is bound to the other tools for each request, and the bound one is what runs.
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
    const { session, tickets, outputs } = guard;
    const { toolCallId, messages } = options;
    const ticket = tickets.take(input);
    const call: ToolCall = { name, input: ticket?.original ?? input, id: toolCallId };
    const outcome = await runTool({
      mediator: session.mediator,
      call,
      ...(ticket
        ? { before: { ...ticket.before, ...(ticket.refined ? refinedAs(input, ticket.original) : {}) } }
        : {}),
      approved: ticket?.approved === true || wasApproved(messages, { toolName: name, toolCallId, input }),
      validate: (rewritten) => (ticket ? rewritten : validateInput(tool, rewritten)),
      run: (final) => finalOutput(execute(final, options), onPreliminary),
      keepMessages: (added) => session.pending.push(...added),
    });
    switch (outcome.kind) {
      case "result":
        if (outcome.isError) {
          throw new Error(joined(asText(outcome.result), outcome.added) ?? "the tool failed");
        }
        if (outcome.added !== null) outputs.augment(toolCallId, outcome.result, outcome.added);
        return outcome.result;
      case "error":
        // The very same error where hooks left it alone.
        throw outcome.replaced || outcome.text !== messageOf(outcome.thrown)
          ? new Error(outcome.text)
          : outcome.thrown;
      case "ask":
        throw refusedError({
          kind: "refused",
          how: "ask",
          text: outcome.reason ?? "hookwarden: a person must approve this tool call first.",
          decision: outcome.decision,
        });
      default:
        throw refusedError(outcome);
    }
  };
  if (!isGenerator(execute, tool)) return (input, options) => run(input, options);
  return (input, options) =>
    // What a hook may yet withhold or replace is not shown in pieces.
    guard.session.mediator.listens("PostToolUse", name)
      ? run(input, options)
      : streamed((onPreliminary) => run(input, options, onPreliminary));
}

/** A refined input is the package's own by now; the rewrite is told to PostToolUse all the same. */
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

/** Yields what comes before the end, and then the end. */
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
  // Awaited below; without this, an early return would leave a rejection that nobody handles.
  end.catch(() => undefined);
  for (;;) {
    // The last one comes again as the result.
    while (queue.length > 1) yield queue.shift();
    if (ended) break;
    // oxlint-disable-next-line no-loop-func
    await new Promise<void>((resolve) => (wake = resolve));
  }
  yield await end;
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function messageOf(thrown: unknown): string | undefined {
  return thrown instanceof Error ? thrown.message : undefined;
}
