import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What the model says in one turn. */
export type Block =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: object };

export interface ModelRequest {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly [field: string]: unknown;
}

/** A stand-in for the Anthropic Messages API: gives scripted answers, and keeps the requests. */
export interface MessagesApi {
  readonly url: string;
  readonly requests: readonly ModelRequest[];
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts it on 127.0.0.1. When the turns are used up, it says that it is done. */
export async function startMessagesApi(turns: readonly (readonly Block[])[]): Promise<MessagesApi> {
  const requests: ModelRequest[] = [];
  const server = createServer((request, response) => {
    void answer(request, response).catch(() => response.destroy());
  });
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const path = request.url ?? "";
    if (!path.startsWith("/v1/messages") || path.includes("count_tokens")) {
      response.writeHead(404, { "content-type": "application/json" });
      response.end('{"type":"error","error":{"type":"not_found_error","message":"there is nothing here"}}');
      return;
    }
    const body = JSON.parse(Buffer.concat(parts).toString("utf8")) as ModelRequest;
    const turn = turns[requests.length] ?? [{ type: "text" as const, text: "done" }];
    requests.push(body);
    say(response, turn, String(body["model"]), requests.length, body["stream"] === true);
  }
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

function say(
  response: ServerResponse,
  turn: readonly Block[],
  model: string,
  number: number,
  stream: boolean,
): void {
  const stop = turn.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn";
  const usage = { input_tokens: 1, output_tokens: 1 };
  const head = { id: `msg_${number}`, type: "message", role: "assistant", model, stop_sequence: null, usage };
  if (!stream) {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ ...head, content: turn, stop_reason: stop }));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const event = (type: string, data: object): void =>
    void response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  event("message_start", { message: { ...head, content: [], stop_reason: null } });
  for (const [index, block] of turn.entries()) {
    const text = block.type === "text";
    const empty = text ? { type: "text", text: "" } : { ...block, input: {} };
    const delta = text
      ? { type: "text_delta", text: block.text }
      : { type: "input_json_delta", partial_json: JSON.stringify(block.input) };
    event("content_block_start", { index, content_block: empty });
    event("content_block_delta", { index, delta });
    event("content_block_stop", { index });
  }
  event("message_delta", { delta: { stop_reason: stop, stop_sequence: null }, usage });
  event("message_stop", {});
  response.end();
}
