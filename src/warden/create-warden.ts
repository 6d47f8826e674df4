import type { Sandbox } from "@hookwarden/sandbox";
import { toolInputChecks } from "../broker/index.ts";
import { startFactThreadSoon } from "../facts/index.ts";
import type { Divergence } from "./cross-check.ts";
import { Generation } from "./generation.ts";
import { HostFacts } from "./host-facts.ts";
import { type WardenOptions } from "./options.ts";
import { checkOptions } from "./check-options.ts";
import { loadTelemetry, openLogFor } from "./optional-parts.ts";
import { preload } from "./preload.ts";
import { createSandbox } from "./sandboxes.ts";
import { supply } from "./supply.ts";
import { Warden } from "./warden.ts";

/**
 * Loads a pack, starts its sandbox, and answers events with decisions.
 *
 * @throws {HookwardenError} for an option, pack or engine that cannot be used. Nothing is left running then.
 *
 * @example
 *     await using warden = await createWarden({ pack: "./policies" });
 *     const decision = await warden.dispatch(event);
 */
export async function createWarden(options: WardenOptions): Promise<Warden> {
  checkOptions(options);
  const toolInputs = toolInputChecks(options.tools ?? {});
  const hostFacts = new HostFacts(options.facts ?? {}, options.resolveLink);
  let report: (divergence: Divergence) => void = () => undefined;
  // Child processes start while the pack is loaded.
  const starting = createSandbox(options, (divergence) => report(divergence));
  starting.catch(() => undefined);
  try {
    const { pack, bundle } = await supply(options);
    const generation = new Generation(pack, options.rules);
    const sandbox = await starting;
    if (options.preload) await preload(sandbox, pack);
    await bundle?.keep();
    const log = options.log === undefined ? null : await openLogFor(options, sandbox);
    if (generation.plan.events.values().some(({ facts }) => facts.length > 0)) startFactThreadSoon();
    const warden = new Warden(options, generation, { sandbox, toolInputs, hostFacts, log, bundle });
    report = (divergence) => warden.announce("divergence", divergence);
    const refused = bundle?.refused;
    // Deferred, so that the caller can attach listeners first.
    if (refused)
      setImmediate(() => warden.announce("reload", { ok: false, pack: pack.digest, error: refused }));
    if (options.telemetry) {
      const { telemetry } = await loadTelemetry();
      warden.on("decision", telemetry());
    }
    return warden;
  } catch (error) {
    await dispose(starting, options);
    throw error;
  }
}

/** Disposes of a sandbox that will not be used, unless it is the caller's own. */
async function dispose(starting: Promise<Sandbox>, { sandbox: own }: WardenOptions): Promise<void> {
  const sandbox = await starting.catch(() => null);
  if (sandbox !== own) await sandbox?.[Symbol.asyncDispose]();
}
