import { expect, test } from "vitest";
import { eventOf, guard, startTestServer } from "./support.ts";

interface Line {
  readonly time: string;
  readonly level: string;
  readonly msg: string;
  readonly event: string;
  readonly [name: string]: unknown;
}

test("a refused request is logged with the id of its response, and without its input", async () => {
  await using server = await startTestServer();
  const { key } = await server.tenant("acme", guard);
  const before = server.lines.length;
  const response = await fetch(`${server.url}/v1/decisions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ ...eventOf(), hook_event_name: "hunter2" }),
  });
  expect(response.status).toBe(400);
  const { request_id, code } = (await response.json()) as { request_id: string; code: string };
  const lines = server.lines.slice(before).map((line) => JSON.parse(line) as Line);
  expect(lines).toEqual([
    expect.objectContaining({
      level: "info",
      event: "request-refused",
      request_id,
      error: code,
      status: 400,
    }),
  ]);
  expect(JSON.stringify(lines)).not.toContain("hunter2");
  expect(Object.keys(lines[0]!).slice(0, 4)).toEqual(["time", "level", "msg", "event"]);
  expect(Date.parse(lines[0]!.time)).toBeGreaterThan(0);
});

// An attacker without a credential sends bad requests as fast as possible, to fill the disk with log lines.
test("a flood of refused requests is sampled, and the number of lines left out is logged", async () => {
  await using server = await startTestServer();
  const ask = async (): Promise<void> => void (await fetch(`${server.url}/v1/admin/overview`)).arrayBuffer();
  for (let round = 0; round < 8; round++) await Promise.all(Array.from({ length: 20 }, ask));
  await new Promise((done) => setTimeout(done, 1_100));
  await ask();
  await expect
    .poll(() => server.lines.some((line) => (JSON.parse(line) as Line)["suppressed"] !== undefined))
    .toBe(true);
  const refused = server.lines.filter((line) => line.includes("request-refused"));
  expect(refused.length).toBeLessThan(161);
});

test("a level leaves out what is less severe", async () => {
  await using server = await startTestServer({ logLevel: "warn" });
  await fetch(`${server.url}/v1/admin/overview`);
  expect(server.lines).toEqual([]);
});
