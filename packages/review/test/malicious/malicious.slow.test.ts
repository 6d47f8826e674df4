import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSandbox, type Sandbox } from "@hookwarden/sandbox";
import { readSubject, review } from "../../src/index.ts";
import { createWarden } from "hookwarden/warden";
import { malicious } from "./index.ts";
import { maliciousPack } from "./pack.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await createSandbox({ isolation: "inline" });
});
afterAll(() => sandbox[Symbol.asyncDispose]());

describe("a malicious hook", () => {
  // Each does what its author promised on the events that a naive suite has, and something else elsewhere.
  it.each(malicious)("that is a $name behaves on the documented cases", async (one) => {
    await using pack = await maliciousPack(one);
    await using warden = await createWarden({ pack: pack.path, sandbox });
    const { held, passed } = one.naive;
    if (held) expect((await warden.dispatch({ ...held, time: "2026-02-03T10:00:00Z" })).verdict).toBe("deny");
    const decision = await warden.dispatch({ ...passed, time: "2026-02-03T10:00:00Z" });
    expect(decision.verdict).toBe("continue");
    expect(decision.trace.filter(({ fault }) => fault !== null)).toEqual([]);
  });

  it.each(malicious)("that is a $name is flagged with the right code", { timeout: 240_000 }, async (one) => {
    await using pack = await maliciousPack(one);
    const { findings, sheet } = await review({
      subject: await readSubject(pack.path),
      events: [],
      sandbox,
      other: null,
    });
    const grave = findings
      .filter(({ severity }) => severity === "high" || severity === "medium")
      .map(({ code }) => code);
    expect(grave).toEqual(
      expect.arrayContaining([expect.toSatisfy((code: string) => one.codes.some((want) => want === code))]),
    );
    expect(sheet.suggestion).not.toBe("approve");
  });
});
