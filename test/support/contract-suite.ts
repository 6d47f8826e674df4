import { answers } from "./contract/answers.ts";
import { consoleOutput } from "./contract/console.ts";
import { type Create, runParts, type SuiteOptions } from "./contract/harness.ts";
import { limits } from "./contract/limits.ts";
import { loading } from "./contract/loading.ts";
import { pristine } from "./contract/pristine.ts";
import { programs } from "./contract/programs.ts";
import { stack } from "./contract/stack.ts";
import { tampering } from "./contract/tampering.ts";
import { world } from "./contract/world.ts";

/** These run into limits of time or memory, or are many. */
const slow = [
  "ends a program that does not end while it is loaded",
  "does not load a program again that has just run out of time",
  "ends work without end",
  "holds memory",
  "holds the memory of long texts",
  "holds the answer",
  "ends chains of iterators within the limit of the stack",
  "keeps console, chance and symbols whole near the end of the stack",
  "starts every call from the same world when programs and tenants take turns",
  "starts a kept context anew after a fault that leaves it in doubt",
  "keeps no call's garbage in a kept context",
  // Dozens of attacks, each in programs of its own.
  "reads the true answer of a hook that tampers while it is called",
  "reads the true answer of a hook that tampers while it is loaded",
];

/**
 * Declares the tests that every sandbox passes: the quick ones, or those of `slow`.
 *
 * @param create makes the sandbox under test; `pristine` as in the options of the engines
 * @param options what does not hold for this sandbox, by name of the test, and why
 */
export function describeSandboxContract(name: string, create: Create, options: SuiteOptions = {}): void {
  runParts(
    name,
    create,
    { answers, programs, loading, world, limits, console: consoleOutput, stack, pristine, tampering },
    { ...options, slow },
  );
}
