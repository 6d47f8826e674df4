import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { InMemoryTaskStore } from "@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CallToolResultSchema,
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";

/** The reference servers as they are installed, and a client of the SDK that can all that they ask for. */

/** Types are stripped once, not once for each of the many processes. */
export const cache = { NODE_COMPILE_CACHE: join(tmpdir(), "hookwarden-test-cache") };

const root = new URL("../../../", import.meta.url).pathname;
const serverFile = (name: string): string =>
  `${root}node_modules/@modelcontextprotocol/${name}/dist/index.js`;

export const everything = [process.execPath, serverFile("server-everything")] as const;
export const filesystem = (folder: string): readonly string[] => [
  process.execPath,
  serverFile("server-filesystem"),
  folder,
];

/** The command line of the proxy in front of a server's. */
export function proxied(
  pack: string,
  name: string,
  server: readonly string[],
  ...options: string[]
): string[] {
  const cli = `${root}src/cli/main.ts`;
  const end = server.length > 0 ? ["--", ...server] : [];
  return [
    process.execPath,
    cli,
    "mcp",
    "--isolation",
    "inline",
    "--pack",
    pack,
    "--name",
    name,
    ...options,
    ...end,
  ];
}

export function overStdio([command, ...args]: readonly string[]): StdioClientTransport {
  return new StdioClientTransport({ command: command as string, args, env: { ...cache }, stderr: "pipe" });
}

export function overHttp(url: string): Transport {
  return new StreamableHTTPClientTransport(new URL(url)) as unknown as Transport;
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

/** A program that listens, until it is stopped; it has started when it has written `ready`. */
export class Program implements AsyncDisposable {
  readonly child: ChildProcess;
  output = "";

  private constructor(child: ChildProcess) {
    this.child = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (chunk: Buffer) => (this.output += chunk.toString()));
    }
  }

  static async start([command, ...args]: readonly string[], ready: RegExp, env = {}): Promise<Program> {
    const program = new Program(
      spawn(command as string, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...env } }),
    );
    const until = Date.now() + 20_000;
    while (!ready.test(program.output)) {
      if (Date.now() > until || program.child.exitCode !== null) {
        throw new Error(`has not started: ${program.output}`);
      }
      await new Promise((done) => setTimeout(done, 20));
    }
    return program;
  }

  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const exited = once(this.child, "exit");
      this.child.kill(signal);
      await exited;
    }
    return this.child.exitCode;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop("SIGKILL");
  }
}

export interface Recorded {
  readonly client: Client;
  /** Every message that has reached the client, in order. */
  readonly received: unknown[];
  /** What the server has asked the client's model and person. */
  readonly asked: { method: string; params: any }[];
  /** What the person answers. */
  person: { action: string; content?: object };
}

/**
 * A client with roots, sampling, elicitation and tasks, connected.
 *
 * @param roots `false` for the filesystem server: it takes on the client's folders at some moment after it has started,
 *   and until then answers otherwise.
 */
export async function connect(transport: Transport, roots = true): Promise<Recorded> {
  const client = new Client({ name: "test", version: "1.0.0" }, {
    capabilities: {
      roots: {},
      sampling: {},
      elicitation: { form: {}, url: {} },
      tasks: {
        requests: { sampling: { createMessage: {} }, elicitation: { create: {} } },
      },
    },
    taskStore: new InMemoryTaskStore(),
  } as never);
  const recorded: Recorded = {
    client,
    received: [],
    asked: [],
    person: { action: "accept", content: { name: "Ada" } },
  };
  const answer = async (request: any, extra: any, result: () => object): Promise<any> => {
    recorded.asked.push({ method: request.method, params: structuredClone(request.params) });
    if (!request.params.task) return result();
    const task = await extra.taskStore.createTask({ ttl: 60_000, pollInterval: 100 });
    await extra.taskStore.storeTaskResult(task.taskId, "completed", result());
    return { task };
  };
  client.setRequestHandler(CreateMessageRequestSchema, (request, extra) =>
    answer(request, extra, () => ({
      role: "assistant",
      content: { type: "text", text: "the model says 4111 1111 1111 1111" },
      model: "local",
      stopReason: "endTurn",
    })),
  );
  client.setRequestHandler(ElicitRequestSchema, (request, extra) =>
    answer(request, extra, () => recorded.person),
  );
  if (roots) {
    client.setRequestHandler(ListRootsRequestSchema, () => ({
      roots: [{ uri: "file:///tmp", name: "tmp" }],
    }));
  }
  await client.connect(transport);
  const inner = transport.onmessage;
  transport.onmessage = (message, extra) => {
    recorded.received.push(structuredClone(message));
    inner?.(message, extra);
  };
  return recorded;
}

/** Runs a step, and writes down how it ends. */
async function outcome(step: () => Promise<unknown>): Promise<unknown> {
  try {
    return await step();
  } catch (error) {
    const { code, message, data } = error as { code?: number; message: string; data?: unknown };
    return { failed: { code, message, data } };
  }
}

/** Everything that a client can do with the everything server, in order. */
export async function useEverything({ client }: Recorded): Promise<unknown[]> {
  const seen: unknown[] = [];
  const note = async (name: string, step: () => Promise<unknown>): Promise<void> => {
    seen.push([name, await outcome(step)]);
  };
  const call = (name: string, args: object = {}): Promise<void> =>
    note(name, () => client.callTool({ name, arguments: args as Record<string, unknown> }));
  seen.push(["server", client.getServerVersion(), client.getServerCapabilities(), client.getInstructions()]);
  await note("ping", () => client.ping());
  await note("tools", () => client.listTools());
  await call("echo", { message: "grüße 👋 \u2028" });
  await call("echo", { wrong: 1 });
  await call("no-such-tool");
  await call("get-sum", { a: 2, b: 3.5 });
  await call("get-structured-content", { location: "Chicago" });
  await call("get-annotated-message", { messageType: "error", includeImage: true });
  await call("get-tiny-image");
  await call("get-resource-links", { count: 3 });
  await call("get-resource-reference", { resourceType: "Text", resourceId: 1 });
  await call("get-roots-list");
  await call("trigger-sampling-request", { prompt: "hello", maxTokens: 10 });
  await call("trigger-elicitation-request");
  await call("trigger-url-elicitation", { url: "https://example.org/a", elicitationId: "e1" });
  await call("trigger-url-elicitation", {
    url: "https://example.org/b",
    elicitationId: "e2",
    errorPath: true,
  });
  const progress: unknown[] = [];
  await note("progress", () =>
    client.callTool(
      { name: "trigger-long-running-operation", arguments: { duration: 0.3, steps: 3 } },
      undefined,
      {
        onprogress: (one) => progress.push(one),
      },
    ),
  );
  // The SDK's client may forget the call before it hears of the last step.
  seen.push(progress.slice(0, 2));
  await note("cancelled", async () => {
    const cancelling = new AbortController();
    const running = client.callTool(
      { name: "trigger-long-running-operation", arguments: { duration: 30, steps: 2 } },
      undefined,
      { signal: cancelling.signal },
    );
    setTimeout(() => cancelling.abort("enough"), 50);
    return running;
  });
  await note("resources", () => client.listResources());
  await note("templates", () => client.listResourceTemplates());
  await note("read", () => client.readResource({ uri: "demo://resource/dynamic/text/1" }));
  await note("read what is not there", () => client.readResource({ uri: "demo://no/such" }));
  await note("subscribe", () => client.subscribeResource({ uri: "demo://resource/dynamic/text/1" }));
  await note("prompts", () => client.listPrompts());
  await note("prompt", () => client.getPrompt({ name: "args-prompt", arguments: { city: "Bern" } }));
  await note("complete", () =>
    client.complete({
      ref: { type: "ref/prompt", name: "completable-prompt" },
      argument: { name: "department", value: "E" },
    }),
  );
  await note("level", () => client.setLoggingLevel("debug"));
  await note("a method of nobody's", () =>
    client.request({ method: "acme/unheard-of", params: { a: [1] } } as never, CallToolResultSchema),
  );
  await note("task", async () => {
    const kinds: unknown[] = [];
    const params = { name: "simulate-research-query", arguments: { topic: "bees" } };
    for await (const message of client.experimental.tasks.callToolStream(params)) {
      kinds.push(message.type === "result" ? message : message.type);
    }
    // How often a client asks for the status depends on the clock.
    return kinds.filter((kind) => kind !== "taskStatus");
  });
  await call("trigger-sampling-request-async", { prompt: "later" });
  await note(
    "tasks",
    async () => ((await client.experimental.tasks.listTasks()) as { tasks: unknown[] }).tasks.length,
  );
  return seen;
}

/** Everything that a client can do with the filesystem server in a folder that holds `a.txt`. */
export async function useFilesystem({ client }: Recorded, folder: string): Promise<unknown[]> {
  const seen: unknown[] = [client.getServerVersion(), client.getServerCapabilities()];
  const call = async (name: string, args: object = {}): Promise<void> => {
    seen.push([
      name,
      await outcome(() => client.callTool({ name, arguments: args as Record<string, unknown> })),
    ]);
  };
  seen.push(await client.listTools());
  await call("list_allowed_directories");
  await call("write_file", { path: `${folder}/b.txt`, content: "one\ntwo\n" });
  await call("read_text_file", { path: `${folder}/a.txt` });
  await call("read_text_file", { path: `${folder}/b.txt`, head: 1 });
  await call("read_multiple_files", { paths: [`${folder}/a.txt`, `${folder}/none.txt`] });
  await call("edit_file", { path: `${folder}/b.txt`, edits: [{ oldText: "two", newText: "2" }] });
  await call("list_directory", { path: folder });
  await call("directory_tree", { path: folder });
  await call("move_file", { source: `${folder}/b.txt`, destination: `${folder}/c.txt` });
  await call("search_files", { path: folder, pattern: "*.txt" });
  await call("read_text_file", { path: "/etc/hostname" });
  await call("read_text_file", {});
  return seen;
}

/** A transcript without what is new in each run: ids, times, ports. */
export function comparable(transcript: unknown, ...names: readonly string[]): unknown {
  let text = JSON.stringify(transcript)
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<uuid>")
    .replaceAll(/\b[0-9a-f]{32}\b/g, "<id>")
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "<time>")
    .replaceAll(/\d{1,2}:\d\d:\d\d [AP]M/g, "<time>");
  for (const name of names) text = text.replaceAll(name, "<folder>");
  return JSON.parse(text);
}
