import type { EngineName, Sandbox } from "./contract.ts";
import type { ProcessSandboxOptions } from "./process/index.ts";

export interface SandboxOptions extends Omit<ProcessSandboxOptions, "engine"> {
  /** Default `quickjs`. */
  readonly engine?: EngineName;
  /** `process` (default): in child processes that can be killed. `inline`: in this process, quickjs only. */
  readonly isolation?: "process" | "inline";
}

/**
 * Creates a sandbox. What it needs is loaded when it is asked for: an engine is megabytes.
 *
 * @throws {EngineMissingError} if the isolate engine is requested and isolated-vm is not installed.
 * @throws {RangeError} for options that make no sense.
 *
 * @example
 *     await using sandbox = await createSandbox({ engine: "quickjs" });
 *     const outcome = await sandbox.call({ program, tenant: "a", handler: "run", args: ["{}"], time: 0, seed, limits });
 */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { engine = "quickjs", isolation = "process", ...rest } = options;
  if (isolation === "inline") {
    if (engine !== "quickjs") throw new RangeError("`isolate` runs in child processes only");
    const { createQuickjsSandbox } = await import("./quickjs/index.ts");
    return createQuickjsSandbox({ pristine: rest.pristine ?? true });
  }
  const { createProcessSandbox } = await import("./process/index.ts");
  return createProcessSandbox({ ...rest, engine });
}
