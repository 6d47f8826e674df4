import { request as httpRequest } from "node:http";
import { createServer, type Server } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { afterEach, describe, expect, test } from "vitest";
import { createMcpProxy, type McpProxy, type McpProxyOptions } from "../src/index.ts";
import type { Warden } from "hookwarden/warden";
import type { FakeHook } from "../../../test/support/fake-pack.ts";
import { fakeWarden } from "../../../test/support/fake-warden.ts";
import { End, type Message, settled } from "./wire.ts";

const scripted = {
  command: process.execPath,
  args: [new URL("servers/scripted.ts", import.meta.url).pathname],
};

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

async function start(
  hooks: readonly FakeHook[],
  options: Partial<McpProxyOptions> = {},
): Promise<McpProxy & { url: string; problems: string[] }> {
  const { warden } = await fakeWarden(hooks);
  const problems: string[] = [];
  const proxy = await createMcpProxy({
    warden,
    name: "srv",
    server: scripted,
    client: { listen: { port: 0 } },
    onProblem: (text) => problems.push(text),
    ...options,
  });
  open.push({ close: () => (warden as Warden)[Symbol.asyncDispose]() }, proxy);
  return Object.assign(proxy, { url: proxy.url as string, problems });
}

async function client(url: string): Promise<Client> {
  const one = new Client({ name: "test", version: "1" });
  await one.connect(new StreamableHTTPClientTransport(new URL(url)) as unknown as Transport);
  open.push(one);
  return one;
}

const hello = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};

/** A request as no library would send it. */
async function raw(
  url: string,
  body: string | Buffer,
  headers: Record<string, string> = {},
  method = "POST",
): Promise<{ status: number; text: string; headers: Message }> {
  const { promise, resolve, reject } = Promise.withResolvers<{
    status: number;
    text: string;
    headers: Message;
  }>();
  const sent = httpRequest(url, {
    method,
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
  });
  sent.on("error", reject);
  sent.on("response", (response) => {
    let text = "";
    response.on("data", (chunk: Buffer) => (text += chunk.toString()));
    response.on("end", () => resolve({ status: response.statusCode ?? 0, text, headers: response.headers }));
  });
  sent.end(body);
  return promise;
}

describe("clients over HTTP", () => {
  test("each has a server of its own, and their ids do not meet", async () => {
    const seen: string[] = [];
    const proxy = await start([
      { name: "see", run: ({ session_id, tool_use_id }) => void seen.push(`${session_id} ${tool_use_id}`) },
    ]);
    const [a, b] = [await client(proxy.url), await client(proxy.url)];
    expect(proxy.sessions).toBe(2);
    const calls = await Promise.all([a, b, a, b].map((one) => one.callTool({ name: "pid" })));
    const pids = calls.map(({ content }) => (content as { text: string }[])[0]?.text);
    expect(new Set(pids).size).toBe(2);
    expect(pids[0]).toBe(pids[2]);
    expect(pids[1]).toBe(pids[3]);
    // Both clients count from 0.
    expect(new Set(seen.map((one) => one.split(" ")[0])).size).toBe(2);
    expect(new Set(seen.map((one) => one.split(" ")[1])).size).toBe(2);
  });

  test("a session that a hook has ended is ended for that client alone", async () => {
    const proxy = await start([
      {
        name: "stop",
        run: ({ tool_name }) => (tool_name.endsWith("exit") ? { action: "halt", reason: "no" } : null),
      },
    ]);
    const [a, b] = [await client(proxy.url), await client(proxy.url)];
    expect(await a.callTool({ name: "exit" })).toMatchObject({ isError: true });
    expect(await a.callTool({ name: "pid" })).toMatchObject({ isError: true });
    expect((await b.callTool({ name: "pid" })).isError).toBeUndefined();
  });

  test("a server that crashes ends its session, with an error for the call", async () => {
    const proxy = await start([]);
    const a = await client(proxy.url);
    await expect(a.callTool({ name: "exit", arguments: { code: 4 } })).rejects.toThrow(/exit status 4/);
    await expect(a.callTool({ name: "pid" })).rejects.toThrow(/there is no such session/);
    expect(proxy.sessions).toBe(0);
    expect((await (await client(proxy.url)).callTool({ name: "pid" })).isError).toBeUndefined();
  });

  test("a client that ends its session ends the server", async () => {
    const proxy = await start([]);
    const transport = new StreamableHTTPClientTransport(new URL(proxy.url));
    const a = new Client({ name: "test", version: "1" });
    await a.connect(transport as unknown as Transport);
    await transport.terminateSession();
    await a.close();
    await expect.poll(() => proxy.sessions, { timeout: 5_000 }).toBe(0);
  });

  test("there are no more sessions than are allowed, and idle ones end", async () => {
    const proxy = await start([], { client: { listen: { port: 0, maxSessions: 1, idleMs: 100 } } });
    expect((await raw(proxy.url, JSON.stringify(hello))).status).toBe(200);
    expect((await raw(proxy.url, JSON.stringify(hello))).status).toBe(503);
    await expect.poll(() => proxy.sessions, { timeout: 5_000 }).toBe(0);
    expect((await raw(proxy.url, JSON.stringify(hello))).status).toBe(200);
  });

  // The transport of the SDK drops it, and a request of the server's would wait until it gives up.
  test("what a server sends before its client listens waits for it", async () => {
    const end = new End();
    const proxy = await start([], { server: () => end });
    const greeted = raw(proxy.url, JSON.stringify(hello));
    const { id } = await end.nth(0);
    end.say({
      jsonrpc: "2.0",
      id,
      result: { protocolVersion: "2025-06-18", capabilities: {}, serverInfo: { name: "s", version: "1" } },
    });
    const { headers } = await greeted;
    end.say({ jsonrpc: "2.0", id: "r", method: "roots/list" });
    await settled();
    const listening = httpRequest(proxy.url, {
      headers: { accept: "text/event-stream", "mcp-session-id": headers["mcp-session-id"] },
    });
    listening.end();
    const [response] = await once(listening, "response");
    end.say({ jsonrpc: "2.0", method: "notifications/message", params: {} });
    let text = "";
    for await (const chunk of response) if ((text += String(chunk)).includes("notifications/message")) break;
    expect(text).toMatch(/roots\/list[^]*notifications\/message/);
  });

  test("a server that cannot be started is reported", async () => {
    const proxy = await start([], { server: { command: "/no/such/server" } });
    expect(await raw(proxy.url, JSON.stringify(hello))).toMatchObject({
      status: 502,
      text: /cannot be started/,
    });
  });
});

describe("what a client sends over HTTP", () => {
  const deny: FakeHook = { name: "no", run: () => ({ action: "deny", reason: "no" }) };
  const session = async (url: string): Promise<Record<string, string>> => {
    const { headers } = await raw(url, JSON.stringify(hello));
    return { "mcp-session-id": headers["mcp-session-id"], "mcp-protocol-version": "2025-06-18" };
  };

  // A page in a browser can send to an address of this machine, under the name of its own host or from its own origin.
  test.each([
    ["under another host's name", { host: "evil.example" }],
    ["from another origin", { origin: "https://evil.example" }],
    ["from a page without an origin", { origin: "null" }],
  ])("%s is refused", async (_, headers) => {
    const proxy = await start([]);
    expect(await raw(proxy.url, JSON.stringify(hello), headers)).toMatchObject({ status: 403 });
    expect(proxy.sessions).toBe(0);
  });

  test.each([
    ["no session and no greeting", JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }), 400],
    ["a key that stands twice", '{"jsonrpc":"2.0","id":1,"id":2,"method":"initialize"}', 400],
    ["what is no JSON", "{", 400],
    ["bytes that are no UTF-8", Buffer.from([0x22, 0xff, 0x22]), 400],
    ["more than a message may be", JSON.stringify("x".repeat(3_000)), 413],
  ])("%s is refused", async (_, body, status) => {
    const proxy = await start([], { maxMessageBytes: 2_048 });
    expect((await raw(proxy.url, body)).status).toBe(status);
  });

  test("an unknown session is refused, and so is another path", async () => {
    const proxy = await start([]);
    expect((await raw(proxy.url, JSON.stringify(hello), { "mcp-session-id": "guess" })).status).toBe(404);
    expect((await raw(`${proxy.url}/x`, JSON.stringify(hello))).status).toBe(404);
    expect((await raw(proxy.url, "", {}, "GET")).status).toBe(400);
  });

  test("each call of a batch is judged, and one that can be read in two ways is refused", async () => {
    const proxy = await start([deny]);
    const headers = await session(proxy.url);
    const calls = [1, 2].map((id) => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "pid" } }));
    const { text } = await raw(proxy.url, JSON.stringify(calls), headers);
    expect(text.match(/the call was refused/g)).toHaveLength(2);
    const twice =
      '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"pid","n\\u0061me":"exit"}}';
    expect(await raw(proxy.url, twice, headers)).toMatchObject({ status: 400, text: /occurs twice/ });
    const large =
      '{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"pid","arguments":{"n":9007199254740993}}}';
    expect(await raw(proxy.url, large, headers)).toMatchObject({ status: 400, text: /too large/ });
  });
});

describe("a server over HTTP that lies", () => {
  async function lying(
    answer: (message: Message) => { type: string; body: string; status?: number },
  ): Promise<string> {
    const server: Server = createServer((request, response) => {
      void (async () => {
        let text = "";
        for await (const chunk of request) text += String(chunk);
        if (request.method !== "POST") return response.writeHead(405).end();
        const message = JSON.parse(text) as Message;
        if (message["id"] === undefined) return response.writeHead(202).end();
        const plain: ReturnType<typeof answer> = {
          type: "application/json",
          body: JSON.stringify({
            jsonrpc: "2.0",
            id: message["id"],
            result: {
              protocolVersion: "2025-06-18",
              capabilities: { tools: {} },
              serverInfo: { name: "l", version: "1" },
            },
          }),
        };
        const {
          type,
          body,
          status = 200,
        } = message["method"] === "initialize" ? plain : answer({ ...message, headers: request.headers });
        return response.writeHead(status, { "content-type": type }).end(body);
      })();
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    open.push({
      close: async () => {
        server.closeAllConnections();
        server.close();
      },
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  }
  const dirty = (id: unknown): string =>
    `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[{"type":"text","text":"dirty"}]}}`;
  const seal: FakeHook = {
    name: "seal",
    on: ["PostToolUse"],
    run: () => ({ action: "replace_result", result: "sealed" }),
  };

  test.each([
    ["JSON", (id: unknown) => ({ type: "application/json", body: dirty(id) })],
    [
      "a stream",
      (id: unknown) => ({ type: "text/event-stream", body: `event: message\nid: 7\ndata: ${dirty(id)}\n\n` }),
    ],
    [
      "a stream with other line ends",
      (id: unknown) => ({ type: "text/event-stream; charset=utf-8", body: `: hi\r\rdata:${dirty(id)}\r\r` }),
    ],
    [
      "a stream of many lines",
      (id: unknown) => ({
        type: "text/event-stream",
        body: `data: ${dirty(id).replace(",", ",\r\ndata: ")}\r\n\r\n`,
      }),
    ],
  ])("its answer as %s is judged", async (_, answer) => {
    const url = await lying(({ id }) => answer(id));
    const proxy = await start([seal], { server: { url } });
    const got = await (await client(proxy.url)).callTool({ name: "x" });
    expect(got).toEqual({ content: [{ type: "text", text: "sealed" }] });
  });

  // The SDK's own reader takes the last of two equal keys, and reads without a bound.
  test.each([
    [
      "a key that stands twice",
      "application/json",
      (id: unknown) => dirty(id).replace('"content"', '"content":[],"content"'),
    ],
    [
      "a key that stands twice, in a stream",
      "text/event-stream",
      (id: unknown) => `data: ${dirty(id).replace('"content"', '"content":[],"content"')}\n\n`,
    ],
    [
      "more than a message may be",
      "application/json",
      (id: unknown) => dirty(id).replace("dirty", "x".repeat(9_000)),
    ],
    [
      "more than a message may be, in a stream",
      "text/event-stream",
      (id: unknown) => `data: ${dirty(id).replace("dirty", "x".repeat(9_000))}\n\n`,
    ],
    ["the id of another type", "application/json", (id: unknown) => dirty(String(id))],
  ])("%s does not reach the client", async (_, type, body) => {
    const url = await lying(({ id }) => ({ type, body: body(id) }));
    const proxy = await start([], { server: { url }, maxMessageBytes: 8_192 });
    const one = await client(proxy.url);
    await expect(one.callTool({ name: "x" }, undefined, { timeout: 1_000 })).rejects.toThrow(
      /refused|could not be reached|timed out/,
    );
    expect(proxy.problems).not.toEqual([]);
  });

  test("a server that is not there leaves an error with the call", async () => {
    const url = await lying(() => ({ type: "text/plain", body: "" }));
    const proxy = await start([], { server: { url } });
    const one = await client(proxy.url);
    await expect(one.callTool({ name: "x" })).rejects.toThrow(/could not be reached/);
  });

  // The page of an HTTP error would be a way to the model past the hooks.
  test("what a server says in an HTTP error is judged as the error of its tool", async () => {
    const url = await lying(() => ({ type: "text/plain", body: "dirty", status: 500 }));
    const redact: FakeHook = {
      name: "redact",
      on: ["PostToolUseFailure"],
      run: () => ({ action: "replace_error", error: "sealed" }),
    };
    const proxy = await start([redact], { server: { url } });
    const one = await client(proxy.url);
    await expect(one.callTool({ name: "x" })).rejects.toThrow(/^MCP error -32000: sealed$/);
  });

  test("a server that has forgotten its session ends that of the client", async () => {
    const url = await lying(() => ({ type: "text/plain", body: "", status: 404 }));
    const proxy = await start([], { server: { url } });
    const one = await client(proxy.url);
    await expect(one.callTool({ name: "x" })).rejects.toThrow(/could not be reached/);
    await expect.poll(() => proxy.sessions).toBe(0);
    await expect(one.callTool({ name: "x" })).rejects.toThrow(/there is no such session/);
  });

  test("credentials go to the server with every request, and nowhere else", async () => {
    const seen: unknown[] = [];
    const url = await lying(({ id, headers }) => {
      seen.push(headers.authorization);
      return { type: "application/json", body: dirty(id) };
    });
    const proxy = await start([], { server: { url, headers: { authorization: "Bearer t" } } });
    await (await client(proxy.url)).callTool({ name: "x" });
    expect(seen).toEqual(["Bearer t"]);
    expect(proxy.problems).toEqual([]);
  });
});
