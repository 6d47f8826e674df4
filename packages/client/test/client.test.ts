import { expect, test } from "vitest";
import { createClient } from "../src/index.ts";
import { sampleEvent } from "../../../test/support/sample-events.ts";

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

test("reports a problem's code, request id and retry delay", async () => {
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

test("says in the server's words what was wrong, and where", async () => {
  const body = JSON.stringify({
    status: 400,
    code: "event-invalid",
    request_id: "r1",
    message: "the event is not a valid `PreToolUse`: it must have `tool_name`",
    pointer: "/0/tool_input",
  });
  const { client } = clientOf(body, { status: 400 });
  await expect(client.decide(event)).rejects.toMatchObject({
    message:
      "the server answered `event-invalid` (400): the event is not a valid `PreToolUse`: it must have `tool_name` at /0/tool_input",
    problem: { pointer: "/0/tool_input" },
  });
  const load = {
    code: "load-failed",
    message: "unexpected token",
    file: "guard/hook.ts",
    line: 3,
    column: 7,
  };
  await expect(clientOf(JSON.stringify(load), { status: 422 }).client.decide(event)).rejects.toMatchObject({
    message: "the server answered `load-failed` (422): unexpected token at guard/hook.ts:3:7",
  });
});

// A proxy can answer in the server's place, and callers print the error message.
test("takes over no control characters, no endless words and nothing of another type", async () => {
  const body = JSON.stringify({
    code: "x",
    message: `\u001b[2J\u202e${"y".repeat(1e6)}`,
    line: "1",
    file: {},
    pointer: 7,
  });
  const error: unknown = await clientOf(body, { status: 500 })
    .client.decide(event)
    .catch((thrown: unknown) => thrown);
  const { message, problem } = error as { message: string; problem: object };
  expect(message).not.toMatch(/[\u001b\u202e]/);
  expect(message.length).toBeLessThan(2_100);
  expect(Object.keys(problem)).toEqual(["message"]);
  for (const strange of ["null", "[]", '"x"', "7"]) {
    const { client } = clientOf(strange, { status: 500 });
    await expect(client.decide(event)).rejects.toMatchObject({ code: "unknown", status: 500, problem: {} });
  }
});

test("names the address and the reason where nothing answers, without credentials of the address", async () => {
  const client = createClient({ url: "http://user:hunter2@127.0.0.1:1/x", timeoutMs: 5_000 });
  const error: unknown = await client.decide(event).catch((thrown: unknown) => thrown);
  expect((error as Error).message).toMatch(/^the server at http:\/\/127\.0\.0\.1:1 is unreachable: /);
  expect((error as Error).message).not.toContain("hunter2");
  const closed = createClient({ url: "http://127.0.0.1:1" }).decide(event);
  await expect(closed).rejects.toThrow("the server at http://127.0.0.1:1 is unreachable");
  const slow = createClient({
    url: "http://127.0.0.1:9",
    timeoutMs: 20,
    fetch: (_url, init) =>
      new Promise((_done, failed) => {
        init!.signal!.addEventListener("abort", () => failed(init!.signal!.reason as Error));
      }),
  });
  await expect(slow.decide(event)).rejects.toThrow("it gave no answer in time");
});

test("gives the reason of the system where a port is closed", async () => {
  const refused = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:8787"), { code: "ECONNREFUSED" });
  const client = createClient({
    url: "http://127.0.0.1:8787",
    fetch: () => Promise.reject(new TypeError("fetch failed", { cause: new AggregateError([refused]) })),
  });
  await expect(client.decide(event)).rejects.toThrow(
    "the server at http://127.0.0.1:8787 is unreachable: connect ECONNREFUSED 127.0.0.1:8787",
  );
});
