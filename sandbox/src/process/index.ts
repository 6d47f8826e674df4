import type { Sandbox } from "../contract.ts";
import { type ProcessSandboxOptions, settingsOf } from "./options.ts";
import { ProcessPool } from "./pool.ts";

export { EngineMissingError } from "../engine-missing.ts";
export type { ProcessSandboxOptions } from "./options.ts";

/**
 * A sandbox whose engine lives in child processes. The parent owns deadlines and memory caps, and kills; what a child
 * sends is limited and checked. Rejects with `EngineMissingError` where the engine's package is not installed.
 *
 * @example
 *     await using sandbox = await createProcessSandbox({ engine: "quickjs" });
 *     const outcome = await sandbox.call(call);
 */
export async function createProcessSandbox(options: ProcessSandboxOptions): Promise<Sandbox> {
  const pool = new ProcessPool(settingsOf(options));
  try {
    await pool.open();
  } catch (error) {
    await pool[Symbol.asyncDispose]();
    throw error;
  }
  return pool;
}
export { schedulingLauncher } from "./launcher.ts";
export { settingsOf } from "./options.ts";
export { residentMemoryOfTree } from "./resident-memory.ts";
