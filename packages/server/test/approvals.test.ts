import { createHash, createHmac } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Client, createClient } from "@hookwarden/client";
import { verifyLog } from "hookwarden/log";
import { type ApprovalRecord, answered, asOf } from "../src/approvals/approval.ts";
import { makeKey, signatureOf } from "../src/index.ts";
import { eventOf, packOf, startTestServer, type TestServer } from "./support.ts";

const asking = packOf(
  `export default (event) => event.tool_input.command.startsWith("rm")
    ? { action: "ask", reason: "removes files" } : undefined;`,
  { actions: ["ask"] },
);
const danger = eventOf("s1", "rm -rf build");
const record: ApprovalRecord = {
  tenant: "acme",
  id: "apr_1",
  decisionId: "d1",
  pack: "sha256:0",
  event: danger,
  changes: {},
  input: `sha256:${"1".repeat(64)}`,
  reasons: [],
  openedBy: "host",
  created: new Date(0).toISOString(),
  expires: new Date(1_000).toISOString(),
  state: "pending",
  answeredBy: null,
  answeredAt: null,
  note: null,
};

describe("the state machine of an approval", () => {
  const answer = fc.record({
    state: fc.constantFrom("approved" as const, "denied" as const, "expired" as const),
    by: fc.constantFrom("ada", "bob"),
    at: fc.integer({ min: 0, max: 2_000 }).map((ms) => new Date(ms).toISOString()),
    note: fc.constant(null),
  });

  it("takes at most one answer, none too late, and denies by default", () => {
    fc.assert(
      fc.property(fc.array(answer, { maxLength: 8 }), fc.integer({ min: 0, max: 3_000 }), (answers, now) => {
        let current = record;
        let changes = 0;
        for (const one of answers) {
          const next = answered(current, one);
          if (!next) continue;
          changes++;
          const isLate = Date.parse(one.at) >= 1_000;
          expect(one.state === "expired").toBe(isLate);
          expect(next).toMatchObject({ state: one.state, answeredBy: one.by, input: record.input });
          current = next;
        }
        expect(changes).toBeLessThanOrEqual(1);
        const counts = asOf(current, now).state;
        if (changes === 0) expect(counts).toBe(now >= 1_000 ? "expired" : "pending");
        else expect(counts).toBe(current.state);
      }),
      { seed: 3 },
    );
  });
});

describe("approvals over HTTP", () => {
  const data = mkdtempSync(join(tmpdir(), "hookwarden-approvals-"));
  let test: TestServer;
  let host: Client;
  let person: Client;
  let other: Client;

  const keyOf = async (tenant: string, scopes: readonly ("decide" | "approve")[]): Promise<Client> => {
    const { key } = await test.operator.makeKey({ tenant, name: "k", scopes });
    return createClient({ url: test.url, key });
  };
  /** Opens an approval, and waits until it is there. */
  const open = async (
    seconds = 60,
  ): Promise<{ result: ReturnType<Client["decideWithApproval"]>; one: ApprovalRecord }> => {
    const known = new Set((await person.getApprovals("acme")).map(({ id }) => id));
    const result = host.decideWithApproval(danger, { approvalSeconds: seconds });
    result.catch(() => undefined);
    let one: ApprovalRecord | undefined;
    await expect
      .poll(async () => (one = (await person.getApprovals("acme")).find(({ id }) => !known.has(id))), {
        timeout: 10_000,
      })
      .toBeDefined();
    return { result, one: one! };
  };

  beforeAll(async () => {
    test = await startTestServer({ data, mask: ["/cwd"] });
    await test.tenant("acme", asking);
    await test.tenant("other", asking);
    host = await keyOf("acme", ["decide", "approve"]);
    person = await keyOf("acme", ["approve"]);
    other = await keyOf("other", ["decide", "approve"]);
  });
  afterAll(async () => {
    await test[Symbol.asyncDispose]();
    rmSync(data, { recursive: true, force: true });
  });

  it("let a person allow a step, and show the event without masked values", async () => {
    const { result, one } = await open();
    expect(one).toMatchObject({
      state: "pending",
      reasons: [{ hook: "guard", text: "removes files" }],
      event: { tool_input: { command: "rm -rf build" }, cwd: "[masked]" },
    });
    await person.answerApproval("acme", one.id, { answer: "approve", input: one.input, note: "go on" });
    expect(await result).toMatchObject({
      verdict: "allow",
      decision: { verdict: "ask", decision_id: one.decisionId },
      approval: { state: "approved", note: "go on", input: one.input },
    });
  });

  it("let a person refuse it, and do not ask about other decisions", async () => {
    const { result, one } = await open();
    await person.answerApproval("acme", one.id, { answer: "deny", input: one.input });
    expect(await result).toMatchObject({ verdict: "deny" });
    const harmless = await host.decideWithApproval(eventOf());
    expect(harmless).toMatchObject({ verdict: "continue", approval: null });
  });

  it("deny when the time is over", async () => {
    const { result, one } = await open(1);
    expect(await result).toMatchObject({ verdict: "deny", approval: { state: "expired" } });
    await expect(
      person.answerApproval("acme", one.id, { answer: "approve", input: one.input }),
    ).rejects.toMatchObject({ code: "approval-closed" });
  });

  // Two people answer at the same moment, one yes and one no: exactly one answer may count.
  it("take one of many simultaneous answers", async () => {
    const { result, one } = await open();
    const answers = await Promise.allSettled(
      Array.from({ length: 20 }, (_, at) =>
        person.answerApproval("acme", one.id, { answer: at % 2 ? "deny" : "approve", input: one.input }),
      ),
    );
    const won = answers.filter(
      ({ status }) => status === "fulfilled",
    ) as PromiseFulfilledResult<ApprovalRecord>[];
    expect(won).toHaveLength(1);
    expect((await result).approval!.state).toBe(won[0]!.value.state);
  });

  // An agent that has its host's key approves its own steps.
  it("are not answered by the credential that requested the decision", async () => {
    const { one } = await open();
    await expect(
      host.answerApproval("acme", one.id, { answer: "approve", input: one.input }),
    ).rejects.toMatchObject({ code: "approval-own" });
  });

  // A person is shown one command, and the answer is used for another.
  it("hold for exactly the input that the person saw", async () => {
    const { one } = await open();
    await expect(
      person.answerApproval("acme", one.id, { answer: "approve", input: `sha256:${"0".repeat(64)}` }),
    ).rejects.toMatchObject({ code: "approval-mismatch" });
    expect((await person.getApproval("acme", one.id)).state).toBe("pending");
  });

  it("are invisible to other tenants, and to keys without the scope", async () => {
    const { one } = await open();
    await expect(other.getApproval("acme", one.id)).rejects.toMatchObject({ code: "forbidden" });
    await expect(other.getApproval("other", one.id)).rejects.toMatchObject({ code: "not-found" });
    await expect(other.waitForApproval(one.id)).rejects.toMatchObject({ code: "not-found" });
    await expect(
      other.answerApproval("other", one.id, { answer: "approve", input: one.input }),
    ).rejects.toMatchObject({ code: "not-found" });
    const decider = await keyOf("acme", ["decide"]);
    await expect(decider.getApprovals("acme")).rejects.toMatchObject({ code: "forbidden" });
    await expect(
      decider.answerApproval("acme", one.id, { answer: "approve", input: one.input }),
    ).rejects.toMatchObject({ code: "forbidden" });
    expect(await other.getApprovals("other")).toEqual([]);
  });

  it("are in the audit, opened and closed, in an unbroken chain", async () => {
    const { one } = await open();
    await person.answerApproval("acme", one.id, { answer: "deny", input: one.input });
    const auditor = await test.operator.makeKey({ tenant: "acme", name: "a", scopes: ["audit"] });
    const text = await new Response(
      await createClient({ url: test.url, key: auditor.key }).exportAudit("acme"),
    ).text();
    const lines = text.split("\n").filter((line) => line.includes(one.id));
    expect(lines.map((line) => (JSON.parse(line) as { kind: string; state: string }).state)).toEqual([
      "pending",
      "denied",
    ]);
    const chunks = (async function* () {
      yield Buffer.from(text);
    })();
    expect(await verifyLog(chunks)).toMatchObject({ problem: null });
  });

  it("are refused for another header than seconds, and for arrays of events", async () => {
    const { key } = await test.operator.makeKey({ tenant: "acme", name: "k", scopes: ["decide"] });
    const ask = async (seconds: string, body: object, path = "/v1/decisions"): Promise<number> => {
      const headers = { "content-type": "application/json", "hookwarden-approval": seconds };
      const response = await fetch(test.url + path, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, ...headers },
        body: JSON.stringify(body),
      });
      await response.arrayBuffer();
      return response.status;
    };
    const before = (await person.getApprovals("acme")).length;
    for (const value of ["0", "-1", "86401", "soon", "1e3"]) expect(await ask(value, danger)).toBe(400);
    expect(await ask("60", [danger])).toBe(400);
    // Nothing moves on the connection while the answer waits.
    expect(await ask("51", danger, "/v1/dialects/claude-code/decisions")).toBe(400);
    expect((await person.getApprovals("acme")).length).toBe(before);
  });

  it("are opened for the events of a stream, each for the bytes of its line", async () => {
    const answers = [];
    for await (const one of host.decideStream([eventOf(), danger, danger], { approvalSeconds: 60 }))
      answers.push(one);
    const ids = answers.map((one) => ("approval" in one ? one.approval : null));
    expect(ids).toEqual([null, expect.stringMatching(/^apr_/), expect.stringMatching(/^apr_/)]);
    expect(ids[1]).not.toBe(ids[2]);
    const { input } = await person.getApproval("acme", ids[1]!);
    expect(input).toBe(`sha256:${createHash("sha256").update(JSON.stringify(danger)).digest("hex")}`);
    await person.answerApproval("acme", ids[1]!, { answer: "approve", input });
    expect(await host.waitForApproval(ids[1]!)).toMatchObject({ state: "approved", input });
  });

  // Clients of other systems do not know approvals: without this, an agent that runs without a user waits for one.
  it.each([
    ["approve", "allow"],
    ["deny", "deny"],
  ] as const)("%s: the answer in another system's words is %s", async (answer, permission) => {
    const known = new Set((await person.getApprovals("acme")).map(({ id }) => id));
    const replied = host.decideInDialect("claude-code", danger, { approvalSeconds: 20 });
    let one: ApprovalRecord | undefined;
    await expect
      .poll(async () => (one = (await person.getApprovals("acme")).find(({ id }) => !known.has(id))), {
        timeout: 10_000,
      })
      .toBeDefined();
    expect(one!.event).toMatchObject({ tool_input: { command: "rm -rf build" }, cwd: "[masked]" });
    // A person may take their time: no other decision of the tenant waits for that.
    expect(test.server.context.registry.get("acme")!.inFlight).toBe(0);
    await person.answerApproval("acme", one!.id, { answer, input: one!.input });
    expect(await replied).toMatchObject({ hookSpecificOutput: { permissionDecision: permission } });
  });

  it("deny in another system's words when the time is over", async () => {
    expect(await host.decideInDialect("claude-code", danger, { approvalSeconds: 1 })).toMatchObject({
      hookSpecificOutput: { permissionDecision: "deny" },
    });
  });

  it("survive a restart: those pending are answered after it, and those whose time is over expire", async () => {
    const { one } = await open();
    await test.server.close();
    test = await startTestServer({ data, mask: ["/cwd"] });
    const again = await keyOf("acme", ["approve"]);
    expect((await again.getApproval("acme", one.id)).state).toBe("pending");
    await again.answerApproval("acme", one.id, { answer: "approve", input: one.input });
    expect((await again.getApproval("acme", one.id)).state).toBe("approved");
    person = again;
    host = await keyOf("acme", ["decide"]);
  });

  it("are answered by operators too, who see those of all tenants", async () => {
    const { result, one } = await open();
    const pending = await test.operator.getAllApprovals({ state: "pending" });
    expect(pending.map(({ id }) => id)).toContain(one.id);
    await test.operator.answerApproval("acme", one.id, { answer: "approve", input: one.input });
    expect((await result).verdict).toBe("allow");
  });
});

it("approvals are answered by no credential but those that the server's settings list", async () => {
  const scopes = ["decide", "approve"] as const;
  const keys = ["host", "listed", "other"].map((name) =>
    makeKey({ tenant: "acme", name, scopes: [...scopes], expires: null }),
  );
  const [, listed] = keys;
  await using test = await startTestServer({ approvals: { approvers: [listed!.record.id] } });
  await test.tenant("acme", asking);
  for (const { record: one } of keys) await test.server.context.stores.keys.add(one);
  const [host, person, other] = keys.map(({ key }) => createClient({ url: test.url, key })) as [
    Client,
    Client,
    Client,
  ];
  const result = host.decideWithApproval(danger);
  let pending: readonly ApprovalRecord[] = [];
  await expect
    .poll(async () => (pending = await person.getApprovals("acme")), { timeout: 10_000 })
    .toHaveLength(1);
  const { id, input } = pending[0]!;
  // Operators are not in the list either.
  for (const client of [host, other, test.operator])
    await expect(client.answerApproval("acme", id, { answer: "approve", input })).rejects.toMatchObject({
      code: "approval-not-allowed",
    });
  await person.answerApproval("acme", id, { answer: "approve", input });
  expect((await result).verdict).toBe("allow");
});

describe("the webhook of approvals", () => {
  const secret = "a-secret-of-enough-characters";

  it("is signed, retried, and reports both ends", async () => {
    const received: { type: string; approval: { id: string; state: string } }[] = [];
    let failures = 2;
    const receiver = createServer((request: IncomingMessage, response) => {
      let body = "";
      request.on("data", (chunk: Buffer) => (body += chunk.toString("utf8")));
      request.on("end", () => {
        const signature = String(request.headers["hookwarden-signature"]);
        const seconds = Number(/^t=(\d+),/.exec(signature)?.[1]);
        const mac = createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex");
        expect(signature).toBe(`t=${seconds},v1=${mac}`);
        expect(signature).toBe(signatureOf(body, secret, seconds));
        expect(body).not.toContain("rm -rf");
        if (failures-- > 0) return void response.writeHead(500).end();
        received.push(JSON.parse(body) as (typeof received)[0]);
        response.end();
      });
    });
    await new Promise<void>((done) => receiver.listen(0, "127.0.0.1", done));
    const { port } = receiver.address() as AddressInfo;
    try {
      await using test = await startTestServer({
        approvals: { webhook: { url: `http://127.0.0.1:${port}/hook`, secret, retryMs: 10 } },
      });
      const { client } = await test.tenant("acme", asking);
      const result = client.decideWithApproval(danger);
      await expect.poll(() => received.length, { timeout: 10_000 }).toBe(1);
      expect(received[0]).toMatchObject({
        type: "approval.opened",
        approval: { tenant: "acme", state: "pending" },
      });
      const { id } = received[0]!.approval;
      const { input } = await test.operator.getApproval("acme", id);
      await test.operator.answerApproval("acme", id, { answer: "deny", input });
      expect((await result).verdict).toBe("deny");
      await expect
        .poll(() => received.at(-1))
        .toMatchObject({ type: "approval.closed", approval: { state: "denied" } });
    } finally {
      receiver.close();
      receiver.closeAllConnections();
    }
  });
});
