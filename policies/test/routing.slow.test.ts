import { cp, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { EventInput } from "hookwarden/broker";
import { createWarden } from "hookwarden/warden";
import { eventsOf } from "../scripts/policy-report.ts";
import { routes } from "../scripts/routing.ts";
import { casesOf, hookNames, policiesFolder, readJson } from "./harness.ts";

let unrouted: string;
beforeAll(async () => {
  unrouted = await mkdtemp(join(tmpdir(), "hookwarden-unrouted-"));
  const left = new Set(["test", "scripts", "node_modules"]);
  for (const name of await readdir(policiesFolder))
    if (!left.has(name)) await cp(join(policiesFolder, name), join(unrouted, name), { recursive: true });
  for (const policy of Object.keys(routes)) {
    const path = join(unrouted, policy, "hook.json");
    const manifest = readJson(path) as { on: object[] };
    await writeFile(
      path,
      JSON.stringify({ ...manifest, on: manifest.on.map((row) => ({ ...row, when: undefined })) }),
    );
  }
});
afterAll(() => rm(unrouted, { recursive: true, force: true }));

/** The events of all cases, of the example session, and those recorded, where they are. */
function allEvents(): EventInput[] {
  const cases = hookNames().flatMap((hook) => casesOf(hook));
  const corpus = process.env["HOOKWARDEN_CORPUS"];
  return [
    ...cases.flatMap(({ event, events }) => (events ?? [event]) as EventInput[]),
    ...eventsOf(new URL("../../examples/agent-session.jsonl", import.meta.url).pathname),
    ...(corpus === undefined ? [] : eventsOf(corpus)),
  ];
}

// A condition that misses an event switches its policy off there, and nothing shows it.
test("the conditions of the shipped policies change no decision", { timeout: 300_000 }, async () => {
  await using routed = await createWarden({ pack: policiesFolder, isolation: "inline" });
  await using whole = await createWarden({ pack: unrouted, isolation: "inline" });
  const passedOver = new Set<string>();
  let decided = 0;
  for (const [index, given] of allEvents().entries()) {
    const event = { ...(given as object), session_id: `s${index}` };
    const [decision, expected] = [await routed.dispatch(event), await whole.dispatch(event)];
    const { verdict, reason, changes, additions } = decision;
    const want = { verdict: expected.verdict, reason: expected.reason };
    expect({ event, verdict, reason }).toEqual({ event, ...want });
    expect({ changes, additions }).toEqual({ changes: expected.changes, additions: expected.additions });
    for (const { hook, outcome } of decision.trace) if (outcome === "not-matched") passedOver.add(hook);
    decided++;
  }
  expect(decided).toBeGreaterThan(3_000);
  expect([...passedOver].sort()).toEqual(expect.arrayContaining(Object.keys(routes).sort()));
});
