import { expect, test } from "vitest";
import { createClient } from "../../src/client/index.ts";
import { sampleEvent } from "../support/sample-events.ts";

const event = sampleEvent("PreToolUse");

/** A client of a peer that answers everything with the same. */
function clientOf(body: string, init: ResponseInit = {}) {
  const asked: { url: string; init: RequestInit | undefined }[] = [];
  const client = createClient({
    url: "http://127.0.0.1:1/",
    key: "hw_key",
    fetch: async (url, given) => {
      asked.push({ url: String(url), init: given });
      return new Response(body, init);
    },
  });
  return { client, asked };
}

test("asks with its key, under the path of the route, and follows no redirection", async () => {
  const { client, asked } = clientOf(`{"verdict":"deny"}`);
  expect(await client.decide(event, { idempotencyKey: "k" })).toEqual({ verdict: "deny" });
  expect(asked).toMatchObject([
    {
      url: "http://127.0.0.1:1/v1/decisions",
      init: {
        method: "POST",
        redirect: "error",
        headers: {
          authorization: "Bearer hw_key",
          "content-type": "application/json",
          "idempotency-key": "k",
        },
      },
    },
  ]);
});

// A proxy's own page, or a peer that lies, with status 200: a host that looks for `deny` would find none.
test.each([
  ["nothing", ""],
  ["a page", "<html></html>"],
  ["null", "null"],
  ["an object without a verdict", `{"status":"ok"}`],
  ["a list", `[{"verdict":"allow"}]`],
  ["a verdict that is no text", `{"verdict":{}}`],
])("takes %s for no decision", async (_, body) => {
  await expect(clientOf(body).client.decide(event)).rejects.toMatchObject({
    name: "ServerError",
    code: "invalid-answer",
    status: 0,
  });
});

test.each([
  ["one answer too few", `[{"status":200,"answer":{"verdict":"deny"}}]`],
  ["an answer without a verdict", `[{"status":200,"answer":{}},{"status":200,"answer":{"verdict":"deny"}}]`],
  ["a failure without a code", `[{"status":409},{"status":200,"answer":{"verdict":"deny"}}]`],
  ["an object", `{"length":2}`],
])("takes %s for no answer to a batch", async (_, body) => {
  await expect(clientOf(body).client.decideBatch([event, event])).rejects.toMatchObject({
    code: "invalid-answer",
  });
});

test("gives a batch's answers in their order, refused ones too", async () => {
  const answers = [
    { status: 409, code: "no-pack" },
    { status: 200, answer: { verdict: "deny" } },
  ];
  expect(await clientOf(JSON.stringify(answers)).client.decideBatch([event, event])).toEqual(answers);
});

test("tells a problem by its code, its request and when to ask again", async () => {
  const body = `{"status":429,"code":"rate-limited","request_id":"r1"}`;
  const { client } = clientOf(body, { status: 429, headers: { "retry-after": "5" } });
  await expect(client.decide(event)).rejects.toMatchObject({
    status: 429,
    code: "rate-limited",
    requestId: "r1",
    retryAfter: 5,
  });
});

test("says of a peer that is not there that it cannot be reached", async () => {
  const client = createClient({ url: "http://127.0.0.1:1", timeoutMs: 5_000 });
  await expect(client.decide(event)).rejects.toMatchObject({ status: 0, code: "unreachable" });
});
