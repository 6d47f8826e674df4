import { gateway, type LanguageModel, type ToolInputRefinement, type ToolSet } from "ai";
import { checkedHold, Mediator, warnOfUnmediated } from "@hookwarden/mediator";
import { guardedApproval, own } from "./approval.ts";
import { CallDecisions, validateInput } from "./decisions.ts";
import { guardModel } from "./model.ts";
import type { Guard, GuardedSettings, GuardOptions } from "./options.ts";
import { ModelOutputs } from "./outputs.ts";
import { CallIds, type GuardState } from "./state.ts";
import { guardTool, runsAtProvider, type ToolGuard } from "./tool.ts";
import type { AnyTool, ModelObject } from "./types.ts";

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
  const { model, strict = false, onUnmediated = warnOfUnmediated() } = options;
  const hold = checkedHold(options.hold);
  const tools = (options.tools ?? {}) as ToolSet;
  const mediator = new Mediator(options);
  const entries = Object.entries(tools);
  const unmediated = entries.filter(([, tool]) => runsAtProvider(tool)).map(([name]) => name);
  const clientTools = entries
    .filter(([, tool]) => !tool.execute && !runsAtProvider(tool))
    .map(([name]) => name);
  const state: GuardState = {
    mediator,
    strict,
    hold,
    onUnmediated,
    clientTools: new Set(clientTools),
    pending: [],
    calls: new CallIds(),
  };
  const toolGuard = { state, decisions: new CallDecisions(mediator), outputs: new ModelOutputs() };
  const guarded = Object.fromEntries(
    entries
      .filter(([name]) => !strict || !unmediated.includes(name))
      .map(([name, tool]) => [name, guardTool(name, tool, toolGuard)]),
  );
  for (const toolName of unmediated) onUnmediated({ toolName });
  const settings = {
    model: guardModel(modelObject(model), state),
    tools: guarded,
    toolApproval: guardedApproval(toolGuard, options.toolApproval as never),
    experimental_refineToolInput: refinements(tools, toolGuard, options.experimental_refineToolInput),
  };
  return {
    settings: settings as unknown as GuardedSettings<TOOLS>,
    sessionId: mediator.sessionId,
    unmediated,
  };
}

/** Rewrites inputs when they are parsed, so that approvals, results and the conversation refer to the final input. */
function refinements(
  tools: ToolSet,
  { state, decisions }: ToolGuard,
  host: ToolInputRefinement<ToolSet> | undefined,
): ToolInputRefinement<ToolSet> {
  const refine = (name: string): ((input: unknown) => Promise<unknown>) => {
    const tool = tools[name] as AnyTool;
    const before = own(host as Record<string, (input: unknown) => unknown> | undefined, name);
    return async (given) => {
      const input = before ? await before(given) : given;
      // If no hook can rewrite the input, the decision is left to the approval step, which knows the call's id.
      if (!state.mediator.listens("PreToolUse", name, "modify_input") || runsAtProvider(tool)) return input;
      const id = state.calls.find(name, given);
      return decisions.refine({ name, input, id }, (rewritten) => validateInput(tool, rewritten));
    };
  };
  return Object.fromEntries(
    Object.keys(tools).map((name) => [name, refine(name)]),
  ) as ToolInputRefinement<ToolSet>;
}

/** Looks a model's name up as the AI SDK does. */
function modelObject(model: LanguageModel): ModelObject {
  if (typeof model !== "string") return model;
  const { AI_SDK_DEFAULT_PROVIDER: provider = gateway } = globalThis as {
    AI_SDK_DEFAULT_PROVIDER?: { languageModel(name: string): ModelObject };
  };
  return provider.languageModel(model);
}
