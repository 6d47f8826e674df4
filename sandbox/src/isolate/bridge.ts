import type IsolatedVm from "isolated-vm";
import { permits } from "../guest/permits.ts";
import { preludeSource } from "../guest/generated/prelude.ts";
import { freezeSource } from "./freeze.ts";

/** The host's reference to the bridge of a context. */
export type Bridge = IsolatedVm.Reference<(...args: unknown[]) => unknown>;

/** Name of the global through which the host gets the bridge; deleted before any program code runs. */
export const bridgeName = "hookwarden";

/** What the bridge rejects its decoy with, and so what every successful call of it throws. */
export const decoyReason = 0;

/**
 * Runs in every context, between the host and the prelude. One function, so that the host holds one reference.
 *
 * When a task ends, isolated-vm looks for unhandled rejections, takes the first of them, and reads
 * `message`, `stack` and `name` of its reason: with the guest's getters, after the timeout has been disarmed. A getter
 * that loops would then hang the process. So every task that may run guest code first rejects a promise of its own:
 * the first is always this one, its reason is a number, and the others are dropped unread. The price is that such a
 * task always throws, and that its reply is taken by a second call.
 */
const bridgeSource = `((world) => {
  "use strict";
  const { apply } = Reflect;
  const { parse, stringify } = JSON;
  const { reject } = Promise;
  const NativePromise = Promise;
  const { entry, poll, register, confine, remove, begin, describeThrown } = world;
  // Held here, because the list of rejected promises holds them weakly.
  let decoy;
  let reply = "";
  const guard = () => {
    decoy = apply(reject, NativePromise, [${decoyReason}]);
  };
  // "e" if the module did not complete, otherwise "r" and the prelude's description of its default export.
  const load = (namespace, logBytes, outputBytes, outputDepth) => {
    try {
      return namespace.done === true ? "r" + register(namespace.program, logBytes, outputBytes, outputDepth) : "e";
    } catch {
      return "e";
    }
  };

  // ---- frozen realms only -----------------------------------------------------------------------------------------
  // What programs inherit their \`globalThis\` from.
  let view;
  // By number: the function that evaluates a program's module, and the budgets of its calls.
  const programs = { __proto__: null };
  const freeze = () => {
    delete globalThis.${bridgeName};
    view = (${freezeSource})();
  };
  // "r" and the prelude's description of the default export, or "l", what the module threw, and where.
  const evaluate = (index) => {
    const { factory, logBytes, outputBytes, outputDepth } = programs[index];
    begin();
    const heir = { __proto__: view };
    heir.globalThis = heir;
    try {
      const namespace = { __proto__: null, default: apply(factory, undefined, [heir]) };
      return "r" + register(namespace, logBytes, outputBytes, outputDepth);
    } catch (error) {
      return "l" + describeThrown(error);
    }
  };

  // Evaluates a program, unless there is no index, and calls it, unless there are no arguments. One function with one
  // place for each, so that the frames below a program are the same however it is called.
  const run = (index, args, handler, numbers) => {
    guard();
    reply = "e";
    if (index !== undefined) {
      reply = evaluate(index);
      if (args === undefined || reply[0] !== "r") return;
    }
    reply = "p";
    reply = entry(args, handler, numbers);
  };

  return (task, a, b, c, d, e) => {
    switch (task) {
      case "run":
        return run(a, b, c, d);
      // Before any code of a program: the two that make the world of a context that of the allow-list.
      case "confine":
        return stringify(confine(parse(a)));
      case "remove":
        return remove(parse(a));
      case "guard":
        return guard();
      case "load":
        guard();
        reply = load(a, b, c, d);
        return;
      // For kept contexts, where a call has to be cheap: no decoy, and the reply at once.
      case "plain":
        reply = "p";
        return (reply = entry(a, b, c));
      case "take": {
        const taken = reply === "p" ? poll() : reply;
        reply = "";
        return taken;
      }
      case "freeze":
        return freeze();
      case "add":
        programs[a] = { __proto__: null, factory: b, logBytes: c, outputBytes: d, outputDepth: e };
        return;
      case "drop":
        programs[a] = undefined;
        return;
    }
  };
})`;

/**
 * The script whose effects every context starts with, from a snapshot. It removes nothing yet: V8 adds its newest
 * features to a context only after it is created from the snapshot, and would restore them, or fail because what they
 * depend on is missing. Ends with a primitive, so that no reference is kept.
 */
export function bootSource(): string {
  const bridge = `${bridgeSource}(${preludeSource}(null))`;
  return `Object.defineProperty(globalThis, "${bridgeName}", { value: ${bridge}, configurable: true });0`;
}

/** The allow-list as the bridge takes it; its own global stays until the guard module takes it away. */
export const permitsText: string = JSON.stringify({
  ...permits,
  globalThis: [...(permits["globalThis"] ?? []), bridgeName],
});

/** Evaluated before the program, in the same task: the decoy is the first rejection of that task too. */
export const guardModule = `globalThis.${bridgeName}("guard");delete globalThis.${bridgeName};`;

/** Evaluated after the program, and only if that came to its end. */
export const outerModule = `import "guard";import * as program from "program";export { program };export const done = true;`;
