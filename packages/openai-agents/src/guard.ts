import {
  Agent,
  attachClientToolSearchExecutor,
  getClientToolSearchExecutor,
  getHandoff,
  type Handoff,
  type Model,
  type ModelProvider,
  OpenAIProvider,
  type RunContext,
  type Tool,
} from "@openai/agents";
import { HookwardenError } from "hookwarden/errors";
import { checkedHold, Mediator, runTool, warnOfUnmediated } from "@hookwarden/mediator";
import { guardComputerTool } from "./computer-tool.ts";
import { decide } from "./decisions.ts";
import { guardApplyPatchTool, guardShellTool } from "./local-tools.ts";
import { GuardedModel } from "./model.ts";
import type { GuardAgentOptions } from "./options.ts";
import { Requests } from "./requests.ts";
import { addPending, type GuardState } from "./state.ts";
import { copyWith, guardFunctionTool } from "./tool.ts";

/** The guards for the kinds of tools that run in this process. Other tools run where no hook can decide on them. */
const guards: ReadonlyMap<string, (tool: never, state: GuardState) => Tool<any>> = new Map<
  string,
  (tool: never, state: GuardState) => Tool<any>
>([
  ["function", guardFunctionTool],
  ["shell", guardShellTool],
  ["apply_patch", guardApplyPatchTool],
  ["computer", guardComputerTool],
]);

/**
 * Returns a copy of an agent with a warden around its model, its tools, its MCP servers' tools and its handoffs, and
 * around every agent that it hands over to. The agent itself is not changed. One guard serves one conversation.
 *
 * Run the copy instead of the agent. Guard an agent that is used as a tool first: `guardAgent(inner).asTool()`.
 *
 * @throws {HookwardenError} `option-invalid`, also for a subclass of `Agent`, which could run tools in other ways.
 *
 * @example
 *     const result = await run(guardAgent(agent, { warden }), "hello");
 */
export function guardAgent<A extends Agent<any, any>>(agent: A, options: GuardAgentOptions): A {
  const { strict = false, onUnmediated = warnOfUnmediated() } = options;
  const hold = checkedHold(options.hold);
  const state: GuardState = { mediator: new Mediator(options), strict, hold, onUnmediated, pending: [] };
  return new AgentGuard(state, options.modelProvider).guard(agent) as A;
}

class AgentGuard {
  readonly #state: GuardState;
  readonly #provider: ModelProvider | undefined;
  readonly #requests: Requests;
  /** Handoffs between agents can form cycles. */
  readonly #guarded = new Map<Agent<any, any>, Agent<any, any>>();

  constructor(state: GuardState, provider: ModelProvider | undefined) {
    this.#state = state;
    this.#provider = provider;
    this.#requests = new Requests(state);
  }

  guard(agent: Agent<any, any>): Agent<any, any> {
    const known = this.#guarded.get(agent);
    if (known) return known;
    if (!(agent instanceof Agent) || Object.getPrototypeOf(agent) !== Agent.prototype) {
      throw new HookwardenError(
        "option-invalid",
        "only an agent of the class `Agent` itself can be guarded, not one of a subclass",
      );
    }
    const copy = agent.clone({
      model: this.#model(agent.model),
      tools: this.#tools(agent.tools),
    });
    this.#guarded.set(agent, copy);
    this.#guarded.set(copy, copy);
    copy.handoffs = agent.handoffs.map((target) => this.#handoff(target, copy));
    // The tools of MCP servers are listed again in each turn.
    const getMcpTools = copy.getMcpTools.bind(copy);
    copy.getMcpTools = async (...args) => this.#tools(await getMcpTools(...args));
    return copy;
  }

  #model(model: string | Model): Model {
    const name = typeof model === "string" ? model : model.constructor.name;
    const find = (): Model | Promise<Model> =>
      typeof model === "string"
        ? (this.#provider ?? new OpenAIProvider()).getModel(model === "" ? undefined : model)
        : model;
    return new GuardedModel({
      find,
      name: name === "" ? "default" : name,
      state: this.#state,
      requests: this.#requests,
    });
  }

  #tools(tools: readonly Tool<any>[]): Tool<any>[] {
    return tools.flatMap((tool) => {
      const executor = getClientToolSearchExecutor(tool);
      if (executor && tool.type === "hosted_tool") {
        // It adds tools while the agent runs.
        const copy = copyWith(tool, {});
        return [
          attachClientToolSearchExecutor(copy, async (args) => {
            const found = await executor(args);
            return found ? this.#tools([found].flat()) : found;
          }),
        ];
      }
      const guard = guards.get(tool.type);
      const local = guard !== undefined && !(tool.type === "shell" && !tool.shell);
      if (local) return [this.#known.has(tool) ? tool : this.#remember(guard(tool as never, this.#state))];
      this.#state.onUnmediated({ toolName: tool.name, kind: tool.type });
      return this.#state.strict ? [] : [tool];
    });
  }

  /** Guarded tools, so that a search that finds one again does not guard it twice. */
  readonly #known = new WeakSet<object>();

  #remember(tool: Tool<any>): Tool<any> {
    this.#known.add(tool);
    return tool;
  }

  /** Guards a handoff like a tool call: it has a name and arguments. */
  #handoff(target: Agent<any, any> | Handoff<any, any>, from: Agent<any, any>): Handoff<any, any> {
    const handoff = asHandoff(target);
    const agent = this.guard(handoff.agent);
    const invoke = handoff.onInvokeHandoff;
    const { mediator, pending } = this.#state;
    const guarded = handoff.clone({
      agent,
      onInvokeHandoff: async (context: RunContext<any>, text: string) => {
        const input = text === "" ? {} : (JSON.parse(text) as unknown);
        const call = { name: handoff.toolName, input };
        let next: Agent<any, any> | null = null;
        const outcome = await runTool({
          mediator,
          call,
          before: await decide(mediator, call),
          run: async (final) => {
            next = await invoke(context, final === input ? text : JSON.stringify(final));
            return { assistant: next.name };
          },
          keepMessages: (messages) => pending.push(...messages),
        });
        if (outcome.kind === "result" && next) {
          if (outcome.added !== null) addPending(this.#state, outcome.added);
          return this.guard(next);
        }
        if (outcome.kind === "error") throw outcome.thrown;
        const reason =
          outcome.kind === "ask" ? outcome.reason : outcome.kind === "refused" ? outcome.text : null;
        addPending(this.#state, reason ?? "hookwarden: the handoff was refused.");
        // The agent keeps the conversation and gets the reason.
        return from;
      },
    });
    return guarded;
  }
}

function asHandoff(target: Agent<any, any> | Handoff<any, any>): Handoff<any, any> {
  return target instanceof Agent ? getHandoff(target) : target;
}
