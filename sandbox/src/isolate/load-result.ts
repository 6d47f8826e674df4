import type { Program } from "../contract.ts";
import type { Fault, Position } from "../fault.ts";
import { thrownFault } from "../guest/message.ts";
import { loadLimits, type Limits } from "../limits.ts";
import { faults } from "../outcome.ts";
import type { Stop } from "./instance.ts";

/** What is asked of a program: to be loaded for a call, or for an inspection. */
export interface Load {
  readonly program: Program;
  readonly tenant: string;
  readonly limits: Limits;
  readonly budgetMs?: number;
}

/** A program that could not be loaded, by its own text or by what its module did. */
export interface LoadFailure {
  readonly kind: "failed";
  readonly message: string;
  readonly position: Position | null;
}

/** Names of a program's handlers; `null` where one function serves all. */
export type Handlers = readonly string[] | null;

/** A load failure, by the host's own sentence or the engine's. */
export function failure(message: string, position: Position | null = null): LoadFailure {
  return { kind: "failed", message, position };
}

/** A load failure for an error that V8 raised while no code of the guest ran. */
export function syntaxFailure(error: unknown): LoadFailure {
  const { name, message } = error as Error;
  return failure(`${name}: ${message}`);
}

/** Reads the bridge's description of a default export, which starts with `r`. */
export function readExports(reply: string): { readonly handlers: Handlers } | LoadFailure {
  if (reply === "r")
    return failure("the script has no function as its default export; write `export default hook`");
  if (reply.length > loadLimits.replyBytes) return failure("the module exports too many names");
  return { handlers: reply === "rf" ? null : (JSON.parse(reply.slice(1)) as string[]) };
}

/** The fault of a load that ended without a program. */
export function loadFault(result: LoadFailure | Stop, load: Load): Fault {
  if (result.kind === "failed") return thrownFault("load-failed", result.message, result.position);
  switch (result.by) {
    case "wall":
      return faults.loadWall(load);
    case "memory":
      return { code: "memory-exceeded", message: "asked for too much memory while it was loaded" };
    case "crash":
      return { code: "crashed", message: "the engine ended the load" };
  }
}

/** The fault of a call that was stopped. `ms` is the time that it had. */
export function stopFault({ by }: Stop, limits: Limits, ms: number): Fault {
  switch (by) {
    case "wall":
      return ms < limits.wallMs ? faults.budget(ms) : faults.wall(limits);
    case "memory":
      return faults.memory(limits);
    case "crash":
      return { code: "crashed", message: "the engine ended the call" };
  }
}
