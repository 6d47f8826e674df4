import { expect, test } from "vitest";
import { eventOf, guard, startTestServer } from "./support.ts";

test("decisions are found in the audit by verdict, hook and text, newest first, and read with their trace", async () => {
  await using server = await startTestServer();
  const { client } = await server.tenant("acme", guard);
  const { client: other } = await server.tenant("other", guard);
  for (let at = 0; at < 5; at++) await client.decide(eventOf(`s${at}`));
  await client.decide(eventOf("s9", "rm -rf /"));
  await other.decide(eventOf("s1", "rm -rf / # of another tenant"));
  const all = await client.getDecisions("acme");
  expect(all.decisions.map(({ verdict }) => verdict)).toEqual(["deny", ...Array(5).fill("continue")]);
  expect(all.more).toBe(false);
  const denied = await client.getDecisions("acme", { verdict: "deny", hook: "guard", text: "RM -RF" });
  expect(denied.decisions).toHaveLength(1);
  expect(denied.decisions[0]).toMatchObject({ tool: "Bash", decided_by: "guard", node: "local" });
  expect((await client.getDecisions("acme", { hook: "absent" })).decisions).toEqual([]);
  expect((await client.getDecisions("acme", { before: denied.decisions[0]!.n })).decisions).toHaveLength(5);
  const record = (await client.getDecision("acme", denied.decisions[0]!)) as {
    decision: { trace: { hook: string }[] };
  };
  expect(record.decision.trace.map(({ hook }) => hook)).toEqual(["guard"]);
  // The first record is that of the run, not of a decision; and another tenant's records stay its own.
  await expect(client.getDecision("acme", { node: "local", n: 1 })).rejects.toMatchObject({
    code: "not-found",
  });
  await expect(client.getDecisions("other")).rejects.toMatchObject({ code: "forbidden" });
});
