import type { Fault } from "../fault.ts";
import { guestText, thrownFault } from "../guest/message.ts";
import { positionIn } from "../guest/stack.ts";
import type { Limits } from "../limits.ts";
import { faults } from "../outcome.ts";
import type { Load, LoadedProgram, RawResult } from "./raw-result.ts";

/** The fault of a call without a reply. `ms` is the time that it had. */
export function callFault(result: Exclude<RawResult, { kind: "text" }>, limits: Limits, ms: number): Fault {
  switch (result.kind) {
    case "stopped":
      if (result.by === "steps") return faults.steps(limits);
      return ms < limits.wallMs ? faults.budget(ms) : faults.wall(limits);
    case "unsettled":
      return faults.unsettled();
    case "refused-memory":
      return faults.memory(limits);
    case "overflow":
      return faults.stack(limits);
    case "too-large":
      return faults.outputTooLarge(limits);
    case "exception":
      return { code: "threw", message: guestText(result.message) };
    case "trap":
      return { code: "crashed", message: "the engine trapped" };
  }
}

/** The fault of a load without an image. */
export function loadFault(result: Exclude<RawResult | LoadedProgram, LoadedProgram>, load: Load): Fault {
  switch (result.kind) {
    case "exception":
      return thrownFault("load-failed", result.message, positionIn(result.stack ?? "", load.program.name));
    case "unsettled":
      return {
        code: "load-failed",
        message: "the module awaits a promise that can no longer be settled",
      };
    case "stopped":
      return result.by === "steps" ? faults.loadSteps(load.limits) : faults.loadWall(load);
    case "refused-memory":
      return { code: "memory-exceeded", message: "asked for too much memory while it was loaded" };
    case "overflow":
      return { code: "stack-exceeded", message: "used too much stack while it was loaded" };
    case "trap":
      return { code: "crashed", message: "the engine trapped while the module was loaded" };
    case "text":
    case "too-large":
      return { code: "load-failed", message: "the module exports too many names" };
  }
}
