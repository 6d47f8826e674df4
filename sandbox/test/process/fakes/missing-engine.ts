import { EngineMissingError } from "../../../src/engine-missing.ts";

/** An engine whose package is not there. */
export async function createSandbox(): Promise<never> {
  throw new EngineMissingError("isolate", "isolated-vm is not installed");
}
