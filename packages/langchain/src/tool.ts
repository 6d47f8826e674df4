import { ToolMessage } from "@langchain/core/messages";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import { MiddlewareError, ToolInvocationError } from "langchain";
import {
  afterTool,
  afterToolFailure,
  beforeTool,
  invalidRewrite,
  joined,
  type Mediator,
  quoted,
} from "@hookwarden/mediator";
import { type Approvers, askPerson } from "./approval.ts";
import { checkArguments, isControl, type PassedCall, WithheldOutput } from "./decisions.ts";
import { message, type OutputOf, toolOutput } from "./outputs.ts";

/** The members of a LangChain tool that are used here. */
export interface ToolLike {
  readonly name: string;
  readonly responseFormat?: string;
  invoke(input: unknown, config?: unknown): Promise<unknown>;
  _call?(input: unknown, runManager?: unknown, config?: unknown): unknown;
}

/** The parts of a tool call request of the middleware that are used here. */
interface ToolCallRequest {
  readonly toolCall: { readonly name: string; readonly args: unknown; readonly id?: string };
  readonly tool?: unknown;
}

/** How a tool call is run. */
interface ToolCallRun {
  readonly handler: (request: ToolCallRequest) => Promise<unknown>;
  readonly approvers: Approvers;
}

/** Runs a tool call between its hooks. */
export async function runToolCall(
  mediator: Mediator,
  request: ToolCallRequest,
  { handler, approvers }: ToolCallRun,
): Promise<unknown> {
  const { name, args, id = "" } = request.toolCall;
  const refuse = (text: string): ToolMessage =>
    new ToolMessage({ content: text, tool_call_id: id, name, status: "error" });
  const before = await beforeTool(mediator, { name, input: args, id });
  if (before.kind === "refused") return refuse(before.text);
  if (before.kind === "ask") {
    const refusal = await askPerson(mediator, { name, id, before }, approvers);
    if (refusal !== null) return refuse(refusal);
  }
  const call: PassedCall = {
    mediator,
    toolCallId: id,
    args: before.input,
    original: args,
    before,
    mediated: false,
  };
  const { tool } = request;
  try {
    const output = await handler({
      ...request,
      toolCall: { ...request.toolCall, args: before.input },
      // The output of a tool that another middleware provides is judged below, after it has run.
      ...(isClientTool(tool) ? { tool: guardTool(tool, call) } : {}),
    });
    if (call.mediated) return output;
    const ran = { input: before.input, ...(before.changed ? { original: args } : {}) };
    return await settle(output, { toolName: name, toolCallId: id, pairs: false }, call, ran);
  } catch (thrown) {
    if (isControl(thrown)) throw thrown;
    const cause = rootOf(thrown);
    if (cause instanceof WithheldOutput) return refuse(cause.message);
    if (ToolInvocationError.isInstance(cause)) {
      if (!before.changed) throw thrown;
      return refuse(invalidRewrite);
    }
    // The text that LangChain uses for tools without middleware; an error that hooks have not seen is withheld.
    return refuse(
      call.mediated ? `${cause}\n Please fix your mistakes.` : `Error: tool ${quoted(name)} failed.`,
    );
  }
}

/** Whether a tool runs in this process. */
export function isClientTool(tool: unknown): tool is ToolLike {
  return typeof (tool as { invoke?: unknown } | undefined)?.invoke === "function";
}

/** The error inside the wrappers that LangChain puts around errors of middleware. */
function rootOf(thrown: unknown): unknown {
  let error = thrown;
  for (let depth = 0; depth < 16; depth++) {
    if (!MiddlewareError.isInstance(error)) break;
    error = error.cause;
  }
  return error;
}

/**
 * A copy of a tool for one call, with hooks between the tool and its listeners: LangChain streams a result before any
 * middleware gets it. Only `invoke` and `_call` differ.
 */
export function guardTool(tool: ToolLike, call: PassedCall): ToolLike {
  const guarded = Object.create(tool) as ToolLike;
  const invoke = async (input: unknown, config?: unknown): Promise<unknown> => {
    await checkArguments(tool.name, input, call);
    if (typeof tool._call === "function") return tool.invoke.call(guarded, input, config);
    // A runnable that is used as a tool reports to its streams itself.
    return outcomeOf(tool, call, () => tool.invoke(input, quiet(config)));
  };
  const run = (input: unknown, runManager?: unknown, config?: unknown): Promise<unknown> => {
    const held =
      call.mediator.listens("PostToolUse", tool.name) ||
      call.mediator.listens("PostToolUseFailure", tool.name);
    if (!held) return outcomeOf(tool, call, () => tool._call?.(input, runManager, config));
    const still = quiet(config);
    return outcomeOf(tool, call, () =>
      AsyncLocalStorageProviderSingleton.runWithConfig(still, async () =>
        tool._call?.(input, undefined, still),
      ),
    );
  };
  Object.defineProperty(guarded, "invoke", { value: invoke });
  if (typeof tool._call === "function") Object.defineProperty(guarded, "_call", { value: run });
  return guarded;
}

/** Runs a tool and has hooks decide on the outcome. */
async function outcomeOf(tool: ToolLike, call: PassedCall, run: () => unknown): Promise<unknown> {
  const { mediator, toolCallId, args, original, before } = call;
  const of: OutputOf = {
    toolName: tool.name,
    toolCallId,
    pairs: tool.responseFormat === "content_and_artifact",
  };
  const seen = { name: tool.name, input: args, id: toolCallId };
  const ran = { input: args, ...(before.changed ? { original } : {}), startedAt: performance.now() };
  let raw: unknown;
  try {
    raw = await last(await run(), !mediator.listens("PostToolUse", tool.name));
  } catch (thrown) {
    if (isControl(thrown)) throw thrown;
    call.mediated = true;
    const failure = await afterToolFailure(mediator, seen, thrown, ran);
    if (failure.kind === "refused") throw new WithheldOutput(failure.text);
    // Without a cause: streams and traces would show what hooks removed from the message.
    // oxlint-disable-next-line preserve-caught-error
    throw new Error(joined(failure.text, before.context, failure.messages) ?? "");
  }
  if (isGenerator(raw)) return raw;
  return settle(raw, of, call, ran);
}

/** Has PostToolUse decide on an output. */
export async function settle(
  raw: unknown,
  of: OutputOf,
  call: PassedCall,
  ran: { readonly input: unknown; readonly original?: unknown; readonly startedAt?: number },
): Promise<unknown> {
  call.mediated = true;
  const output = toolOutput(raw, of);
  const seen = { name: of.toolName, input: ran.input, id: of.toolCallId };
  const after = await afterTool(call.mediator, seen, output.shown, { ...ran, isError: output.isError });
  if (after.kind === "refused") return message(after.text, true, null, of);
  const added = joined(after.augment, call.before.context, after.messages);
  if (after.replaced || after.isError !== output.isError)
    return output.replaced(after.result, after.isError, added);
  return added === null ? raw : output.with(added);
}

/** The final output of a streaming tool; the preliminary ones must not be shown before hooks have decided. */
async function last(raw: unknown, open: boolean): Promise<unknown> {
  if (!isGenerator(raw) || open) return raw;
  for (;;) {
    const { done, value } = await raw.next();
    if (done) return value as unknown;
  }
}

function isGenerator(raw: unknown): raw is AsyncGenerator {
  return (
    typeof raw === "object" &&
    raw !== null &&
    Symbol.asyncIterator in raw &&
    typeof (raw as { next?: unknown }).next === "function"
  );
}

/** The configuration of a run without its callbacks. */
function quiet(config: unknown): object {
  const given = (config ?? {}) as { readonly config?: unknown; readonly [name: string]: unknown };
  return {
    ...given,
    callbacks: [],
    writer: () => undefined,
    ...(given.config ? { config: quiet(given.config) } : {}),
  };
}
