import { addContext, deny, notify, type PreToolUse, setState, type UserPromptSubmit } from "hookwarden/hook";

interface Config {
  readonly calls?: number;
  readonly tools?: { readonly [tool: string]: number };
  readonly warnAt?: number;
  readonly per?: "session" | "prompt";
}

interface Counts {
  readonly calls: number;
  /** Calls of the tools that have a budget of their own. */
  readonly tools: { readonly [tool: string]: number };
}

const defaultCalls = 200;
const defaultWarning = 0.8;

const PreToolUse: PreToolUse<Counts, Config | undefined> = (event, ctx) => {
  const { calls: most = defaultCalls, tools = {}, warnAt = defaultWarning } = ctx.config ?? {};
  const before = countsOf(ctx.state);
  const tool = event.tool_name;
  const mostOfTool = Object.hasOwn(tools, tool) ? tools[tool] : undefined;
  const ofTool = (Object.hasOwn(before.tools, tool) ? (before.tools[tool] ?? 0) : 0) + 1;
  const calls = before.calls + 1;

  if (calls > most)
    return deny(
      `the budget of ${most} tool calls is used up. Sum up what is done and what is left, and let the person decide`,
    );
  if (mostOfTool !== undefined && ofTool > mostOfTool) {
    return deny(
      `the budget of ${mostOfTool} calls of \`${tool}\` is used up. Use another way, or let the person decide`,
    );
  }
  const counts = setState<Counts>({
    calls,
    tools: mostOfTool === undefined ? before.tools : { ...before.tools, [tool]: ofTool },
  });
  if (calls !== Math.ceil(most * warnAt)) return counts;
  const text = `${calls} of ${most} tool calls are used.`;
  return [counts, addContext(`${text} Finish what matters most first.`), notify(text)];
};

const UserPromptSubmit: UserPromptSubmit<Counts, Config | undefined> = (_event, ctx) =>
  ctx.config?.per === "prompt" ? setState<Counts>({ calls: 0, tools: {} }) : undefined;

export default { PreToolUse, UserPromptSubmit };

/** What was counted so far; nothing where the state is of another shape. */
function countsOf(state: Counts | null): Counts {
  return { calls: state?.calls ?? 0, tools: state?.tools ?? {} };
}
