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
import { warnOfUnmediated, type MediationOptions, Mediator, runTool } from "@hookwarden/mediator";
import { guardComputerTool } from "./computer-tool.ts";
import { copyWith, guardFunctionTool } from "./tool.ts";
import { guardApplyPatchTool, guardShellTool } from "./local-tools.ts";
import { GuardedModel } from "./model.ts";
import { Requests } from "./requests.ts";
import { decide, type GuardSession, type UnmediatedTool } from "./session.ts";

export interface GuardAgentOptions extends MediationOptions {
  /** Looks up models that agents know by name. What a `Runner` was given as `modelProvider` belongs here. Default: the package's `OpenAIProvider`. */
  readonly modelProvider?: ModelProvider;
  /** `true`: tools that the provider runs are not offered, and an answer with a call of one is an error. Default `false`. */
  readonly strict?: boolean;
  /** Is told of tools, and calls, that no hook can stand before. Default: a warning of the process for each. */
  readonly onUnmediated?: (tool: UnmediatedTool) => void;
  /** Characters of a stream that are held back where hooks listen to ModelResponseChunk. Default 256; 0: none. */
  readonly hold?: number;
}

/** Whatever kinds of tools the package has: each has its guard, or runs where none can stand. */
const guards: ReadonlyMap<string, (tool: never, session: GuardSession) => Tool<any>> = new Map<
  string,
  (tool: never, session: GuardSession) => Tool<any>
>([
  ["function", guardFunctionTool],
  ["shell", guardShellTool],
  ["apply_patch", guardApplyPatchTool],
  ["computer", guardComputerTool],
]);

/**
 * A copy of an agent with a warden around its model, its tools, its MCP servers' tools and its handoffs, and around every
 * agent that it hands over to. The agent itself stays as it is. One guard serves one conversation.
 *
 * Run the copy where you ran the agent. An agent that serves as a tool is guarded before: `guardAgent(inner).asTool()`.
 *
 * @throws {HookwardenError} `option-invalid`, also for a subclass of `Agent`, which could run tools in ways of its own.
 *
 * @example
 *     const result = await run(guardAgent(agent, { warden }), "hello");
 */
export function guardAgent<A extends Agent<any, any>>(agent: A, options: GuardAgentOptions): A {
  const { strict = false, hold = 256, onUnmediated = warnOfUnmediated() } = options;
  if (!(Number.isSafeInteger(hold) && hold >= 0 && hold <= 65_536)) {
    throw new HookwardenError("option-invalid", "`hold` must be a whole number from 0 to 65,536");
  }
  const session: GuardSession = { mediator: new Mediator(options), strict, hold, onUnmediated, pending: [] };
  return new AgentGuard(session, options.modelProvider).guard(agent) as A;
}

class AgentGuard {
  private readonly session: GuardSession;
  private readonly provider: ModelProvider | undefined;
  private readonly requests: Requests;
  /** Agents can hand over to each other in circles. */
  private readonly guarded = new Map<Agent<any, any>, Agent<any, any>>();

  constructor(session: GuardSession, provider: ModelProvider | undefined) {
    this.session = session;
    this.provider = provider;
    this.requests = new Requests(session);
  }

  guard(agent: Agent<any, any>): Agent<any, any> {
    const known = this.guarded.get(agent);
    if (known) return known;
    if (!(agent instanceof Agent) || Object.getPrototypeOf(agent) !== Agent.prototype) {
      throw new HookwardenError("option-invalid", "only agents of the class `Agent` itself can be guarded");
    }
    const copy = agent.clone({
      model: this.model(agent.model),
      tools: this.tools(agent.tools),
    });
    this.guarded.set(agent, copy);
    this.guarded.set(copy, copy);
    copy.handoffs = agent.handoffs.map((target) => this.handoff(target, copy));
    // MCP servers are asked for their tools anew with each turn.
    const getMcpTools = copy.getMcpTools.bind(copy);
    copy.getMcpTools = async (...args) => this.tools(await getMcpTools(...args));
    return copy;
  }

  private model(model: string | Model): Model {
    const name = typeof model === "string" ? model : model.constructor.name;
    const find = (): Model | Promise<Model> =>
      typeof model === "string"
        ? (this.provider ?? new OpenAIProvider()).getModel(model === "" ? undefined : model)
        : model;
    return new GuardedModel(find, name === "" ? "default" : name, this.session, this.requests);
  }

  private tools(tools: readonly Tool<any>[]): Tool<any>[] {
    return tools.flatMap((tool) => {
      const executor = getClientToolSearchExecutor(tool);
      if (executor && tool.type === "hosted_tool") {
        // It brings tools in while the agent runs.
        const copy = copyWith(tool, {});
        return [
          attachClientToolSearchExecutor(copy, async (args) => {
            const found = await executor(args);
            return found ? this.tools([found].flat()) : found;
          }),
        ];
      }
      const guard = guards.get(tool.type);
      const local = guard !== undefined && !(tool.type === "shell" && !tool.shell);
      if (local) return [this.known.has(tool) ? tool : this.remember(guard(tool as never, this.session))];
      this.session.onUnmediated({ toolName: tool.name, kind: tool.type });
      return this.session.strict ? [] : [tool];
    });
  }

  /** Tools that are guarded already, so that a search which finds them does not guard them twice. */
  private readonly known = new WeakSet<object>();

  private remember(tool: Tool<any>): Tool<any> {
    this.known.add(tool);
    return tool;
  }

  /** A handoff is a call of the model like any other: it has a name and arguments. */
  private handoff(target: Agent<any, any> | Handoff<any, any>, from: Agent<any, any>): Handoff<any, any> {
    const handoff = asHandoff(target);
    const agent = this.guard(handoff.agent);
    const invoke = handoff.onInvokeHandoff;
    const { mediator, pending } = this.session;
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
          if (outcome.added !== null) pending.push({ role: "user", text: outcome.added, durable: false });
          return this.guard(next);
        }
        if (outcome.kind === "error") throw outcome.thrown;
        const reason =
          outcome.kind === "ask" ? outcome.reason : outcome.kind === "refused" ? outcome.text : null;
        const refusal = reason ?? "hookwarden: the handoff was refused.";
        pending.push({ role: "user", text: refusal, durable: false });
        // The agent keeps the conversation, and is told why.
        return from;
      },
    });
    return guarded;
  }
}

function asHandoff(target: Agent<any, any> | Handoff<any, any>): Handoff<any, any> {
  return target instanceof Agent ? getHandoff(target) : target;
}
