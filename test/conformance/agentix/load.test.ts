import { describe, expect, test } from "vitest";
import { createDialect } from "../../../src/dialects/index.ts";
import { HookwardenError } from "../../../src/errors/index.ts";
import type { HookMode } from "../../../src/pack/types.ts";
import { fakePack } from "../../support/fake-pack.ts";
import { FakeSandbox } from "../../support/fake-sandbox.ts";
import { createWarden } from "../../../src/warden/index.ts";
import { packOf } from "../harness.ts";

/** Agentix, "Builds a hook": what is refused before any hook runs; and what only a slow hook shows. */
describe("agentix: building hooks", () => {
  const hook = (mode: HookMode) =>
    ({ name: "after", on: ["PostModelResponse"], mode, run: () => null }) as const;

  test("a parallel post hook is a load error", async () => {
    const sandbox = new FakeSandbox();
    const warden = await createWarden({ sandbox, pack: fakePack(sandbox, [hook("parallel")]) });
    expect(() => createDialect(warden, "agentix")).toThrow(HookwardenError);
    expect(() => createDialect(warden, "agentix")).toThrow(/`after` is parallel/);
    // It is the system that refuses it, not this host.
    expect(() => createDialect(warden, "hook-event")).not.toThrow();
  });

  test("a reload does not bring one in by the back door", async () => {
    const sandbox = new FakeSandbox();
    const warden = await createWarden({ sandbox, pack: fakePack(sandbox, [hook("sequential")]) });
    const agentix = createDialect(warden, "agentix");
    const message = { phase: "post", turn: { model: "m", assistant_message: "a" } };
    expect(await agentix.handle(message)).toEqual({ cont: message.turn });
    await warden.reload(fakePack(sandbox, [hook("parallel")]));
    await expect(agentix.handle(message)).rejects.toMatchObject({ code: "policy-invalid" });
    await warden.reload(fakePack(sandbox, [hook("sequential")]));
    expect(await agentix.handle(message)).toEqual({ cont: message.turn });
  });

  test("a parallel hook cannot even ask for more than additions", () => {
    const asks = { name: "p", on: "PreModelRequest", mode: "parallel", actions: ["halt"] } as const;
    expect(() => packOf([asks])).toThrow(/a parallel hook may only add/);
  });

  test("parts stand in declared order, with the last hook first to end", async () => {
    const sandbox = new FakeSandbox();
    const ended: string[] = [];
    const release: (() => void)[] = [];
    const hooks = ["a", "b", "c"].map((name, index) => ({
      name,
      on: ["PreModelRequest"] as const,
      mode: "parallel" as const,
      run: () =>
        new Promise((done) => {
          release[index] = () => {
            ended.push(name);
            done({ action: "inject", messages: [{ role: "user", content: name }] });
          };
          if (release.filter(Boolean).length === 3) for (const one of [...release].reverse()) one();
        }),
    }));
    const agentix = createDialect(await createWarden({ sandbox, pack: fakePack(sandbox, hooks) }), "agentix");
    const answer = (await agentix.handle({ phase: "pre", turn: { model: "m", messages: [] } })) as any;
    expect(ended).toEqual(["c", "b", "a"]);
    expect(answer.cont.injections.map(({ text }: { text: string }) => text)).toEqual(["a", "b", "c"]);
  });
});
