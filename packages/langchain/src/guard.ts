import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { type AgentMiddleware, createMiddleware, MiddlewareError, ToolInvocationError } from "langchain";
import { HookwardenError } from "hookwarden/errors";
import {
  warnOfUnmediated,
  type MediationOptions,
  type Mediator,
  beforeModel,
  beforeStop,
  haltedText,
  submitPrompt,
  beforeTool,
  type AddedMessage,
  quoted,
} from "@hookwarden/mediator";
import { type AskPerson, askPerson, interruptOf } from "./approval.ts";
import { fromViews, viewOf } from "./messages.ts";
import { GuardedChatModel } from "./model.ts";
import { nameOf, shownParams, withParams } from "./params.ts";
import { type Identity, type RunInfo, Sessions } from "./session.ts";
import { guardTool, isControl, type PassedCall, settle, type ToolLike, WithheldOutput } from "./tool.ts";

export interface HookwardenMiddlewareOptions extends MediationOptions {
  /** Whose run it is. Default: `configurable.thread_id` is the session; without one, all runs are one session. */
  readonly identify?: (run: RunInfo) => Identity;
  /** `true`: tools that the provider runs are not offered, and an answer with a call of one is an error. Default `false`. */
  readonly strict?: boolean;
  /** Is told of tools, and calls, that the provider runs where no hook can stand before them. Default: a warning of the process. */
  readonly onUnmediated?: (call: { readonly toolName: string }) => void;
  /** Characters of a stream that are held back where hooks listen to ModelResponseChunk. Default 256; 0: none. */
  readonly hold?: number;
  /**
   * Asks a person about a call. Default: the graph is interrupted with an `ApprovalRequest`, and the call runs when it is
   * resumed with `{ approved: true }`; an agent without a checkpointer refuses the call.
   */
  readonly onAsk?: AskPerson;
}

/**
 * The middleware that puts a warden around an agent. It belongs first in the list: hooks then see what the others made of
 * a request, and the others see what hooks left of an answer.
 *
 * @throws {HookwardenError} `option-invalid`
 *
 * @example
 *     const agent = createAgent({ model, tools, middleware: [hookwardenMiddleware({ warden })] });
 */
export function hookwardenMiddleware(options: HookwardenMiddlewareOptions): AgentMiddleware {
  const { strict = false, hold = 256, onUnmediated = warnOfUnmediated() } = options;
  if (!(Number.isSafeInteger(hold) && hold >= 0 && hold <= 65_536)) {
    throw new HookwardenError("option-invalid", "`hold` must be a whole number from 0 to 65,536");
  }
  const sessions = new Sessions(options, options.identify);
  const active = new WeakMap<Mediator, boolean>();
  const middleware = createMiddleware({
    name: "hookwarden",

    beforeAgent: {
      canJumpTo: ["end"],
      hook: async (state, runtime) => {
        const mediator = sessions.for(runtime as RunInfo);
        // A new run is a new turn of the person.
        mediator.halted = null;
        const { messages } = state as { messages: BaseMessage[] };
        const lastOther = messages.findLastIndex(({ type }) => type !== "human");
        const written: BaseMessage[] = [];
        const added: AddedMessage[] = [];
        for (const prompt of messages.slice(lastOther + 1)) {
          if (prompt.text === "") continue;
          const outcome = await submitPrompt(mediator, prompt.text);
          if (outcome.kind === "refused") {
            // The prompt stays out of later turns too.
            const removed = withText(prompt, "[hookwarden: this prompt was not sent]");
            return { messages: [removed, new AIMessage(outcome.text)], jumpTo: "end" as const };
          }
          if (outcome.changed) written.push(withText(prompt, outcome.prompt));
          added.push(...outcome.added);
        }
        const update = [...written, ...added.map(({ text }) => new HumanMessage(text))];
        return update.length === 0 ? undefined : { messages: update };
      },
    },

    wrapModelCall: async (request, handler) => {
      const mediator = sessions.for(request.runtime as RunInfo);
      if (mediator.halted) return new AIMessage(haltedText(mediator));
      const tools = request.tools.filter((tool) => {
        if (isClientTool(tool)) return true;
        onUnmediated({ toolName: serverToolName(tool) });
        return !strict;
      });
      const modelName = nameOf(request.model);
      const system = request.systemMessage?.text ?? "";
      const views = request.messages.map(viewOf);
      const outcome = await beforeModel(
        mediator,
        {
          model: modelName,
          messages: views,
          ...(system === "" ? {} : { system }),
          params: shownParams(request.modelSettings ?? {}),
        },
        (text) => ({ role: "user", content: text }),
      );
      if (outcome.kind === "refused") return new AIMessage(outcome.text);
      const systemAdded = outcome.added.filter(({ role }) => role === "system").map(({ text }) => text);
      const systemText = [outcome.systemChanged ? String(outcome.system) : system, ...systemAdded].join(
        "\n\n",
      );
      const messages = [
        ...(outcome.messagesChanged ? fromViews(outcome.messages, request.messages) : request.messages),
        ...outcome.added.filter(({ role }) => role !== "system").map(({ text }) => new HumanMessage(text)),
      ];
      const guard = {
        mediator,
        modelName,
        strict,
        hold,
        onProviderCall: (toolName: string) => onUnmediated({ toolName }),
      };
      const model = new GuardedChatModel(request.model as never, guard);
      const { systemPrompt: _prompt, ...rest } = request;
      return handler({
        ...rest,
        model,
        tools,
        messages,
        ...(systemText === system
          ? { systemPrompt: request.systemPrompt }
          : { systemPrompt: request.systemPrompt, systemMessage: new SystemMessage(systemText) }),
        ...(outcome.params === null
          ? {}
          : { modelSettings: withParams(request.modelSettings ?? {}, outcome.params) }),
      } as Parameters<typeof handler>[0]);
    },

    wrapToolCall: async (request, handler) => {
      const mediator = sessions.for(request.runtime as RunInfo);
      const { name, args, id = "" } = request.toolCall;
      const refuse = (text: string): ToolMessage =>
        new ToolMessage({ content: text, tool_call_id: id, name, status: "error" });
      const before = await beforeTool(mediator, { name, input: args, id });
      if (before.kind === "refused") return refuse(before.text);
      if (before.kind === "ask") {
        const refusal = await askPerson(
          mediator,
          { name, id, before },
          options.onAsk,
          interruptOf(request.runtime),
        );
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
      const tool = request.tool as ToolLike | undefined;
      try {
        const output = await handler({
          ...request,
          toolCall: { ...request.toolCall, args: before.input as Record<string, unknown> },
          // A tool that another middleware brings in is judged below, when it has run.
          ...(isClientTool(tool) ? { tool: guardTool(tool, call) as never } : {}),
        });
        if (call.mediated) return output;
        const ran = { input: before.input, ...(before.changed ? { original: args } : {}) };
        return (await settle(
          output,
          { toolName: name, toolCallId: id, pairs: false },
          call,
          ran,
        )) as typeof output;
      } catch (thrown) {
        if (isControl(thrown)) throw thrown;
        const cause = rootOf(thrown);
        if (cause instanceof WithheldOutput) return refuse(cause.message);
        if (ToolInvocationError.isInstance(cause)) {
          if (!before.changed) throw thrown;
          return refuse(
            `hookwarden: the call of tool ${quoted(name)} was refused and did not run, because a hook rewrote its input to one that breaks the tool's schema.`,
          );
        }
        // As the package does for tools without middleware; what hooks have not seen is not told.
        return refuse(
          call.mediated ? `${cause}\n Please fix your mistakes.` : `Error: tool ${quoted(name)} failed.`,
        );
      }
    },

    afterModel: {
      canJumpTo: ["model", "end"],
      hook: async (state, runtime) => {
        const mediator = sessions.for(runtime as RunInfo);
        const last = (state as { messages: BaseMessage[] }).messages.at(-1);
        if (!AIMessage.isInstance(last) || (last.tool_calls?.length ?? 0) > 0) return undefined;
        if (mediator.halted) return { jumpTo: "end" as const };
        const outcome = await beforeStop(mediator, {
          last: last.text,
          active: active.get(mediator) === true,
        });
        if (outcome.kind === "refused")
          return { messages: [new AIMessage(outcome.text)], jumpTo: "end" as const };
        active.set(mediator, outcome.kind === "again");
        const messages = outcome.added.map(({ text }) => new HumanMessage(text));
        if (outcome.kind === "again") {
          return { messages: [...messages, new HumanMessage(outcome.text)], jumpTo: "model" as const };
        }
        await mediator.observe("TurnComplete", { message: last.text });
        return messages.length === 0 ? undefined : { messages };
      },
    },
  });
  return middleware as unknown as AgentMiddleware;
}

function isClientTool(tool: unknown): tool is ToolLike {
  return typeof (tool as { invoke?: unknown } | undefined)?.invoke === "function";
}

function serverToolName(tool: unknown): string {
  const { name, type } = tool as { name?: unknown; type?: unknown };
  return String(name ?? type ?? "unnamed");
}

/** The same message with another text, in the same place of the conversation. */
function withText(message: BaseMessage, text: string): BaseMessage {
  const files = Array.isArray(message.content) ? message.content.filter(({ type }) => type !== "text") : [];
  return new HumanMessage({
    content: files.length === 0 ? text : [{ type: "text", text }, ...files],
    ...(message.id === undefined ? {} : { id: message.id }),
  });
}

/** What lies under the wrappings that the package puts around errors of middleware. */
function rootOf(thrown: unknown): unknown {
  let error = thrown;
  for (let depth = 0; depth < 16; depth++) {
    if (!MiddlewareError.isInstance(error)) break;
    error = error.cause;
  }
  return error;
}
