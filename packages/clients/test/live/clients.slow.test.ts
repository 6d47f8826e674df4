import { describe, expect, test } from "vitest";
import { clientNames } from "../../src/clients/index.ts";
import { denies, passes } from "../../src/doctor/canary-pack.ts";
import { freshInstall } from "../../src/doctor/examine.ts";
import { faults, hangingProgram, tryFault } from "../../src/doctor/faults.ts";
import { paths, tryEveryTool, tryPath } from "../../src/doctor/paths.ts";
import { binaryOf, live } from "./installed-clients.ts";
import { proveActions } from "./proofs.ts";
import { runScripted, steps } from "./scripted.ts";

/**
 * The real clients, one at a time: `HOOKWARDEN_LIVE_CLIENTS=1` runs them, `HOOKWARDEN_LIVE_CACHE` names the folder that
 * they are installed into, and `HOOKWARDEN_LIVE_ONLY` chooses some of them.
 */

if (!live)
  console.warn(
    "skipped: the real clients: HOOKWARDEN_LIVE_CLIENTS is not 1, or there is no HOOKWARDEN_LIVE_CACHE",
  );

const chosen = process.env["HOOKWARDEN_LIVE_ONLY"]?.split(",");

describe.skipIf(!live).each(clientNames.filter((name) => chosen === undefined || chosen.includes(name)))(
  "%s",
  { timeout: 900_000 },
  (client) => {
    test("carries out every action that its table names", async () => {
      const wrong: string[] = [];
      await proveActions(client, binaryOf(client), (what, outcome) => {
        if (outcome === "not carried") wrong.push(what);
      });
      expect(wrong).toEqual([]);
    });

    test.each(paths)("meets a hook by the path: $name", async (path) => {
      const options = { client, binary: binaryOf(client), prepare: freshInstall(passes) };
      const { outcome } = await tryPath(options, path);
      expect(["denied", "not offered"]).toContain(outcome);
    });

    test("meets a hook at the call of every tool", async () => {
      const options = { client, binary: binaryOf(client), prepare: freshInstall(denies) };
      const tools = await tryEveryTool(options, false);
      expect(tools.filter(({ outcome }) => outcome === "no hook")).toEqual([]);
      expect(tools.some(({ outcome }) => outcome === "denied")).toBe(true);
    });

    // Each of these is a way to let a tool run without a decision.
    test.each(faults.filter(({ name }) => name !== hangingProgram))(
      "runs no tool when hookwarden fails: $name",
      async (fault) => {
        expect((await tryFault(client, binaryOf(client), fault)).outcome).toBe("denied");
      },
    );

    test("gets the same verdicts in the scripted session", async () => {
      const decisions = await runScripted(client, binaryOf(client));
      expect(decisions.map(({ verdict }) => verdict)).toEqual(steps.map(({ verdict }) => verdict));
    });
  },
);
