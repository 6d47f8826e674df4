import type { Sandbox } from "@hookwarden/sandbox";
import { HookwardenError } from "../errors/index.ts";
import type { DecisionLog, LogOptions } from "../log/index.ts";
import type { WardenOptions } from "./options.ts";

/** The package is optional: most hosts report nothing. */
export async function loadTelemetry(): Promise<typeof import("../telemetry/index.ts")> {
  try {
    return await import("../telemetry/index.ts");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    const message =
      "`telemetry` needs the package `@opentelemetry/api`: run `npm install @opentelemetry/api`";
    throw new HookwardenError("package-missing", message, {}, { cause: error });
  }
}

/** Opens the log that the options ask for. */
export async function openLogFor(options: WardenOptions, sandbox: Sandbox): Promise<DecisionLog> {
  const { DecisionLog: OpenLog, engineIdentity, openLog } = await import("../log/index.ts");
  if (options.log instanceof OpenLog) return options.log;
  const engine = engineIdentity(sandbox.engine, sandbox.version);
  const { tools, pristine = true } = options;
  return openLog(options.log as string | LogOptions, { engine, tools, pristine });
}
