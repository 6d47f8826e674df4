import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { Agent, request as httpRequest } from "node:http";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Client } from "@hookwarden/client";
import type { Decision } from "hookwarden/broker";
import { children } from "../../../sandbox/test/process/support.ts";
import { eventOf, guard, packOf } from "../../../test/bench/server/setup.ts";
import { head, startTestServer, type TestServer } from "./support.ts";

/** Cases of `test/hostile/NON-SCRIPT.md` on tenants that take more than their part, with hooks in real processes. */
const processes = { processes: 1, spares: 1, startMs: 30_000 };
const danger = eventOf("s1", "rm -rf /");
/** A guard that is not held to a deadline by what else the machine does. */
const patientGuard = packOf(guard["guard/hook.js"] as string, { limits: { wallMs: 10_000 } });

/** A request for a decision, as it goes over the wire. */
function questionOf(key: string): string {
  const body = JSON.stringify(eventOf());
  const headers = {
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
    "content-length": String(body.length),
  };
  return `${head("POST", "/v1/decisions", headers)}${body}`;
}

describe("a process for each tenant", () => {
  // However few cores there are: where one process serves one tenant at a time, the first call that never ends would keep
  // all others from theirs until it is ended, and cost them their process.
  it("is not the only one: no tenant waits for another tenant's first endless call", async () => {
    await using test = await startTestServer({ where: "process", isolation: "tenant", audit: "off" });
    const endless = packOf("export default () => { for (;;); }", {
      limits: { steps: 500_000_000, wallMs: 4_000 },
    });
    const { client: loud } = await test.tenant("loud", endless);
    const { client: quiet } = await test.tenant("quiet", patientGuard);
    expect((await quiet.decide(danger)).verdict).toBe("deny");
    // A process may be given to another tenant after a while.
    await sleep(100);
    let isOver = false;
    const endlessly = loud.decide(eventOf()).finally(() => (isOver = true));
    await sleep(100);
    for (let round = 0; round < 5; round++) expect((await quiet.decide(danger)).verdict).toBe("deny");
    expect(isOver).toBe(false);
    expect((await endlessly).trace[0]?.fault?.code).toBe("timeout");
  });
});

describe("http-009: a tenant whose hooks burn their deadline", () => {
  const sent = 10_000;
  const concurrency = 4;
  const queued = 20;
  const wallMs = 50;
  const cpuMsPerMinute = 1_000;
  // Nothing inside ends it: each call costs its whole deadline, and a process.
  const burner = packOf("export default () => { for (;;); }", { limits: { steps: 500_000_000, wallMs } });

  // Quarantine would end this after five calls: it is switched off, so that only the tenant's own limits hold it back.
  it(
    "is held to its concurrency and its processor time, and the tenant beside it is always answered",
    { timeout: 180_000 },
    async () => {
      const before = children();
      await using test = await startTestServer({
        where: "process",
        processes,
        audit: "off",
        quarantine: { faults: 1_000_000_000 },
      });
      const limits = { requestsPerSecond: 1_000_000, concurrency, queued, cpuMsPerMinute };
      const loud = await test.tenant("loud", burner, { limits });
      const { client: quiet } = await test.tenant("quiet", patientGuard);
      const tenant = test.server.context.registry.get("loud")!;
      let most = 0;
      const ended = new AbortController();
      const beside = decideUntil(quiet, ended.signal, () => (most = Math.max(most, tenant.inFlight)));
      const answers = await flood(test.port, loud.key, sent);
      ended.abort();
      const { answered, longestMs, wrong } = await beside;

      // Every event has an answer, and none of them an open gate: what ran is closed, what did not run is refused.
      expect([...answers.values()].reduce((sum, count) => sum + count, 0)).toBe(sent);
      for (const answer of answers.keys())
        expect(answer).toMatch(
          /^(200 deny (timeout|overloaded|quarantined|crashed)|429 (queue-full|cpu-exhausted))$/,
        );
      expect(answers.get("429 queue-full")).toBeGreaterThan(0);
      // What was under way when the time was used up, in either lane.
      const ran = answers.get("200 deny timeout") ?? 0;
      expect(ran).toBeGreaterThan(0);
      expect(ran).toBeLessThanOrEqual(cpuMsPerMinute / wallMs + 1 + 2 * most);
      expect(most).toBeGreaterThan(0);
      // Those under way when it was moved to the slow lane, where two may be, end where they began.
      expect(most).toBeLessThanOrEqual(concurrency + 2);
      expect(tenant.cpu.ms).toBeGreaterThan(cpuMsPerMinute);
      const last = await loud.client.decide(eventOf()).catch((error: unknown) => error);
      expect(last).toMatchObject({ status: 429, code: "cpu-exhausted", retryAfter: 5 });

      expect(wrong).toEqual([]);
      expect(answered).toBeGreaterThan(20);
      expect(longestMs).toBeLessThan(20_000);
      await test.server.close();
      expect(children()).toEqual(before);
    },
  );
});

describe("a tenant that may have one decision under way", () => {
  // A tenant in the slow lane has two slots there, whatever its limit.
  it("may have no more in the slow lane", async () => {
    await using test = await startTestServer({ audit: "off" });
    await test.tenant("one", guard, { limits: { concurrency: 1 } });
    const tenant = test.server.context.registry.get("one")!;
    expect(tenant.chooseSandbox().flow.concurrency).toBe(1);
    test.server.context.lanes.heavy.failure("one");
    const { lane, flow } = tenant.chooseSandbox();
    expect([lane.name, flow.concurrency]).toEqual(["slow", 1]);
  });
});

describe("http-012: clients that go away", () => {
  it("a thousand times: what has not begun never does, and no process, place or descriptor is left behind", async () => {
    const before = children();
    await using test = await startTestServer({ where: "process", processes, audit: "off" });
    const { client, key } = await test.tenant(
      "goers",
      packOf("export default () => { for (let i = 0; i < 20000; i++); }", { limits: { wallMs: 10_000 } }),
      { limits: { concurrency: 1, requestsPerSecond: 100_000 } },
    );
    for (let at = 0; at < 20; at++) expect((await client.decide(eventOf())).verdict).toBe("continue");
    const tenant = test.server.context.registry.get("goers")!;
    const { decisions } = tenant;
    const own = children();
    const open = readdirSync("/proc/self/fd").length;
    const text = questionOf(key);
    for (let round = 0; round < 20; round++) {
      await Promise.all(Array.from({ length: 50 }, () => askAndGo(test.port, text)));
    }
    await expect.poll(() => [tenant.inFlight, tenant.waiting], { timeout: 20_000 }).toEqual([0, 0]);
    expect(tenant.decisions - decisions).toBeLessThan(1_000);
    expect(children()).toEqual(own);
    await expect.poll(() => readdirSync("/proc/self/fd").length, { timeout: 10_000 }).toBeLessThan(open + 20);
    expect((await client.decide(eventOf())).verdict).toBe("continue");
    await test.server.close();
    expect(children()).toEqual(before);
  });
});

describe("a tenant that asks, and does not read", () => {
  // Its answers are large, it takes none of them, and each that was given makes room for the next decision: neither its
  // time nor its decisions under way hold it back, and what it does not read stays in the memory that is all tenants'.
  const large = packOf(
    "export default (event) => ({ action: 'modify_input', input: { ...event.tool_input, more: 'x'.repeat(4_000_000) } })",
    {
      actions: ["modify_input"],
      limits: { wallMs: 10_000, steps: 50_000_000, outputBytes: 4_194_304, memoryKb: 65_536 },
    },
  );

  function askWithoutReading({ port }: TestServer, key: string, times: number): Socket[] {
    const text = questionOf(key);
    return Array.from({ length: times }, () => {
      const socket = connect(port, "127.0.0.1").pause();
      socket.on("error", () => undefined);
      socket.write(text);
      return socket;
    });
  }

  it("gets no more when so much waits for it, and others do", async () => {
    const unsentBytes = 20_000_000;
    await using test = await startTestServer({ audit: "off", limits: { unsentBytes } });
    const greedy = await test.tenant("greedy", large);
    const { client: quiet } = await test.tenant("quiet", patientGuard);
    const { unsent } = test.server.context;
    const answer = JSON.stringify(await greedy.client.decide(eventOf())).length;
    await expect.poll(() => unsent.of("greedy")).toBe(0);
    const sockets = askWithoutReading(test, greedy.key, 5);
    await expect.poll(() => unsent.of("greedy"), { timeout: 20_000 }).toBeGreaterThan(unsentBytes - answer);
    const refused = greedy.client.decide(eventOf()).catch((error: unknown) => error);
    expect(await refused).toMatchObject({ status: 429, code: "slow-consumer", retryAfter: 1 });
    expect((await quiet.decide(danger)).verdict).toBe("deny");
    expect(unsent.of("greedy")).toBeLessThanOrEqual(unsentBytes);
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => unsent.of("greedy"), { timeout: 10_000 }).toBe(0);
    expect((await greedy.client.decide(eventOf())).verdict).toBe("continue");
  });

  // One request for many answers is the same in one place: all of them stand in memory until the last one is there.
  it("gets no more than so much for a trial, and refusals for the rest", async () => {
    await using test = await startTestServer({ audit: "off", limits: { unsentBytes: 500_000_000 } });
    const { client } = await test.tenant("greedy", large);
    const results = await client.try("greedy", { events: Array.from({ length: 12 }, () => eventOf()) });
    const codes = results.map((one) => ("answer" in one ? "answer" : one.code));
    expect(codes.slice(0, 2)).toEqual(["answer", "answer"]);
    expect(new Set(codes.slice(3))).toEqual(new Set(["slow-consumer"]));
  });

  it("gets no more than so much for a batch, and refusals for the rest", async () => {
    await using test = await startTestServer({ audit: "off", limits: { unsentBytes: 500_000_000 } });
    const { client } = await test.tenant("greedy", large);
    const batch = await client.decideBatch(Array.from({ length: 60 }, (_, at) => eventOf(`s${at}`)));
    const codes = batch.map((one) => ("answer" in one ? one.answer.verdict : one.code));
    expect(new Set(codes)).toEqual(new Set(["continue", "slow-consumer"]));
    // Those that were under way when it was too much come on top.
    expect(codes.filter((code) => code === "continue").length).toBeLessThanOrEqual(3 + 16);
  });

  it("loses the connection when nothing moves on it", async () => {
    const data = mkdtempSync(join(tmpdir(), "hookwarden-stalled-"));
    try {
      // The pack is put there before: that takes as long as it takes.
      const first = await startTestServer({ data, audit: "off" });
      const { key } = await first.tenant("greedy", large);
      await first.server.close();
      await using test = await startTestServer({ data, audit: "off", limits: { stalledMs: 500 } });
      const { unsent } = test.server.context;
      const sockets = askWithoutReading(test, key, 1);
      await expect.poll(() => unsent.of("greedy"), { timeout: 20_000 }).toBeGreaterThan(0);
      await expect.poll(() => unsent.of("greedy"), { timeout: 20_000 }).toBe(0);
      for (const socket of sockets) socket.destroy();
    } finally {
      rmSync(data, { recursive: true, force: true });
    }
  });
});

/** Asks for one decision after another. @returns how many came, what was wrong with them, and how long the longest took. */
async function decideUntil(
  client: Client,
  signal: AbortSignal,
  each: () => void,
): Promise<{ readonly answered: number; readonly longestMs: number; readonly wrong: readonly unknown[] }> {
  let answered = 0;
  let longestMs = 0;
  const wrong: unknown[] = [];
  for (; !signal.aborted; answered++) {
    const begun = performance.now();
    const isDanger = answered % 2 === 0;
    try {
      const { verdict, trace } = await client.decide(isDanger ? danger : eventOf());
      if (verdict !== (isDanger ? "deny" : "continue") || trace[0]?.outcome !== "honoured")
        wrong.push({ verdict, trace });
    } catch (error) {
      wrong.push(error);
    }
    longestMs = Math.max(longestMs, performance.now() - begun);
    each();
    await sleep(2);
  }
  return { answered, longestMs, wrong };
}

/** Sends so many events as fast as it can over 200 connections. @returns how often each answer came. */
async function flood(port: number, key: string, count: number): Promise<Map<string, number>> {
  const agent = new Agent({ keepAlive: true, maxSockets: 200 });
  const body = JSON.stringify(eventOf());
  const answers = new Map<string, number>();
  const one = (): Promise<string> =>
    new Promise((done, failed) => {
      const request = httpRequest(
        {
          agent,
          port,
          host: "127.0.0.1",
          method: "POST",
          path: "/v1/decisions",
          headers: {
            authorization: `Bearer ${key}`,
            "content-type": "application/json",
            "content-length": body.length,
          },
        },
        (response) => {
          let text = "";
          response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
          response.on("end", () => {
            const { code, verdict, trace } = JSON.parse(text) as Partial<Decision> & { code?: string };
            done(`${response.statusCode} ${code ?? `${verdict} ${trace?.[0]?.fault?.code}`}`);
          });
        },
      );
      request.on("error", failed);
      request.end(body);
    });
  let left = count;
  const sender = async (): Promise<void> => {
    while (left-- > 0) {
      const answer = await one();
      answers.set(answer, (answers.get(answer) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: 200 }, sender));
  agent.destroy();
  return answers;
}

/** Sends a request, and is gone before there can be an answer. */
function askAndGo(port: number, text: string): Promise<void> {
  return new Promise((done) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(text, () => socket.destroy()));
    socket.on("error", () => undefined);
    socket.once("close", () => done());
  });
}
