import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { maxPending } from "../src/requests.ts";
import { StreamTransport } from "../src/stdio.ts";
import type { FakeHook } from "../../../test/support/fake-pack.ts";
import { type Message, result, settled, text, type Wire, wire } from "./wire.ts";

const call = (id: unknown, name = "echo"): object => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name },
});
const seal: FakeHook = {
  name: "seal",
  on: ["PostToolUse"],
  run: () => ({ action: "replace_result", result: "sealed" }),
};
/** A hook that waits until it is let go. */
function gate(): { hook: FakeHook; open: () => void } {
  const { promise, resolve } = Promise.withResolvers<null>();
  return { hook: { name: "gate", run: () => promise }, open: () => resolve(null) };
}

describe("a server that lies", () => {
  const dropped = async (w: Wire, message: object): Promise<void> => {
    const before = w.client.got.length;
    w.server.say(message);
    await settled();
    expect(w.client.got).toHaveLength(before);
    expect(w.problems.join("\n")).toMatch(/no request under way/);
  };

  // A result that no call asked for would reach the model unjudged, or as the result of another call.
  test("answers what was never asked", async () => {
    await using w = await wire([seal]);
    await dropped(w, result(1, text("dirty")));
  });

  test("answers twice", async () => {
    await using w = await wire([seal]);
    w.client.say(call(1));
    await w.server.nth(0);
    w.server.say(result(1, text("dirty")));
    expect((await w.client.nth(0))["result"]).toEqual(text("sealed"));
    await dropped(w, result(1, text("dirty")));
  });

  // JSON-RPC ids are compared with their type: a client that does not would take "1" for 1.
  test.each([
    [1, "1"],
    ["1", 1],
    [1, 1.5],
    [0, false],
    [1, [1]],
  ])("answers %j as %j", async (asked, answered) => {
    await using w = await wire([seal]);
    w.client.say(call(asked));
    await w.server.nth(0);
    w.server.say(result(answered, text("dirty")));
    await settled();
    expect(w.client.got).toEqual([]);
    w.server.say(result(asked, text("dirty")));
    expect((await w.client.nth(0))["result"]).toEqual(text("sealed"));
  });

  // The answer of one tool under the id of another is judged as that other one's, and the first call still waits.
  test("answers with the id of another call", async () => {
    const names: string[] = [];
    await using w = await wire([
      { name: "see", on: ["PostToolUse"], run: (event) => void names.push(event.tool_name) },
    ]);
    w.client.say(call(1, "a"));
    w.client.say(call(2, "b"));
    await w.server.nth(1);
    w.server.say(result(2, text("of a")));
    await w.client.nth(0);
    await dropped(w, result(2, text("again")));
    expect(names).toEqual(["mcp__srv__b"]);
  });

  // It can guess the next id, and answer before the hooks have let the call through.
  test("answers a call that is still being judged", async () => {
    const { hook, open } = gate();
    await using w = await wire([hook, seal]);
    w.client.say(call(1));
    await dropped(w, result(1, text("dirty")));
    open();
    await w.server.nth(0);
  });

  test("answers after the call was taken back", async () => {
    await using w = await wire([seal]);
    w.client.say(call(1));
    await w.server.nth(0);
    w.client.say({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    expect((await w.server.nth(1))["method"]).toBe("notifications/cancelled");
    await dropped(w, result(1, text("dirty")));
  });

  test("sends a result and an error in one, or an answer that is a request too", async () => {
    await using w = await wire([seal]);
    w.client.say(call(1));
    await w.server.nth(0);
    w.server.say({ ...result(1, text("dirty")), error: { code: 1, message: "x" } });
    w.server.say({ ...result(1, text("dirty")), method: "notifications/message" });
    w.server.say({ id: 1, result: text("dirty") });
    w.server.say([result(1, text("dirty"))]);
    w.server.say(null);
    await settled();
    expect(w.client.got).toEqual([]);
  });

  test("sends the client what only clients send", async () => {
    await using w = await wire([]);
    w.server.say(call("s"));
    expect(await w.server.nth(0)).toMatchObject({ id: "s", error: { code: -32601 } });
    expect(w.client.got).toEqual([]);
  });

  test("answers the proxy's own question with the id of a guess", async () => {
    await using w = await wire([{ name: "change", run: () => ({ action: "modify_input", input: {} }) }]);
    w.client.say(call(1));
    const own = await w.server.nth(0);
    expect(own["id"]).toMatch(/^hookwarden-[\w-]{12}-1$/);
    w.server.say(result("hookwarden-1", { tools: [{ name: "echo", inputSchema: true }] }));
    await settled();
    expect(w.server.got).toHaveLength(1);
  });

  test("sends errors that are none", async () => {
    await using w = await wire([]);
    w.client.say(call(1));
    await w.server.nth(0);
    w.server.say({ jsonrpc: "2.0", id: 1, error: "dirty" });
    expect((await w.client.nth(0))["error"]).toEqual({
      code: -32603,
      message: "the server's error is no error of JSON-RPC",
    });
  });
});

describe("a client that lies", () => {
  // The answer to the second could be judged as that to the first.
  test("uses an id that is in use", async () => {
    await using w = await wire([seal]);
    w.client.say(call(1, "a"));
    w.client.say(call(1, "b"));
    await settled();
    expect(w.server.got.map(({ params }) => params.name)).toEqual(["a"]);
    expect(w.client.got).toEqual([{ jsonrpc: "2.0", error: { code: -32600, message: "the id is in use" } }]);
  });

  // The answer to the call that was taken back would be judged as that to the new one.
  test("uses the id of a call again that it has taken back", async () => {
    await using w = await wire([seal]);
    w.client.say(call(1, "a"));
    await w.server.nth(0);
    w.client.say({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    await w.server.nth(1);
    w.client.say(call(1, "b"));
    expect(await w.client.nth(0)).toMatchObject({ error: { message: "the id is in use" } });
    expect(w.server.got).toHaveLength(2);
  });

  test('1 and "1" are two calls, and each gets its own answer', async () => {
    await using w = await wire([]);
    w.client.say(call(1, "a"));
    w.client.say(call("1", "b"));
    await w.server.nth(1);
    w.server.say(result("1", text("b")));
    w.server.say(result(1, text("a")));
    await w.client.nth(1);
    expect(w.client.got).toEqual([result("1", text("b")), result(1, text("a"))]);
  });

  // A server that does not look at ids would run it, and no hook would have judged it.
  test.each(["tools/call", "tasks/result", "tools/list"])("sends %s without an id", async (method) => {
    await using w = await wire([{ name: "no", run: () => ({ action: "deny", reason: "no" }) }]);
    w.client.say({ jsonrpc: "2.0", method, params: { name: "echo" } });
    await settled();
    expect(w.server.got).toEqual([]);
  });

  test.each([
    ["no version", { id: 1, method: "tools/call", params: { name: "echo" } }],
    ["another version", { ...call(1), jsonrpc: "1.0" }],
    ["an id that is null", call(null)],
    ["an id that is an object", call({})],
    ["an id of 600 characters", call("x".repeat(600))],
    ["a method that is no text", { jsonrpc: "2.0", id: 1, method: ["tools/call"], params: { name: "echo" } }],
    ["parameters that are a list", { jsonrpc: "2.0", id: 1, method: "tools/call", params: ["echo", {}] }],
    ["a batch in a batch", [call(1)]],
  ])("sends a message with %s", async (_, message) => {
    await using w = await wire([]);
    w.client.say(message);
    await settled();
    expect(w.server.got).toEqual([]);
    expect(w.client.got).toMatchObject([{ error: {} }]);
  });

  test("answers for the person what was never asked", async () => {
    await using w = await wire([]);
    w.client.say(result("m", { action: "accept" }));
    await settled();
    expect(w.server.got).toEqual([]);
  });

  test("has more calls under way than anybody needs", async () => {
    await using w = await wire([]);
    for (let id = 0; id <= maxPending; id++) w.client.say({ jsonrpc: "2.0", id, method: "ping" });
    await settled();
    expect(w.server.got).toHaveLength(maxPending);
    expect(w.client.got).toEqual([
      { jsonrpc: "2.0", id: maxPending, error: { code: -32000, message: "too many requests are under way" } },
    ]);
  });

  test("unknown methods pass, or do not where that is asked for", async () => {
    await using open = await wire([]);
    open.client.say({ jsonrpc: "2.0", id: 1, method: "acme/run", params: [1] });
    expect(await open.server.nth(0)).toEqual({ jsonrpc: "2.0", id: 1, method: "acme/run", params: [1] });
    await using strict = await wire([], { unknownMethods: "refuse" });
    strict.client.say({ jsonrpc: "2.0", id: 1, method: "acme/run" });
    expect(await strict.client.nth(0)).toMatchObject({ id: 1, error: { code: -32601 } });
    // Names are looked up byte for byte, and not among what every object has.
    strict.client.say({ jsonrpc: "2.0", id: 2, method: "constructor" });
    expect(await strict.client.nth(1)).toMatchObject({ id: 2, error: { code: -32601 } });
  });
});

describe("order and taking back", () => {
  test("messages keep their order, whatever takes how long to judge", async () => {
    const { hook, open } = gate();
    await using w = await wire([{ ...hook, on: [{ event: "PreToolUse", matcher: /slow/ }] }]);
    w.client.say(call(1, "slow"));
    w.client.say(call(2, "quick"));
    w.client.say({ jsonrpc: "2.0", method: "notifications/progress", params: {} });
    await settled();
    expect(w.server.got).toEqual([]);
    open();
    await w.server.nth(2);
    expect(w.server.got.map(({ id, method }) => id ?? method)).toEqual([1, 2, "notifications/progress"]);
  });

  test("progress comes before the result that it belongs to, and after comes what came after", async () => {
    await using w = await wire([seal]);
    w.client.say(call(1));
    await w.server.nth(0);
    w.server.say({
      jsonrpc: "2.0",
      method: "notifications/progress",
      params: { progressToken: 1, progress: 1 },
    });
    w.server.say(result(1, text("dirty")));
    w.server.say({ jsonrpc: "2.0", method: "notifications/message", params: {} });
    await w.client.nth(2);
    expect(w.client.got.map(({ id, method }) => id ?? method)).toEqual([
      "notifications/progress",
      1,
      "notifications/message",
    ]);
  });

  test("a call that is taken back while it is judged never reaches the server, nor does that it was", async () => {
    const { hook, open } = gate();
    await using w = await wire([hook]);
    w.client.say(call(1));
    w.client.say({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    open();
    await settled();
    expect(w.server.got).toEqual([]);
    expect(w.client.got).toEqual([]);
    w.client.say(call(1));
    expect((await w.server.nth(0))["id"]).toBe(1);
  });

  test("an id of the other type takes nothing back", async () => {
    await using w = await wire([seal]);
    w.client.say(call(1));
    await w.server.nth(0);
    w.client.say({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "1" } });
    w.server.say(result(1, text("dirty")));
    expect((await w.client.nth(0))["result"]).toEqual(text("sealed"));
  });

  test("a server that goes leaves an error with each call that waits", async () => {
    await using w = await wire([]);
    w.client.say(call(1));
    w.client.say({ jsonrpc: "2.0", id: "r", method: "resources/list" });
    await w.server.nth(1);
    await w.server.close();
    await w.client.nth(1);
    expect(w.client.got).toMatchObject([
      { id: 1, error: { code: -32000 } },
      { id: "r", error: { code: -32000 } },
    ]);
    await settled();
    expect(w.client.closed).toBe(true);
  });
});

describe("lines of a stream", () => {
  async function read(
    text: string | Buffer,
    maxBytes = 1_000,
  ): Promise<{ messages: Message[]; refused: Message[] }> {
    const input = new PassThrough();
    const transport = new StreamTransport(input, new PassThrough(), maxBytes);
    const messages: Message[] = [];
    const refused: Message[] = [];
    transport.onmessage = (message) => messages.push(message as Message);
    transport.onrefused = (one) => refused.push(one as unknown as Message);
    await transport.start();
    // In small pieces: nothing may hang on how the stream is cut.
    for (const byte of Buffer.from(text)) input.write(Buffer.from([byte]));
    await settled();
    return { messages, refused };
  }

  test("a message a line, with either line end, and empty lines between", async () => {
    const { messages } = await read('{"a":1}\r\n\n\r\n{"b":"ü"}\n');
    expect(messages).toEqual([{ a: 1 }, { b: "ü" }]);
  });

  test("a batch is taken apart", async () => {
    expect((await read('[{"a":1},{"b":2}]\n')).messages).toEqual([{ a: 1 }, { b: 2 }]);
  });

  // The last of two equal keys counts for one reader and the first for another: what was judged is not what runs.
  test.each([
    [
      "a key that stands twice",
      '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a","name":"b"}}',
    ],
    ["a key that stands twice, once escaped", '{"id":7,"method":"x","params":{"name":"a","\\u006eame":"b"}}'],
    ["`__proto__`", '{"id":7,"method":"x","params":{"__proto__":{"name":"b"}}}'],
    ["a number that is none", '{"id":7,"method":"x","params":{"n":1e999}}'],
    ["more levels than anybody needs", `{"id":7,"method":"x","params":${"[".repeat(200)}${"]".repeat(200)}}`],
  ])("%s is refused, and the sender that waits gets an error", async (_, line) => {
    const { messages, refused } = await read(`${line}\n{"ok":1}\n`);
    expect(messages).toEqual([{ ok: 1 }]);
    expect(refused).toMatchObject([{ id: 7, answer: false }]);
  });

  test("bytes that are no UTF-8 are refused", async () => {
    const { messages, refused } = await read(
      Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff]), Buffer.from('"}\n{"ok":1}\n')]),
    );
    expect(messages).toEqual([{ ok: 1 }]);
    expect(refused).toMatchObject([{ id: null, lost: true }]);
  });

  test("a line that is too long is skipped to its end, and costs no memory", async () => {
    const { messages, refused } = await read(`{"a":"${"x".repeat(5_000)}"}\n{"ok":1}\n`);
    expect(messages).toEqual([{ ok: 1 }]);
    expect(refused).toMatchObject([{ lost: true, why: "a message is larger than 1000 bytes" }]);
  });

  test("what a server prints beside the protocol is refused, and does no harm", async () => {
    const { messages, refused } = await read('Listening on stdio…\n{"ok":1}\n');
    expect(messages).toEqual([{ ok: 1 }]);
    expect(refused).toHaveLength(1);
  });

  test("what was not changed is written as it came, numbers and order included", async () => {
    const input = new PassThrough();
    const output = new PassThrough();
    const transport = new StreamTransport(input, output, 1_000);
    transport.onmessage = (message) => void transport.send(message);
    await transport.start();
    const line = '{ "b":1.0, "2":12345678901234567890, "1":"\\u00fc" }';
    input.write(`${line}\n`);
    await settled();
    expect(output.read()?.toString()).toBe(`${line}\n`);
  });
});

describe("a refused text", () => {
  test("of the client's gets an error, of the server's fails the call that it answers", async () => {
    await using w = await wire([]);
    const { onrefused: ofClient } = w.client as { onrefused?: (one: object) => void };
    const { onrefused: ofServer } = w.server as { onrefused?: (one: object) => void };
    ofClient?.({ id: 9, answer: false, why: "bad", lost: false });
    expect(await w.client.nth(0)).toMatchObject({ id: 9, error: { code: -32600, message: "bad" } });
    w.client.say(call(1));
    w.client.say(call(2));
    await w.server.nth(1);
    ofServer?.({ id: 2, answer: true, why: "twice", lost: false });
    expect(await w.client.nth(1)).toMatchObject({
      id: 2,
      error: { message: "the answer was refused: twice" },
    });
    // Nothing is known of it but that it is gone: it may have been any answer.
    ofServer?.({ id: null, answer: false, why: "too large", lost: true });
    expect(await w.client.nth(2)).toMatchObject({ id: 1, error: { code: -32000 } });
  });
});
