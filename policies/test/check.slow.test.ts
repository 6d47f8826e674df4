import { expect, it } from "vitest";
import { createQuickjsSandbox } from "@hookwarden/sandbox/quickjs";
import { checkPack } from "hookwarden/check";
import { policiesFolder } from "./harness.ts";

it(
  "the shipped policies pass a strict check, and what they allow says why",
  { timeout: 120_000 },
  async () => {
    await using sandbox = await createQuickjsSandbox();
    const { findings, allowed, hooks, notes } = await checkPack(policiesFolder, sandbox);
    expect(hooks.length).toBeGreaterThanOrEqual(12);
    expect(findings.filter(({ severity }) => severity !== "info")).toEqual([]);
    // Here TypeScript is installed: a check that leaves the types out would pass for nothing.
    expect(notes).toEqual([]);
    expect(allowed.map(({ code, file }) => `${code} ${file}`).toSorted()).toEqual([
      "dynamic-property deny-destructive-shell/rules.ts",
    ]);
  },
);
