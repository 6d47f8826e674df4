import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Client, createClient } from "@hookwarden/client";
import { cliProcess } from "../../../test/cli/cli.ts";
import { eventOf, packOf, startTestServer, type TestServer } from "./support.ts";

/** The first hook fails at commands that begin with `fail`, the second one denies `rm`. */
const files = {
  ...packOf(
    `export default ({ tool_input: { command } }) => {
      if (command.startsWith("fail")) throw new Error("broken");
      return command.startsWith("stop") ? { action: "deny", reason: "stopped" } : undefined;
    }`,
    { name: "broken", on: [{ event: "PreToolUse" }, { event: "PostToolUse" }] },
  ),
  ...packOf(
    `export default ({ tool_input: { command } }) =>
      command.includes("rm") ? { action: "deny", reason: "removes files" } : undefined;`,
    { name: "healthy" },
  ),
  "hookwarden.json": JSON.stringify({
    apiVersion: 1,
    hooks: ["broken", "healthy"],
    defaults: { onFailure: "closed" },
  }),
};
const reason = "the guard throws, a fix is in review";

describe("degraded mode", () => {
  let test: TestServer;
  let host: Client;
  let person: Client;
  const asking = { approvalSeconds: 60 };

  /** Decides with an approval, and answers it. */
  const decideAndAnswer = async (
    command: string,
    answer: "approve" | "deny",
  ): Promise<Awaited<ReturnType<Client["decideWithApproval"]>>> => {
    const result = host.decideWithApproval(eventOf("s", command), asking);
    result.catch(() => undefined);
    await expect.poll(async () => (await pending()).length, { timeout: 10_000 }).toBe(1);
    const [one] = await pending();
    await person.answerApproval("acme", one!.id, { answer, input: one!.input });
    return result;
  };
  const pending = (): ReturnType<Client["getApprovals"]> => person.getApprovals("acme", { state: "pending" });
  const degradedNow = async (): Promise<unknown> =>
    ((await (await fetch(`${test.url}/ready`)).json()) as { degraded: unknown }).degraded;
  const audit = async (): Promise<{ kind: string; [name: string]: unknown }[]> => {
    const text = await new Response(await host.exportAudit("acme")).text();
    return text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { kind: string });
  };

  beforeAll(async () => {
    // Not quarantined: here the hook's own fault is what counts.
    test = await startTestServer({ quarantine: { faults: 1_000 } });
    ({ client: host } = await test.tenant("acme", files));
    await test.tenant("other", files);
    const { key } = await test.operator.makeKey({ tenant: "acme", name: "person", scopes: ["approve"] });
    person = createClient({ url: test.url, key });
  });
  afterAll(() => test[Symbol.asyncDispose]());

  it("denies what a broken guard fails at as long as there is no window", async () => {
    expect(await host.decideWithApproval(eventOf("s", "fail"), asking)).toMatchObject({
      verdict: "deny",
      approval: null,
    });
    expect(await degradedNow()).toBe(0);
  });

  it("asks a person for the time of a window, with a notice, and records all of it", async () => {
    const window = await test.operator.setDegraded("acme", { reason, minutes: 30 });
    expect(Date.parse(window.until) - Date.parse(window.since)).toBe(30 * 60_000);
    const { verdict, decision } = await decideAndAnswer("fail", "approve");
    expect(verdict).toBe("allow");
    const why = `a person is asked instead of denying, because this tenant is in degraded mode until ${window.until}: ${reason}`;
    expect(decision).toMatchObject({ verdict: "ask", decided_by: "broken" });
    expect(decision.reason).toContain(why);
    expect(decision.additions.notices).toEqual([
      { hook: "broken", trust: "third-party", text: decision.reason },
    ]);
    expect(decision.trace[0]?.fault).toMatchObject({ code: "threw" });
    expect((await decideAndAnswer("fail", "deny")).verdict).toBe("deny");

    const records = await audit();
    const kinds = records.map(({ kind }) => kind);
    expect(records).toContainEqual(
      expect.objectContaining({ kind: "degraded", state: "begun", reason, until: window.until }),
    );
    expect(kinds.filter((kind) => kind === "approval")).toHaveLength(4);
    expect(records.find(({ kind }) => kind === "rules")).toMatchObject({
      means: { degraded: expect.stringContaining(reason) as unknown },
    });
  });

  it("is visible: in /ready, the overview, the tenant, metrics and the log", async () => {
    expect(await degradedNow()).toBe(1);
    expect(await test.operator.getOverview()).toMatchObject({ degraded: 1 });
    expect(await test.operator.getTenant("acme")).toMatchObject({ degraded: { reason } });
    const metrics = await fetch(`${test.url}/metrics`, {
      headers: { authorization: `Bearer ${test.operatorKey}` },
    });
    expect(await metrics.text()).toContain("hookwarden_degraded_tenants 1");
    expect(test.lines.filter((line) => line.includes(`"event":"degraded-begun"`))).toHaveLength(1);
  });

  it("changes no deny, neither of the hook itself nor of a healthy one behind the broken one", async () => {
    for (const command of ["stop", "fail; rm -rf /"]) {
      const { verdict, approval } = await host.decideWithApproval(eventOf("s", command), asking);
      expect({ verdict, approval }).toEqual({ verdict: "deny", approval: null });
    }
  });

  it("stays closed where there is no person to ask", async () => {
    const event = eventOf("s", "fail");
    expect(await host.decide(event)).toMatchObject({ verdict: "deny" });
    expect(await host.decideBatch([event])).toMatchObject([{ answer: { verdict: "deny" } }]);
    const after = { ...event, hook_event_name: "PostToolUse", tool_response: {} };
    const { decision } = await host.decideWithApproval(after, asking);
    expect(decision.verdict).not.toBe("ask");
  });

  it("holds for the one tenant, and for operators alone to open", async () => {
    const { key } = await test.operator.makeKey({ tenant: "other", name: "host", scopes: ["decide"] });
    const client = createClient({ url: test.url, key });
    expect(await client.decideWithApproval(eventOf("s", "fail"), asking)).toMatchObject({ verdict: "deny" });
    await expect(host.setDegraded("acme", { reason, minutes: 1 })).rejects.toMatchObject({ status: 403 });
  });

  it("is bounded, and needs a reason that people can read", async () => {
    for (const wrong of [
      { reason, minutes: 241 },
      { reason, minutes: 0 },
      { reason: "", minutes: 5 },
      // Would reorder what a person reads before they answer.
      { reason: "safe\u202etxt", minutes: 5 },
    ])
      await expect(test.operator.setDegraded("acme", wrong)).rejects.toMatchObject({ status: 400 });
    await expect(test.operator.setDegraded("missing", { reason, minutes: 5 })).rejects.toMatchObject({
      status: 404,
    });
  });

  it("is asked for in the words of a dialect too", async () => {
    const body = {
      hook_event_name: "PreToolUse",
      session_id: "s",
      transcript_path: "/t",
      cwd: "/",
      permission_mode: "default",
      tool_name: "Bash",
      tool_input: { command: "fail" },
      tool_use_id: "t1",
    };
    const { key } = await test.operator.makeKey({ tenant: "acme", name: "claude", scopes: ["decide"] });
    const asked = fetch(`${test.url}/v1/dialects/claude-code/decisions`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        "hookwarden-approval": "30",
      },
      body: JSON.stringify(body),
    });
    await expect.poll(async () => (await pending()).length, { timeout: 10_000 }).toBe(1);
    const [one] = await pending();
    await person.answerApproval("acme", one!.id, { answer: "approve", input: one!.input });
    expect(JSON.stringify(await (await asked).json())).toContain(`"permissionDecision":"allow"`);
  });

  it("survives a change of the tenant's settings, and ends when an operator ends it", async () => {
    await test.operator.putTenant("acme", { limits: { queued: 10 } });
    expect(await degradedNow()).toBe(1);
    await test.operator.endDegraded("acme");
    expect(await degradedNow()).toBe(0);
    expect(await host.decideWithApproval(eventOf("s", "fail"), asking)).toMatchObject({ verdict: "deny" });
    await expect(test.operator.endDegraded("acme")).rejects.toMatchObject({ status: 404 });
    expect((await audit()).filter(({ kind }) => kind === "degraded")).toMatchObject([
      { state: "begun" },
      { state: "ended" },
    ]);
  });

  it("ends by itself", async () => {
    await test.operator.setDegraded("acme", { reason, minutes: 1 });
    const tenant = test.server.context.registry.get("acme")!;
    const until = new Date(Date.now() + 150).toISOString();
    await test.server.context.registry.put({ ...tenant.record, degraded: { ...tenant.degraded!, until } });
    expect(tenant.degraded).not.toBeNull();
    await sleep(200);
    expect(tenant.degraded).toBeNull();
    expect(await degradedNow()).toBe(0);
    await expect
      .poll(() => test.lines.filter((line) => line.includes(`"event":"degraded-ended"`)).length)
      .toBeGreaterThan(1);
  });

  it("is opened and ended from the command line", async () => {
    const key = join(test.data, "operator.key");
    writeFileSync(key, `${test.operatorKey}\n`);
    const run = (...args: string[]): ReturnType<typeof cliProcess> =>
      cliProcess(["degraded", "acme", "--server", test.url, ...args]);
    const opened = await run("--key", key, "--minutes", "5", "--reason", reason);
    expect(opened).toMatchObject({ code: 0, err: "" });
    expect(opened.out.replaceAll(/\s+/g, " ")).toContain(reason);
    expect(await degradedNow()).toBe(1);
    expect(await run("--key", key, "--end")).toMatchObject({ code: 0 });
    expect(await degradedNow()).toBe(0);
  });
});
