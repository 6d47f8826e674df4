import {
  gateway,
  type GenericToolApprovalFunction,
  type LanguageModel,
  type ToolApprovalConfiguration,
  type ToolInputRefinement,
  type ToolSet,
} from "ai";
import { HookwardenError } from "hookwarden/errors";
import { warnOfUnmediated, type MediationOptions, Mediator } from "@hookwarden/mediator";
import { guardedApproval, own } from "./approval.ts";
import { guardModel } from "./model.ts";
import { ModelOutputs } from "./outputs.ts";
import { CallIds, type GuardSession, type UnmediatedCall } from "./session.ts";
import { Tickets } from "./tickets.ts";
import { guardTool, runsAtProvider } from "./tool.ts";
import { validateInput } from "./validate-input.ts";
import type { AnyTool, ModelObject, ProviderModel } from "./types.ts";

export interface GuardOptions<TOOLS extends ToolSet> extends MediationOptions {
  readonly model: LanguageModel;
  readonly tools?: TOOLS;
  /** What the host would give as `toolApproval`. Hooks that are stricter win. */
  readonly toolApproval?: ToolApprovalConfiguration<NoInfer<TOOLS>, never>;
  /** What the host would give as `experimental_refineToolInput`. Runs before the hooks. */
  readonly experimental_refineToolInput?: ToolInputRefinement<NoInfer<TOOLS>>;
  /**
   * `true`: tools that the provider runs at its own place are not offered to the model, and an answer that holds a call
   * of one is an error. Default `false`: they are reported to `onUnmediated`.
   */
  readonly strict?: boolean;
  /** Is told of every tool, and every call, that no hook can stand before. Default: a warning of the process for each tool. */
  readonly onUnmediated?: (call: UnmediatedCall) => void;
  /**
   * How many characters of a stream are held back where hooks listen to ModelResponseChunk, so that what is split over
   * chunks is judged whole: at most as long as a secret is. 0: each chunk by itself. Default 256.
   */
  readonly hold?: number;
}

/** The settings of `generateText`, `streamText` and `ToolLoopAgent` that a guard makes. */
export interface GuardedSettings<TOOLS extends ToolSet> {
  readonly model: ProviderModel;
  readonly tools: TOOLS;
  /** Takes the calls of any tools: what it looks at is checked when it runs. */
  readonly toolApproval: GenericToolApprovalFunction<any, any, any>;
  readonly experimental_refineToolInput: ToolInputRefinement<TOOLS>;
}

export interface Guard<TOOLS extends ToolSet> {
  /** To be spread into the settings of a call or an agent. */
  readonly settings: GuardedSettings<TOOLS>;
  readonly sessionId: string;
  /** Names of the tools that the provider runs at its own place: no hook stands before them. Under `strict` they are left out. */
  readonly unmediated: readonly string[];
}

/**
 * Puts a warden around a model and its tools. One guard serves one conversation.
 *
 * @throws {HookwardenError} `option-invalid`
 *
 * @example
 *     const { settings } = guard({ warden, model, tools });
 *     const { text } = await generateText({ ...settings, prompt, stopWhen: isStepCount(20) });
 */
export function guard<TOOLS extends ToolSet = Record<never, never>>(
  options: GuardOptions<TOOLS>,
): Guard<TOOLS> {
  const { model, strict = false, hold = 256, onUnmediated = warnOfUnmediated() } = options;
  if (!(Number.isSafeInteger(hold) && hold >= 0 && hold <= 65_536)) {
    throw new HookwardenError("option-invalid", "`hold` must be a whole number from 0 to 65,536");
  }
  const tools = (options.tools ?? {}) as ToolSet;
  const mediator = new Mediator(options);
  const entries = Object.entries(tools);
  const unmediated = entries.filter(([, tool]) => runsAtProvider(tool)).map(([name]) => name);
  const clientTools = entries
    .filter(([, tool]) => !tool.execute && !runsAtProvider(tool))
    .map(([name]) => name);
  const session: GuardSession = {
    mediator,
    strict,
    hold,
    onUnmediated,
    clientTools: new Set(clientTools),
    pending: [],
    calls: new CallIds(),
  };
  const tickets = new Tickets(mediator);
  const outputs = new ModelOutputs();
  const guarded = Object.fromEntries(
    entries
      .filter(([name]) => !strict || !unmediated.includes(name))
      .map(([name, tool]) => [name, guardTool(name, tool, { session, tickets, outputs })]),
  );
  for (const toolName of unmediated) onUnmediated({ toolName });
  const settings = {
    model: guardModel(modelObject(model), session),
    tools: guarded,
    toolApproval: guardedApproval(session, tickets, options.toolApproval as never),
    experimental_refineToolInput: refinements(tools, session, tickets, options.experimental_refineToolInput),
  };
  return {
    settings: settings as unknown as GuardedSettings<TOOLS>,
    sessionId: mediator.sessionId,
    unmediated,
  };
}

/** Rewrites inputs where they are read, so that approvals, results and the conversation are about the final one. */
function refinements(
  tools: ToolSet,
  session: GuardSession,
  tickets: Tickets,
  host: ToolInputRefinement<ToolSet> | undefined,
): ToolInputRefinement<ToolSet> {
  const refine = (name: string): ((input: unknown) => Promise<unknown>) => {
    const tool = tools[name] as AnyTool;
    const before = own(host as Record<string, (input: unknown) => unknown> | undefined, name);
    return async (given) => {
      const input = before ? await before(given) : given;
      // Approval knows the call's id; it decides where nothing can be rewritten.
      if (!session.mediator.listens("PreToolUse", name, "modify_input") || runsAtProvider(tool)) return input;
      const id = session.calls.find(name, given);
      return tickets.refine({ name, input, id }, (rewritten) => validateInput(tool, rewritten));
    };
  };
  return Object.fromEntries(
    Object.keys(tools).map((name) => [name, refine(name)]),
  ) as ToolInputRefinement<ToolSet>;
}

/** A model's name is looked up as the package does it. */
function modelObject(model: LanguageModel): ModelObject {
  if (typeof model !== "string") return model;
  const { AI_SDK_DEFAULT_PROVIDER: provider = gateway } = globalThis as {
    AI_SDK_DEFAULT_PROVIDER?: { languageModel(name: string): ModelObject };
  };
  return provider.languageModel(model);
}
