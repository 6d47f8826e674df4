import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type ClientName, clientNames, clients, type Json } from "../../src/clients/index.ts";
import { isExact } from "../../src/hook/exact-answer.ts";
import { refusal } from "../../src/hook/refusal.ts";
import { Answerer } from "../../src/translate/answerer.ts";
import type { FakeHook } from "../../../../test/support/fake-pack.ts";
import { fakeWarden } from "../../../../test/support/fake-warden.ts";

/** Messages as the real clients sent them (`test/live/record-payloads.ts`). */
function recorded(client: ClientName): readonly Json[] {
  const file = new URL(`fixtures/${client}.jsonl`, import.meta.url);
  if (!existsSync(file)) throw new Error(`${client} has no recorded messages`);
  return readFileSync(file, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Json);
}

const others = clientNames.filter((name) => name !== "claude-code");

/** The first recorded message that is an event of the catalogue. */
function messageAt(client: ClientName, event: string): Json {
  const found = recorded(client).find(
    ({ hook_event_name }) => clients[client].events[String(hook_event_name)]?.event === event,
  );
  if (!found) throw new Error(`${client} sent no ${event}`);
  return found;
}

async function answerTo(client: ClientName, message: Json, hook: FakeHook): Promise<Json> {
  const { warden } = await fakeWarden([hook]);
  return { ...(await new Answerer(warden, { client }).answer(message)) };
}

describe.each(others)("%s", (client) => {
  test("has a row for each event that it sent, and its messages are events of the catalogue", async () => {
    for (const message of recorded(client)) {
      const name = String(message["hook_event_name"]);
      expect(Object.keys(clients[client].events)).toContain(name);
      expect(await answerTo(client, message, { name: "guard", run: () => null })).toEqual({});
    }
  });

  // A denial that the client does not understand is a permission.
  test("gets a denial in exactly the form that it honours", async () => {
    const message = messageAt(client, "PreToolUse");
    const run = () => ({ action: "deny", reason: "not today" });
    const answer = await answerTo(client, message, { name: "guard", run });
    const row = clients[client].events[String(message["hook_event_name"])]!;
    expect(JSON.stringify(answer)).toContain("not today");
    expect(isExact(row, answer)).toBe(true);
    expect(answer).toMatchSnapshot({ ...maskedReason(answer) });
  });

  test("asks only where it can, and otherwise denies", async () => {
    const message = messageAt(client, "PreToolUse");
    const run = () => ({ action: "ask", reason: "is that right?" });
    const answer = await answerTo(client, message, { name: "guard", run });
    const { answers, instead } = clients[client].events[String(message["hook_event_name"])]!;
    const expected = instead?.ask === "stop" ? answers.stop?.("r", message) : answers.ask?.("r");
    expect(shapeOf(answer)).toEqual(shapeOf(expected));
  });

  test("is refused at every event where it can be, when there is no decision", () => {
    for (const [name, row] of Object.entries(clients[client].events)) {
      const outcome = refusal(client, { hook_event_name: name }, "it failed");
      expect(isExact(row, JSON.parse(outcome.out))).toBe(true);
      if (row.answers.stop) expect(outcome.out).toContain("it failed");
    }
    expect(refusal(client, null, "it failed")).toMatchObject({ exit: 2, err: "it failed" });
    expect(refusal(client, { hook_event_name: "__proto__" }, "it failed").exit).toBe(2);
  });

  // One field more, or a reason less, and some clients run the tool.
  test("never gets an answer with an unknown field, or without a reason", () => {
    for (const row of Object.values(clients[client].events)) {
      expect(isExact(row, {})).toBe(true);
      for (const wrong of [null, [], "deny", { approve: true }, { hookSpecificOutput: { other: 1 } }]) {
        expect(isExact(row, wrong)).toBe(false);
      }
      const answer = row.answers.stop?.("why", {});
      if (!answer) continue;
      expect(isExact(row, answer)).toBe(true);
      expect(isExact(row, { ...answer, suppressOutputs: true })).toBe(false);
      // Where a result or a prompt takes the place of another, a text of ours precedes the reason.
      if (row.event === "PreToolUse") expect(isExact(row, row.answers.stop?.("", {}))).toBe(false);
    }
  });

  test("keeps a halt that it cannot carry out until it can", async () => {
    const message = messageAt(client, "PreToolUse");
    const { warden } = await fakeWarden([
      { name: "guard", run: () => ({ action: "halt", reason: "it is over" }) },
    ]);
    const answerer = new Answerer(warden, { client });
    for (const _ of [1, 2]) {
      expect(JSON.stringify(await answerer.answer(message))).toContain("it is over");
    }
  });
});

// The client merges the rewritten input with the model's: what a hook took out would come back.
test.each(["gemini-cli", "droid"] as const)("%s is refused an input without a field", async (client) => {
  const message = messageAt(client, "PreToolUse");
  const run = () => ({ action: "modify_input", input: { other: "x" } });
  await expect(answerTo(client, message, { name: "guard", run })).rejects.toThrow("cannot remove a field");
});

function shapeOf(value: unknown): unknown {
  if (typeof value === "string") return value.length > 12 || value === "r" ? "text" : value;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shapeOf(one)]));
}

/** The fence of a reason has a random name. */
function maskedReason(answer: Json): Json {
  return JSON.parse(
    JSON.stringify(answer, (_, value: unknown) =>
      typeof value === "string" && value.includes("not today") ? "\u0000" : value,
    ),
    (_, value: unknown) => (value === "\u0000" ? expect.any(String) : value),
  ) as Json;
}
