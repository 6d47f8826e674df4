import {
  createSandbox as createSandboxOf,
  type EngineName,
  type Sandbox,
  ContainmentMissingError,
  EngineMissingError,
} from "@hookwarden/sandbox";
import { HookwardenError } from "../errors/index.ts";
import { CrossCheckedSandbox, type Divergence } from "./cross-check.ts";
import type { WardenOptions } from "./options.ts";

/**
 * Creates the sandbox that the options ask for, and a second one beside it where calls are cross-checked.
 *
 * @throws {HookwardenError} `engine-missing`, `containment-missing`, `option-invalid`
 */
export async function createSandbox(
  options: WardenOptions,
  report: (divergence: Divergence) => void,
): Promise<Sandbox> {
  const engine = options.engine ?? "quickjs";
  const first = options.sandbox ?? (await createOne(options, engine));
  const rate = options.crossCheck ?? 0;
  if (rate === 0) return first;
  try {
    const second = await createOne(options, first.engine === "quickjs" ? "isolate" : "quickjs");
    return new CrossCheckedSandbox(first, second, rate, report);
  } catch (error) {
    if (first !== options.sandbox) await first[Symbol.asyncDispose]();
    throw error;
  }
}

async function createOne(options: WardenOptions, engine: EngineName): Promise<Sandbox> {
  try {
    return await createSandboxOf({
      ...(options.containment === undefined ? {} : { containment: options.containment }),
      ...options.processes,
      engine,
      pristine: options.pristine ?? true,
      isolation: options.isolation ?? "process",
    });
  } catch (error) {
    if (error instanceof EngineMissingError) {
      // The sandbox, which is a library of its own, says what to do; here the table of errors does.
      const [what = error.message] = error.message.split("; run ");
      throw new HookwardenError("engine-missing", what, {}, { cause: error });
    }
    if (error instanceof ContainmentMissingError)
      throw new HookwardenError("containment-missing", error.message, {}, { cause: error });
    if (error instanceof RangeError)
      throw new HookwardenError("option-invalid", error.message, {}, { cause: error });
    throw error;
  }
}
