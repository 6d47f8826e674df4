import { constants } from "node:os";

/** Why a child ended. */
export type End =
  | { readonly cause: "deadline" | "memory" | "retired" }
  | { readonly cause: "violation"; readonly what: string }
  | { readonly cause: "missing"; readonly message: string }
  | {
      readonly cause: "exit";
      readonly how: string;
      readonly outOfMemory: boolean;
      readonly killedExternally: boolean;
    };

/** Why a child ended that exited by itself. `stderr`: the end of what it wrote there. */
export function endOfExit(code: number | null, direct: NodeJS.Signals | null, stderr: string): End {
  const signal = direct ?? signalOf(code);
  // V8 and Node.js abort when the heap is full; guests cannot write to standard error.
  const aborted = signal === "SIGABRT";
  return {
    cause: "exit",
    how: signal ? `signal ${signal}` : `exit code ${code}`,
    outOfMemory: aborted && /<--- Last few GCs --->|out of memory|Allocation failed/.test(stderr),
    // Not one of our own kills, which do not come this way: the operating system's, or an operator's.
    killedExternally: signal === "SIGKILL" || signal === "SIGTERM",
  };
}

/** The signal that ended a child behind a launcher, which reports it as exit code 128 plus its number. */
function signalOf(code: number | null): NodeJS.Signals | null {
  if (code === null || code <= 128) return null;
  const names = Object.entries(constants.signals) as [NodeJS.Signals, number][];
  return names.find(([, number]) => number === code - 128)?.[0] ?? null;
}
