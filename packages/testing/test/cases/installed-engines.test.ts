import { afterAll, expect, test, vi } from "vitest";
import { folder } from "../../../../test/cli/cli.ts";
import { bash, packWith } from "./packs.ts";

// As on a machine without the package `isolated-vm`.
vi.resetModules();
vi.doMock("hookwarden/warden", async (original) => {
  const actual = await original<typeof import("hookwarden/warden")>();
  const { HookwardenError } = await import("hookwarden/errors");
  return {
    ...actual,
    createSandbox: async (...args: Parameters<typeof actual.createSandbox>) => {
      if (args[0].engine === "isolate") throw new HookwardenError("engine-missing", "not installed");
      return await actual.createSandbox(...args);
    },
  };
});
const { testPack } = await import("../../src/test-pack.ts");

afterAll(() => {
  vi.doUnmock("hookwarden/warden");
  vi.resetModules();
});

const cases = [{ name: "a", event: bash("rm x"), expect: { verdict: "deny" } }];

test("cases run on the engines that are installed, unless others are asked for", async () => {
  await using dir = await folder(packWith(cases, {}));
  const { engines, missing, passed } = await testPack(dir.path);
  expect({ engines, missing, passed }).toEqual({ engines: ["quickjs"], missing: ["isolate"], passed: 1 });
  for (const engine of ["both", "isolate"] as const)
    await expect(testPack(dir.path, { engine })).rejects.toMatchObject({ code: "engine-missing" });
});
