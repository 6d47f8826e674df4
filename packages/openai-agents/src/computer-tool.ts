import type { Computer, ComputerTool } from "@openai/agents";
import { asText, beforeAsking, BoundedMap } from "@hookwarden/mediator";
import { ActionGuard, type Approve } from "./approval.ts";
import { decide } from "./decisions.ts";
import { textOf } from "./outputs.ts";
import { addPending, type GuardState } from "./state.ts";
import { copyWith } from "./tool.ts";

/** The parameters of each action of a computer, in order. */
const computerActions: ReadonlyMap<string, readonly string[]> = new Map([
  ["click", ["x", "y", "button"]],
  ["doubleClick", ["x", "y"]],
  ["drag", ["path"]],
  ["keypress", ["keys"]],
  ["move", ["x", "y"]],
  ["scroll", ["x", "y", "scroll_x", "scroll_y"]],
  ["type", ["text"]],
  ["wait", []],
  ["screenshot", []],
]);

/** What guarding one computer tool needs. */
interface ComputerGuard {
  readonly name: string;
  readonly state: GuardState;
  /** Actions that were asked about, by their JSON. The SDK asks about all actions of a call before it runs the first. */
  readonly approved: BoundedMap<boolean>;
  /** The computer behind each guarded one. */
  readonly originals: WeakMap<object, Computer>;
}

/**
 * A computer whose actions run between hooks, each as a call of the tool. Hooks see the size of a screenshot: they can
 * withhold it, but not read it.
 */
export function guardComputerTool(tool: ComputerTool<any, any>, state: GuardState): ComputerTool<any, any> {
  const { name } = tool;
  const guard: ComputerGuard = {
    name,
    state,
    approved: new BoundedMap<boolean>(1_000),
    originals: new WeakMap(),
  };
  const host = tool.needsApproval as Approve | undefined;
  // Each action is judged when it runs; here we only find out whether a person must be asked first.
  const needsApproval: Approve = async (runContext, action, callId) => {
    const shown = actionOf(action);
    const before = await decide(state.mediator, { name, input: shown, id: callId });
    if (before.kind === "refused") return false;
    const needed =
      before.kind === "ask" || (!before.allowed && (await host?.(runContext, action, callId)) === true);
    if (!needed) return false;
    const answer = await beforeAsking(state.mediator, { name, input: shown, id: callId });
    if (answer.kind !== "refused") guard.approved.set(JSON.stringify(shown), true);
    return answer.kind === "ask";
  };
  return copyWith(tool, { computer: guardedComputers(tool.computer, guard), needsApproval });
}

/** Guards a computer, or what creates computers. */
function guardedComputers(given: unknown, guard: ComputerGuard): unknown {
  const creating = (create: (args: never) => unknown) => async (args: never) =>
    guardComputer((await create(args)) as Computer, guard);
  if (typeof given === "function") return creating(given as (args: never) => unknown);
  const provider = given as { create?: (args: never) => unknown; dispose?: (args: never) => unknown };
  if (typeof provider.create !== "function") return guardComputer(given as Computer, guard);
  const dispose = (args: { computer: Computer }): unknown =>
    provider.dispose?.({ ...args, computer: guard.originals.get(args.computer) ?? args.computer } as never);
  return { ...provider, create: creating(provider.create), ...(provider.dispose ? { dispose } : {}) };
}

function guardComputer(computer: Computer, guard: ComputerGuard): Computer {
  const guarded = new Proxy(computer, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== "function") return value;
      const fields = typeof property === "string" ? computerActions.get(property) : undefined;
      const method = value.bind(target) as (...args: unknown[]) => unknown;
      if (!fields) return method;
      return (...args: unknown[]) => runAction(guard, { property: String(property), fields, method }, args);
    },
  });
  guard.originals.set(guarded, computer);
  return guarded;
}

interface ActionMethod {
  readonly property: string;
  readonly fields: readonly string[];
  readonly method: (...args: unknown[]) => unknown;
}

async function runAction(
  { name, state, approved }: ComputerGuard,
  { property, fields, method }: ActionMethod,
  args: readonly unknown[],
): Promise<unknown> {
  const type = property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const action = { type, ...Object.fromEntries(fields.map((field, index) => [field, args[index]])) };
  const isScreenshot = property === "screenshot";
  let screenshot: unknown;
  const act = async (input: unknown): Promise<unknown> => {
    const given = input as { readonly [field: string]: unknown };
    if (given.type !== type) throw new Error("a hook rewrote the action to a different type");
    const result = await method(...fields.map((field) => given[field]), ...args.slice(fields.length));
    if (!isScreenshot) return result;
    screenshot = result;
    return { screenshot_bytes: typeof result === "string" ? Math.floor((result.length * 3) / 4) : 0 };
  };
  const key = JSON.stringify(action);
  const isApproved = approved.get(key) === true;
  approved.set(key, false);
  const outcome = await new ActionGuard(state, name).run(action, act, isApproved);
  if (outcome.kind === "result" && !outcome.replaced && !outcome.isError) {
    if (outcome.added !== null) addPending(state, outcome.added);
    return isScreenshot ? screenshot : outcome.result;
  }
  const text = outcome.kind === "result" ? asText(outcome.result) : textOf(outcome);
  // The SDK reports a failed action to the model only as an empty image.
  addPending(state, text);
  throw new Error(text);
}

/** The action that the model asked for, in the form in which it runs. */
function actionOf(action: unknown): object {
  const given = action as { readonly type: string; readonly [field: string]: unknown };
  const method = given.type.replace(/_[a-z]/g, (part) => part.slice(1).toUpperCase());
  const fields = computerActions.get(method) ?? [];
  const path = (given.path as { x: number; y: number }[] | undefined)?.map(({ x, y }) => [x, y]);
  const values = fields.map((field) => [field, field === "path" ? path : given[field]]);
  return { type: given.type, ...Object.fromEntries(values) };
}
