import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createWarden, type Warden } from "hookwarden/warden";
import { folder } from "../../../../test/cli/cli.ts";
import { type ClientName, clientNames, type Json } from "../../src/clients/index.ts";
import { isExact } from "../../src/hook/exact-answer.ts";
import { eventOf } from "../../src/hook/refusal.ts";
import { Answerer } from "../../src/translate/answerer.ts";
import { dialectOfClient } from "../../src/translate/client-dialect.ts";
import { steps, writeSessionPack } from "../live/scripted.ts";

/** The messages before the four tools of the scripted session, as the real client sent them. */
function recorded(client: ClientName): Json[] {
  const file = new URL(`fixtures/session/${client}.jsonl`, import.meta.url);
  return readFileSync(file, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Json);
}

describe("one pack of shipped policies, one session", () => {
  let warden: Warden;
  let made: Awaited<ReturnType<typeof folder>>;
  beforeAll(async () => {
    made = await folder();
    await writeSessionPack(made.path);
    warden = await createWarden({ pack: made.path, isolation: "inline" });
  });
  afterAll(async () => {
    await warden[Symbol.asyncDispose]();
    await made[Symbol.asyncDispose]();
  });

  test.each(clientNames)("%s gets the same verdicts at the same steps", async (client) => {
    const verdicts: string[] = [];
    for (const message of recorded(client)) {
      const parsed = dialectOfClient(client).parse(message);
      if (!("event" in parsed)) throw new Error(`${client} passes the message through`);
      const session = { ...parsed.event, session_id: `verdicts of ${client}` };
      verdicts.push((await warden.dispatch(session as never)).verdict);
    }
    expect(verdicts).toEqual(steps.map(({ verdict }) => verdict));
  });

  // A refusal in a form that the client does not know is a permission.
  test.each(clientNames)("%s is answered in its own form", async (client) => {
    const answerer = new Answerer(warden, { client, tenant: client });
    for (const [index, message] of recorded(client).entries()) {
      const answer = await answerer.answer(message);
      const stopped = steps[index]?.verdict !== "continue";
      expect(Object.keys(answer).length > 0).toBe(stopped);
      if (client !== "claude-code") expect(isExact(eventOf(client, message)!, answer)).toBe(true);
      if (stopped) expect(JSON.stringify(answer)).toMatch(/evil\.example|\.git/);
    }
  });
});
