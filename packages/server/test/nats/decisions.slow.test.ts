import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { setTimeout as sleep } from "node:timers/promises";
import type { DecisionRequest, DecisionService } from "../../src/decision-service.ts";
import { DecisionChannel } from "../../src/nats/decision-channel.ts";
import { type NatsClientOptions, NatsDecisionClient } from "../../src/nats/decision-client.ts";
import { NatsLink } from "../../src/nats/link.ts";
import { fleetNames } from "../../src/nats/names.ts";
import { natsMissing, startNats, type TestNats } from "../../../../test/support/nats-server.ts";
import { sampleEvent } from "../../../../test/support/sample-events.ts";

describe.skipIf(natsMissing)("decisions over NATS", () => {
  let nats: TestNats;
  const closing: (() => Promise<unknown>)[] = [];
  let fleets = 0;
  let prefix = "";
  beforeAll(async () => {
    nats = await startNats();
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
    prefix = "";
  });
  afterAll(() => nats?.close());

  async function node(name: string, decide: DecisionService["decide"], maxInFlight?: number) {
    prefix ||= `fleet${++fleets}`;
    const link = new NatsLink({ servers: nats.url });
    await link.up();
    const channel = new DecisionChannel(
      link,
      { decide },
      { names: fleetNames(prefix), node: name, ...(maxInFlight === undefined ? {} : { maxInFlight }) },
    );
    channel.start();
    await link.parts().nc.flush();
    closing.push(async () => {
      await channel.drain();
      await link.close();
    });
    return { link, channel };
  }
  async function client(options: Partial<NatsClientOptions> = {}) {
    prefix ||= `fleet${++fleets}`;
    const made = new NatsDecisionClient({ servers: nats.url, prefix, ...options });
    await made.up();
    closing.push(() => made[Symbol.asyncDispose]());
    return made;
  }
  const decided = ({ tenant, decisionId }: DecisionRequest, by: string) => ({
    status: 200,
    body: JSON.stringify({ decision_id: decisionId, tenant, verdict: "continue", decided_by: by }),
  });

  test("are made by any node, for the tenant of the subject", async () => {
    const seen: string[] = [];
    for (const name of ["n1", "n2"]) {
      await node(name, async (request) => {
        seen.push(name);
        return decided(request, name);
      });
    }
    const ask = await client();
    const tenant = "ünï>*. code";
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => ask.decide(tenant, sampleEvent("PreToolUse"))),
    );
    expect(answers.every((answer) => answer.answered && answer.decision.tenant === tenant)).toBe(true);
    expect(new Set(seen)).toEqual(new Set(["n1", "n2"]));
  });

  test("are made once, however often they are asked for", async () => {
    let calls = 0;
    for (const name of ["n1", "n2", "n3"]) {
      await node(name, async (request) => {
        calls++;
        await sleep(300);
        return decided(request, name);
      });
    }
    const ask = await client({ attemptMs: 30 });
    const answers = await Promise.all([
      ask.decide("t", sampleEvent("PreToolUse"), { decisionId: "same" }),
      ask.decide("t", sampleEvent("PreToolUse"), { decisionId: "same" }),
    ]);
    expect(calls).toBe(1);
    const [one, two] = answers.map((answer) => (answer.answered ? answer.decision : null));
    expect(one).toEqual(two);
    expect(await ask.decide("t", sampleEvent("PreToolUse"), { decisionId: "same" })).toMatchObject({
      decision: one,
    });
    // Another tenant's is another one, whatever it is called.
    await ask.decide("u", sampleEvent("PreToolUse"), { decisionId: "same" });
    expect(calls).toBe(2);
  });

  test("that a node refuses are made by another one", async () => {
    await node("full", async () => ({ status: 503, body: "overloaded" }));
    await node("free", async (request) => decided(request, "free"));
    const ask = await client();
    for (let count = 0; count < 20; count++) {
      const answer = await ask.decide("t", sampleEvent("PreToolUse"));
      expect(answer).toMatchObject({ answered: true, node: "free" });
    }
  });

  // One node is at it and slow, another one is full: that it refuses must not let a third decide the same again.
  test("are made once also where a node is full", async () => {
    const made: string[] = [];
    await node("slow", async (request) => {
      made.push(request.decisionId!);
      await sleep(150);
      return decided(request, "slow");
    });
    await node("full", async (request) => decided(request, "full"), 0);
    const ask = await client({ attemptMs: 20 });
    const ids = Array.from({ length: 20 }, (_, at) => `d${at}`);
    await Promise.all(ids.map((decisionId) => ask.decide("t", sampleEvent("PreToolUse"), { decisionId })));
    expect(made.sort()).toEqual(ids.sort());
  });

  test("are made once over a restart of NATS, and go on after it", { timeout: 30_000 }, async () => {
    let calls = 0;
    const { link } = await node("n1", async (request) => {
      calls++;
      return decided(request, "n1");
    });
    const ask = await client();
    const first = await ask.decide("t", sampleEvent("PreToolUse"), { decisionId: "before" });
    await nats.kill();
    await nats.start();
    await expect.poll(() => link.connected, { timeout: 10_000 }).toBe(true);
    const again = await ask.decide("t", sampleEvent("PreToolUse"), {
      decisionId: "before",
      deadlineMs: 10_000,
    });
    expect(again).toMatchObject({ answered: true, decision: first.answered ? first.decision : null });
    expect(calls).toBe(1);
    // And where somebody deletes the stream, it is made again.
    await link.parts().jsm.streams.delete(fleetNames(prefix).claims);
    const later = await ask.decide("t", sampleEvent("PreToolUse"), { deadlineMs: 10_000 });
    expect(later.answered || later.verdict === "deny").toBe(true);
    expect(await ask.decide("t", sampleEvent("PreToolUse"), { deadlineMs: 10_000 })).toMatchObject({
      answered: true,
    });
  });

  test("an answer to another question, or to none, is an error", async () => {
    const bodies = ["{", "null", '{"decision_id":"other","tenant":"t","verdict":"allow"}'];
    await node("liar", async () => ({ status: 200, body: bodies.shift()! }));
    const ask = await client();
    for (const decisionId of ["a", "b", "c"]) {
      const asked = ask.decide("t", sampleEvent("PreToolUse"), { decisionId });
      await expect(asked).rejects.toThrow("not the decision that was asked for");
    }
  });

  test("that no node makes are failed by policy", async () => {
    const ask = await client({ deadlineMs: 200 });
    expect(await ask.decide("t", sampleEvent("PreToolUse"))).toMatchObject({
      answered: false,
      verdict: "deny",
    });
    expect(await ask.decide("t", sampleEvent("UserPromptSubmit"))).toMatchObject({ verdict: "block" });
    expect(await ask.decide("t", sampleEvent("Stop"))).toMatchObject({ verdict: "continue" });
    const open = await client({ deadlineMs: 200, onFailure: "open" });
    expect(await open.decide("t", sampleEvent("PreToolUse"))).toMatchObject({ verdict: "continue" });
  });

  test("that are refused for good are errors, not verdicts", async () => {
    await node("n1", async () => ({
      status: 400,
      body: "event-invalid",
    }));
    const ask = await client();
    await expect(ask.decide("t", sampleEvent("PreToolUse"))).rejects.toMatchObject({ code: "event-invalid" });
  });

  test("a node that ends answers what it has taken, and takes no more", async () => {
    const { channel } = await node("n1", async (request) => {
      await sleep(100);
      return decided(request, "n1");
    });
    const ask = await client({ deadlineMs: 1_000 });
    const asked = ask.decide("t", sampleEvent("PreToolUse"));
    await sleep(40);
    await channel.drain();
    expect(await asked).toMatchObject({ answered: true, attempts: 1 });
    expect(await ask.decide("t", sampleEvent("PreToolUse"))).toMatchObject({ answered: false });
  });

  // A peer that may publish in the fleet: nonsense in subjects, headers and bodies, and forged answers to no request.
  test("nonsense on the wire is refused, and takes no node down", async () => {
    let calls = 0;
    const { link } = await node("n1", async (request) => {
      calls++;
      return decided(request, "n1");
    });
    const { nc } = link.parts();
    const { headers } = await import("@nats-io/transport-node");
    const bad = async (subject: string, fields: [string, string][]) => {
      const said = headers();
      for (const [name, value] of fields) said.set(name, value);
      const { headers: back } = await nc.request(subject, Buffer.alloc(1_000, 0xff), {
        headers: said,
        timeout: 2_000,
      });
      return back?.get("Hookwarden-Status");
    };
    expect(await bad(`${prefix}.decide.!!`, [["Hookwarden-Decision-Id", "a"]])).toBe("400");
    expect(await bad(`${prefix}.decide.dA`, [])).toBe("400");
    expect(await bad(`${prefix}.decide.dA`, [["Hookwarden-Decision-Id", "a b"]])).toBe("400");
    expect(
      await bad(`${prefix}.decide.dA`, [
        ["Hookwarden-Decision-Id", "a"],
        ["Hookwarden-Epoch", "-1"],
      ]),
    ).toBe("400");
    expect(await bad(`${prefix}.decide.${"A".repeat(2_049)}`, [["Hookwarden-Decision-Id", "a"]])).toBe("400");
    nc.publish(`${prefix}.decide.dA`, "no headers and no reply");
    expect(calls).toBe(0);
    const ask = await client();
    expect(await ask.decide("t", sampleEvent("PreToolUse"))).toMatchObject({ answered: true });
  });
});
