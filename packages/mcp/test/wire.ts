import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { type McpProxyOptions, createMcpProxy } from "../src/index.ts";
import type { ProxyTransport } from "../src/transport.ts";
import type { FakeHook } from "../../../test/support/fake-pack.ts";
import { fakeWarden } from "../../../test/support/fake-warden.ts";

export type Message = { [field: string]: any };

/** One end of a connection, in the hands of a test. */
export class End implements ProxyTransport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: any) => void;
  /** What the proxy has sent to this end. */
  readonly got: Message[] = [];
  readonly #waiting: (() => void)[] = [];
  closed = false;

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage): Promise<void> {
    this.got.push(message);
    for (const wake of this.#waiting.splice(0)) wake();
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.onclose?.();
  }

  /** Sends to the proxy. */
  say(message: unknown): void {
    this.onmessage?.(message);
  }

  /** Waits for the message of that number, from 0. */
  async nth(index: number): Promise<Message> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => late.reject(new Error(`no message ${index}: ${JSON.stringify(this.got)}`)),
      5_000,
    );
    try {
      while (this.got.length <= index) {
        await Promise.race([new Promise<void>((wake) => this.#waiting.push(wake)), late.promise]);
      }
    } finally {
      clearTimeout(timer);
    }
    return this.got[index] as Message;
  }
}

export interface Wire extends AsyncDisposable {
  readonly client: End;
  readonly server: End;
  readonly problems: string[];
  readonly notices: string[];
  /** A call of the client, and what the server gets of it. */
  call(id: unknown, params: object, method?: string): void;
}

/** A proxy between two ends that a test holds, with hooks that are functions. */
export async function wire(
  hooks: readonly FakeHook[],
  options: Partial<McpProxyOptions> = {},
): Promise<Wire> {
  const { warden } = await fakeWarden(hooks, {}, { maxEventBytes: 20_000_000 });
  const client = new End();
  const server = new End();
  const problems: string[] = [];
  const notices: string[] = [];
  const proxy = await createMcpProxy({
    warden,
    name: "srv",
    server: () => server,
    client,
    sessionId: "s1",
    onProblem: (text) => problems.push(text),
    onNotice: (text) => notices.push(text),
    ...options,
  });
  return {
    client,
    server,
    problems,
    notices,
    call: (id, params, method = "tools/call") => client.say({ jsonrpc: "2.0", id, method, params }),
    async [Symbol.asyncDispose]() {
      await proxy.close();
      await warden[Symbol.asyncDispose]();
    },
  };
}

export const result = (id: unknown, value: object): Message => ({ jsonrpc: "2.0", id, result: value });
export const text = (value: string): Message => ({ content: [{ type: "text", text: value }] });

/** Lets everything that can happen now happen. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((done) => setImmediate(done));
}
