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

/**
 * Declares the tests that every sandbox passes.
 *
 * @param create makes the sandbox under test; `pristine` as in the options of the engines
 * @param options what does not hold for this sandbox, by name of the test, and why
 */
export function describeSandboxContract(name: string, create: Create, options: SuiteOptions = {}): void {
  runParts(
    name,
    create,
    { answers, programs, loading, world, limits, console: consoleOutput, stack, pristine, tampering },
    options,
  );
}
