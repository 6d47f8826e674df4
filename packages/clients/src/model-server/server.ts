import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { chatCompletions } from "./chat-completions.ts";
import type { Conversation, Json, Script } from "./conversation.ts";
import { generateContent } from "./generate-content.ts";
import { messages } from "./messages.ts";
import { responses } from "./responses.ts";

/** Longest request that is read, in bytes. */
const maxRequestBytes = 16 * 1_048_576;

const apis = [chatCompletions, responses, messages, generateContent];

/** A stand-in for the model of an agent client: answers by a script, and keeps what it was asked. */
export interface ModelServer {
  /** Base address without a path, such as `http://127.0.0.1:4711`. */
  readonly url: string;
  /** The conversations that it answered, in order. */
  readonly conversations: readonly Conversation[];
  /** Paths of requests that it does not know. */
  readonly unknown: readonly string[];
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts a stand-in model on a free port of 127.0.0.1. It speaks OpenAI's Chat Completions and Responses, Anthropic's
 * Messages and Google's generateContent, streamed or not.
 */
export async function startModelServer(script: Script): Promise<ModelServer> {
  const conversations: Conversation[] = [];
  const unknown: string[] = [];
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    const path = (request.url ?? "").split("?")[0] ?? "";
    const api = request.method === "POST" ? apis.find((one) => one.matches(path)) : undefined;
    if (!api) return answerOther(path, response);
    const conversation = api.read(body, path);
    conversations.push(conversation);
    const written = api.write(script(conversation), body, path);
    response.writeHead(200, { "content-type": written.type });
    response.end(written.body);
  }

  function answerOther(path: string, response: ServerResponse): void {
    unknown.push(path);
    const isList = path.endsWith("/models");
    const isCount = /count_?tokens$/i.test(path);
    response.writeHead(isList || isCount ? 200 : 404, { "content-type": "application/json" });
    const models = [{ id: "stand-in", object: "model", owned_by: "hookwarden" }];
    response.end(
      isList
        ? JSON.stringify({ object: "list", data: models, models: [] })
        : isCount
          ? '{"input_tokens":1,"totalTokens":1}'
          : '{"error":{"message":"not found"}}',
    );
  }

  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    conversations,
    unknown,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<Json> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    size += (part as Buffer).length;
    if (size > maxRequestBytes) throw new Error("the request is too large");
    parts.push(part as Buffer);
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString("utf8")) as Json;
  } catch {
    return {};
  }
}
