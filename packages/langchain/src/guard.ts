import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { type AgentMiddleware, createMiddleware } from "langchain";
import { beforeStop, checkedHold, haltedText, type Mediator, warnOfUnmediated } from "@hookwarden/mediator";
import { interruptOf } from "./approval.ts";
import { GuardedChatModel, modelName } from "./model.ts";
import type { HookwardenMiddlewareOptions, RunInfo } from "./options.ts";
import { prepareModelCall, submitPrompts } from "./requests.ts";
import { Sessions } from "./state.ts";
import { isClientTool, runToolCall } from "./tool.ts";

/**
 * The middleware that puts a warden around an agent. It must be the first in the list: hooks then see requests as the other
 * middleware changed them, and the other middleware sees answers as hooks changed them.
 *
 * @throws {HookwardenError} `option-invalid`
 *
 * @example
 *     const agent = createAgent({ model, tools, middleware: [hookwardenMiddleware({ warden })] });
 */
export function hookwardenMiddleware(options: HookwardenMiddlewareOptions): AgentMiddleware {
  const { strict = false, onUnmediated = warnOfUnmediated(), onAsk } = options;
  const hold = checkedHold(options.hold);
  const sessions = new Sessions(options, options.identify);
  const stops = new Stops();
  const middleware = createMiddleware({
    name: "hookwarden",

    beforeAgent: {
      canJumpTo: ["end"],
      hook: async (state, runtime) => {
        const mediator = sessions.for(runtime as RunInfo);
        // A new run is a new turn of the person.
        mediator.halted = null;
        const submitted = await submitPrompts(mediator, (state as { messages: BaseMessage[] }).messages);
        if (!submitted) return undefined;
        const { messages, blocked } = submitted;
        return blocked ? { messages, jumpTo: "end" as const } : { messages };
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
      const prepared = await prepareModelCall(mediator, request as Parameters<typeof prepareModelCall>[1]);
      if (prepared.kind === "refused") return new AIMessage(prepared.text);
      const model = new GuardedChatModel(request.model as never, {
        mediator,
        modelName: modelName(request.model),
        strict,
        hold,
        onProviderCall: (toolName: string) => onUnmediated({ toolName }),
      });
      const { systemPrompt } = request;
      const next = { ...request, systemPrompt, model, tools, ...prepared.request };
      return handler(next as Parameters<typeof handler>[0]);
    },

    wrapToolCall: (request, handler) =>
      runToolCall(sessions.for(request.runtime as RunInfo), request, {
        handler: handler as never,
        approvers: { onAsk, interrupt: interruptOf(request.runtime) },
      }) as ReturnType<typeof handler>,

    afterModel: {
      canJumpTo: ["model", "end"],
      hook: (state, runtime) =>
        stops.decide(
          sessions.for(runtime as RunInfo),
          (state as { messages: BaseMessage[] }).messages.at(-1),
        ),
    },
  });
  return middleware as unknown as AgentMiddleware;
}

/** Has Stop decide on the ends of turns. */
class Stops {
  /** The sessions whose agent continues because of a Stop hook. */
  readonly #active = new WeakSet<Mediator>();

  async decide(
    mediator: Mediator,
    last: BaseMessage | undefined,
  ): Promise<{ messages?: BaseMessage[]; jumpTo?: "model" | "end" } | undefined> {
    if (!AIMessage.isInstance(last) || (last.tool_calls?.length ?? 0) > 0) return undefined;
    if (mediator.halted) return { jumpTo: "end" };
    const outcome = await beforeStop(mediator, { last: last.text, active: this.#active.has(mediator) });
    if (outcome.kind === "refused") return { messages: [new AIMessage(outcome.text)], jumpTo: "end" };
    const messages = outcome.added.map(({ text }) => new HumanMessage(text));
    if (outcome.kind === "again") {
      this.#active.add(mediator);
      return { messages: [...messages, new HumanMessage(outcome.text)], jumpTo: "model" };
    }
    this.#active.delete(mediator);
    await mediator.observe("TurnComplete", { message: last.text });
    return messages.length === 0 ? undefined : { messages };
  }
}

function serverToolName(tool: unknown): string {
  const { name, type } = tool as { name?: unknown; type?: unknown };
  return String(name ?? type ?? "unnamed");
}
