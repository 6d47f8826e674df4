/**
 * Set-up of each test file: the processes and threads that the code under test starts are the built ones where these are of
 * the sources as they are now, because they start in less than half the time.
 */
import { fileURLToPath } from "node:url";
import { inject, vi } from "vitest";

const url = (path: string): URL => new URL(`../../${path}`, import.meta.url);
const path = (file: string): string => fileURLToPath(url(file));

vi.mock(import("../../sandbox/src/process/program-path.ts"), async (importOriginal) => {
  if (!inject("isBuilt")) return importOriginal();
  return { programPath: (name) => path(`sandbox/dist/sandbox-${name}.js`) };
});

// Engines that tests bring import the sources.
vi.mock(import("../../sandbox/src/process/child-location.ts"), async (importOriginal) => {
  const original = await importOriginal();
  if (!inject("isBuilt")) return original;
  const childLocation: typeof original.childLocation = (engine) => {
    const { script, reads } = original.childLocation(engine);
    return { script, reads: [...reads, path("sandbox/src/")] };
  };
  return { ...original, childLocation };
});

vi.mock(import("../../packages/server/src/sqlite/audit-program.ts"), async (importOriginal) => {
  if (!inject("isBuilt")) return importOriginal();
  return { auditProgram: () => url("packages/server/dist/audit-worker.js") };
});

vi.mock(import("../../packages/clients/src/hook/programs.ts"), async (importOriginal) => {
  const original = await importOriginal();
  if (!inject("isBuilt")) return original;
  const programs: typeof original.programs = () => ({
    client: path("packages/clients/dist/agent-hook.js"),
    daemon: path("packages/clients/dist/agent-hook-daemon.js"),
    decide: path("packages/clients/dist/agent-hook-decide.js"),
  });
  return { ...original, programs };
});
