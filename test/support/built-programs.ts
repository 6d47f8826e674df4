/**
 * Set-up of each test file: the processes and threads that the code under test starts are the built ones where these are of
 * the sources as they are now, because they start in less than half the time.
 */
import { fileURLToPath } from "node:url";
import { inject, vi } from "vitest";

const url = (path: string): URL => new URL(`../../${path}`, import.meta.url);
const path = (file: string): string => fileURLToPath(url(file));

vi.mock(import("../../sandbox/src/process/child-location.ts"), async (importOriginal) => {
  const original = await importOriginal();
  if (!inject("isBuilt")) return original;
  const childLocation: typeof original.childLocation = (engine) => ({
    script: path("sandbox/dist/sandbox-child.js"),
    reads: [...original.childLocation(engine).reads, path("sandbox/dist/")],
  });
  return { ...original, childLocation };
});

// An engine that a test brings works on the modules of the child that loads it: such a child runs from the sources.
vi.mock(import("../../sandbox/src/process/launch.ts"), async (importOriginal) => {
  const original = await importOriginal();
  const source = { childModule: path("sandbox/src/process/child.ts") };
  const launchOf: typeof original.launchOf = (settings) =>
    original.launchOf(settings.engineModule === undefined ? settings : { ...source, ...settings });
  return { ...original, launchOf };
});

vi.mock(import("../../sandbox/src/process/fork-server-program.ts"), async (importOriginal) => {
  if (!inject("isBuilt")) return importOriginal();
  return { forkServerProgram: () => path("sandbox/dist/sandbox-fork-server.js") };
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
