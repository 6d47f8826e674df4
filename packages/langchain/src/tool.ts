import { isDeepStrictEqual } from "node:util";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import {
  jsonView,
  type Mediator,
  afterTool,
  afterToolFailure,
  beforeTool,
  joined,
  refusedError,
  type ToolRuns,
} from "@hookwarden/mediator";
import { message, type OutputOf, toolOutput } from "./outputs.ts";

/** A tool of the package, as far as it is needed here. */
export interface ToolLike {
  readonly name: string;
  readonly responseFormat?: string;
  invoke(input: unknown, config?: unknown): Promise<unknown>;
  _call?(input: unknown, runManager?: unknown, config?: unknown): unknown;
}

/** One call that hooks have let pass. */
export interface PassedCall {
  readonly mediator: Mediator;
  readonly toolCallId: string;
  /** What hooks decided on: the arguments with which the tool may be run. */
  readonly args: unknown;
  /** What the model asked for. */
  readonly original: unknown;
  readonly before: ToolRuns;
  /** Set when PostToolUse or PostToolUseFailure has seen the outcome. */
  mediated: boolean;
}

/** What a person, or the model, must be told instead of a result. Thrown inside the tool, so that nothing else runs. */
export class WithheldOutput extends Error {
  override readonly name = "WithheldOutput";
}

/**
 * The same tool for one call, with hooks between what it does and everybody who listens: the package tells its streams
 * of a result before any middleware has it. Only `invoke` and `_call` are other ones.
 */
export function guardTool(tool: ToolLike, call: PassedCall): ToolLike {
  const guarded = Object.create(tool) as ToolLike;
  const invoke = async (input: unknown, config?: unknown): Promise<unknown> => {
    await checkArguments(tool, input, call);
    if (typeof tool._call === "function") return tool.invoke.call(guarded, input, config);
    // A runnable that poses as a tool tells its streams by itself.
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

/** Another middleware may have changed the arguments since: then hooks are asked again. */
async function checkArguments(tool: ToolLike, input: unknown, call: PassedCall): Promise<void> {
  const { args } = (input ?? {}) as { args?: unknown };
  if (isDeepStrictEqual(jsonView(args).value, jsonView(call.args).value)) return;
  const again = await beforeTool(call.mediator, { name: tool.name, input: args, id: call.toolCallId });
  if (again.kind === "refused") throw new WithheldOutput(again.text, { cause: refusedError(again) });
  if (again.kind === "ask" || again.changed) {
    throw new WithheldOutput(
      "hookwarden: the tool call was refused, because its arguments were changed after hooks had spoken.",
    );
  }
}

/** Runs a tool, and has hooks decide on what came of it. */
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
    // Without a cause: streams and traces would tell what hooks took out of the message.
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

/** The last thing that a streaming tool says: the rest is for those who watch, and may not be shown before. */
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

/** The configuration of a run without those who watch it. */
function quiet(config: unknown): object {
  const given = (config ?? {}) as { readonly config?: unknown; readonly [name: string]: unknown };
  return {
    ...given,
    callbacks: [],
    writer: () => undefined,
    ...(given.config ? { config: quiet(given.config) } : {}),
  };
}

/** Interrupts and commands to a parent graph are no failures: they travel as exceptions. */
export function isControl(thrown: unknown): boolean {
  return (
    typeof thrown === "object" &&
    thrown !== null &&
    (thrown as { is_bubble_up?: unknown }).is_bubble_up === true
  );
}
