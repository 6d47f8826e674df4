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

/** Opens the log that the options ask for. Disposes of a sandbox of the warden's own if that fails. */
export async function openLogFor(options: WardenOptions, sandbox: Sandbox): Promise<DecisionLog> {
  try {
    const { DecisionLog: OpenLog, engineIdentity, openLog } = await import("../log/index.ts");
    if (options.log instanceof OpenLog) return options.log;
    const engine = engineIdentity(sandbox.engine, sandbox.version);
    const { tools, pristine = true } = options;
    return await openLog(options.log as string | LogOptions, { engine, tools, pristine });
  } catch (error) {
    if (sandbox !== options.sandbox) await sandbox[Symbol.asyncDispose]();
    throw error;
  }
}
