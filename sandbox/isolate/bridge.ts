import { permits } from "../guest/permits.ts";
import { preludeSource } from "../guest/generated/prelude.ts";

/** Name of the global through which the host takes hold of the bridge; gone before any code of a program runs. */
export const bridgeName = "hookwarden";

/** What the bridge rejects its decoy with, and so what every call of it throws where nothing went wrong. */
export const decoyReason = 0;

/**
 * Runs in every context, between the host and the prelude. One function, so that the host holds one reference.
 *
 * When a task ends, isolated-vm looks for rejected promises that nobody handles, takes the first of them, and reads
 * `message`, `stack` and `name` of its reason: with the guest's getters, after the timeout has been disarmed. A getter
 * that loops would then hang the process. So every task that may run guest code first rejects a promise of its own:
 * the first is always this one, its reason is a number, and the others are dropped unread. The price is that such a
 * task always throws, and that its reply is taken by a second call.
 */
const bridgeSource = `((world) => {
  "use strict";
  const { apply } = Reflect;
  const { reject } = Promise;
  const NativePromise = Promise;
  const { entry, poll, register } = world;
  // Held here, because the list of rejected promises holds them weakly.
  let decoy;
  let reply = "";
  const guard = () => {
    decoy = apply(reject, NativePromise, [${decoyReason}]);
  };
  // "e" where the module did not come to its end, else "r" and what the prelude says of its default export.
  const load = (namespace, logBytes, outputBytes) => {
    try {
      return namespace.done === true ? "r" + register(namespace.program, logBytes, outputBytes) : "e";
    } catch {
      return "e";
    }
  };
  return (task, a, b, c) => {
    switch (task) {
      case "guard":
        return guard();
      case "load":
        guard();
        reply = load(a, b, c);
        return;
      case "call":
        guard();
        reply = "p";
        reply = entry(a, b, c);
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
    }
  };
})`;

/** The script that makes a context ready; ends with a value that nobody could hold on to. */
export function bootSource(): string {
  const world = `${preludeSource}(${JSON.stringify(permits)})`;
  return `Object.defineProperty(globalThis, "${bridgeName}", { value: ${bridgeSource}(${world}), configurable: true });0`;
}

/** Evaluated before the program, in the same task: the decoy is the first rejection of that task too. */
export const guardModule = `globalThis.${bridgeName}("guard");delete globalThis.${bridgeName};`;

/** Evaluated after the program, and only if that came to its end. */
export const outerModule = `import "guard";import * as program from "program";export { program };export const done = true;`;
