import type { Sandbox } from "@hookwarden/sandbox";
import { HookwardenError } from "../errors/index.ts";
import { type LoadedPack } from "../pack/index.ts";
import { sourcePlace } from "../compile/index.ts";

/**
 * Loads every script of a pack in the sandbox once, so that one that throws at its top level, or exports no hook, is
 * known before it is asked.
 *
 * @throws {HookwardenError} `load-failed` for the first one, in the order of the pack
 */
export async function preload(sandbox: Sandbox, { hooks }: LoadedPack): Promise<void> {
  const inspections = await Promise.all(
    hooks.map(({ program, limits }) => sandbox.inspect(program, limits, "default")),
  );
  for (const [index, { name, manifest, on }] of hooks.entries()) {
    const inspection = inspections[index];
    if (!inspection) continue;
    const place = { file: `${name}/${manifest.entry}` };
    if (!inspection.ok) {
      const { code, message, position } = inspection.fault;
      const found = position && hooks[index] ? sourcePlace(hooks[index].program, position) : null;
      throw new HookwardenError(
        "load-failed",
        `the script does not load: ${code}: ${message}`,
        found ?? place,
      );
    }
    const { handlers } = inspection;
    const missing = handlers && on.find(({ event }) => !handlers.includes(event));
    if (missing) {
      const what = `the default export has no function \`${missing.event}\`, which \`on\` names`;
      throw new HookwardenError("load-failed", what, place);
    }
  }
}
