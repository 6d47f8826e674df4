import type { Computer, ComputerTool } from "@openai/agents";
import { BoundedMap, beforeAsking } from "@hookwarden/mediator";
import { copyWith } from "./tool.ts";
import { type Approve, asText, Gate, textOf } from "./approval.ts";
import { decide, type GuardSession } from "./session.ts";

/** What each action of a computer is called with, in order. */
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

/**
 * A computer whose actions run between hooks, each as a call of the tool. A screenshot is shown to hooks by its size: they
 * can withhold it, and cannot read it.
 */
export function guardComputerTool(
  tool: ComputerTool<any, any>,
  session: GuardSession,
): ComputerTool<any, any> {
  const { name } = tool;
  // The package asks about all actions of a call first, and makes them then: what was asked is known by what it is.
  const asked = new BoundedMap<boolean>(1_000);
  const originals = new WeakMap<object, Computer>();
  const guardComputer = (computer: Computer): Computer => {
    const guarded = new Proxy(computer, {
      get(target, property) {
        const value: unknown = Reflect.get(target, property, target);
        if (typeof value !== "function") return value;
        const fields = typeof property === "string" ? computerActions.get(property) : undefined;
        if (!fields) return value.bind(target) as unknown;
        return async (...args: unknown[]) => {
          const type = String(property).replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
          const action = { type, ...Object.fromEntries(fields.map((field, index) => [field, args[index]])) };
          let shot: unknown;
          const act = async (input: unknown): Promise<unknown> => {
            const given = input as { readonly [field: string]: unknown };
            if (given.type !== type) throw new Error("a hook rewrote the action to another one");
            const rest = args.slice(fields.length);
            const result: unknown = await Reflect.apply(value, target, [
              ...fields.map((field) => given[field]),
              ...rest,
            ]);
            if (property !== "screenshot") return result;
            shot = result;
            return { screenshot_bytes: typeof result === "string" ? Math.floor((result.length * 3) / 4) : 0 };
          };
          const key = JSON.stringify(action);
          const approved = asked.get(key) === true;
          asked.set(key, false);
          const outcome = await new Gate(session, name).run(action, act, approved);
          if (outcome.kind === "result" && !outcome.replaced && !outcome.isError) {
            if (outcome.added !== null) tell(session, outcome.added);
            return property === "screenshot" ? shot : outcome.result;
          }
          const text = outcome.kind === "result" ? asText(outcome.result) : textOf(outcome);
          // The package tells the model of a failed action by an empty picture only.
          tell(session, text);
          throw new Error(text);
        };
      },
    });
    originals.set(guarded, computer);
    return guarded;
  };
  const given = tool.computer as unknown;
  const made = (create: (args: never) => unknown) => async (args: never) =>
    guardComputer((await create(args)) as Computer);
  const provider = given as { create?: (args: never) => unknown; dispose?: (args: never) => unknown };
  const computer =
    typeof given === "function"
      ? made(given as (args: never) => unknown)
      : typeof provider.create === "function"
        ? {
            ...provider,
            create: made(provider.create),
            ...(provider.dispose
              ? {
                  dispose: (args: { computer: Computer }) =>
                    provider.dispose?.({
                      ...args,
                      computer: originals.get(args.computer) ?? args.computer,
                    } as never),
                }
              : {}),
          }
        : guardComputer(given as Computer);
  const host = tool.needsApproval as Approve | undefined;
  // Each action is judged where it is made; here is only found out whether a person must be asked before.
  const needsApproval: Approve = async (runContext, action, callId) => {
    const shown = actionOf(action);
    const before = await decide(session.mediator, { name, input: shown, id: callId });
    if (before.kind === "refused") return false;
    const needed =
      before.kind === "ask" || (!before.allowed && (await host?.(runContext, action, callId)) === true);
    if (!needed) return false;
    const answer = await beforeAsking(session.mediator, { name, input: shown, id: callId });
    if (answer.kind !== "refused") asked.set(JSON.stringify(shown), true);
    return answer.kind === "ask";
  };
  return copyWith(tool, { computer, needsApproval });
}

/** An action as the model asked for it, in the form in which it is made. */
function actionOf(action: unknown): object {
  const given = action as { readonly type: string; readonly [field: string]: unknown };
  const method = given.type.replace(/_[a-z]/g, (part) => part.slice(1).toUpperCase());
  const fields = computerActions.get(method) ?? [];
  const path = (given.path as { x: number; y: number }[] | undefined)?.map(({ x, y }) => [x, y]);
  const values = fields.map((field) => [field, field === "path" ? path : given[field]]);
  return { type: given.type, ...Object.fromEntries(values) };
}

function tell(session: GuardSession, text: string): void {
  session.pending.push({ role: "user", text, durable: false });
}
