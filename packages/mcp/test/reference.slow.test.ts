import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type WrittenHook, writePack } from "./packs.ts";
import {
  connect,
  everything,
  filesystem,
  freePort,
  overHttp,
  overStdio,
  Program,
  proxied,
  type Recorded,
} from "./reference.ts";

/** The reference servers, unmodified, behind the proxy as a user starts it, with the SDK's own client. */

const mask = "String(text).replace(/[0-9]{4}( [0-9]{4}){3}/g, '[card]').replace(/sk-[a-z0-9]{8,}/g, '[key]')";
const hooks: readonly WrittenHook[] = [
  {
    name: "no-moves",
    on: [{ event: "PreToolUse", matcher: "mcp__fs__move_file" }],
    reads: [],
    actions: ["deny"],
    script: "import { deny } from 'hookwarden/hook'; export default () => deny('files stay where they are');",
  },
  {
    name: "no-secrets",
    on: [{ event: "PreToolUse", matcher: "mcp__.*" }],
    reads: ["tool_name", "tool_input"],
    actions: ["deny", "modify_input"],
    script: `import { deny, modifyInput } from "hookwarden/hook";
export default ({ tool_name, tool_input }) => {
  if (String(tool_input.path).endsWith("secret.txt")) return deny("this file is not for you");
  if (tool_name === "mcp__fs__write_file")
    return modifyInput({ ...tool_input, content: String(tool_input.content).toUpperCase() });
  if (tool_name === "mcp__everything__get-sum") return modifyInput({ ...tool_input, a: "four" });
  if (tool_name === "mcp__everything__echo") return modifyInput({ message: "rewritten" });
  if (tool_name === "mcp__everything__elicitation/create" && tool_input.mode === "url") return deny("no links");
};`,
  },
  {
    name: "redact",
    on: ["PostToolUse", "PostToolUseFailure"],
    reads: ["tool_response", "error", "tool_name"],
    actions: ["replace_result", "replace_error", "augment"],
    script: `import { augment, replaceError, replaceResult } from "hookwarden/hook";
const clean = (value) =>
  typeof value === "string" ? ((text) => ${mask})(value)
  : Array.isArray(value) ? value.map(clean)
  : value && typeof value === "object" ? Object.fromEntries(Object.entries(value).map(([k, v]) => [k, clean(v)]))
  : value;
export default (event) => {
  if (event.tool_name === "mcp__everything__get-structured-content")
    return replaceResult({ content: [], structuredContent: { temperature: "hot" } });
  if (event.tool_name === "mcp__everything__get-tiny-image") return augment("it is very small");
  if (event.tool_name.endsWith("elicitation/create"))
    return replaceResult({ ...event.tool_response, content: { ...event.tool_response.content, name: "[person]" } });
  const field = event.error === undefined ? "tool_response" : "error";
  const cleaned = clean(event[field]);
  if (JSON.stringify(cleaned) === JSON.stringify(event[field])) return;
  return event.error === undefined ? replaceResult(cleaned) : replaceError(cleaned);
};`,
  },
  {
    name: "model",
    on: ["PreModelRequest", "PostModelResponse"],
    reads: ["messages", "message"],
    actions: ["replace_messages", "replace_response", "block"],
    script: `import { block, replaceMessages, replaceResponse } from "hookwarden/hook";
const clean = (text) => ${mask};
export default {
  PreModelRequest: ({ messages }) =>
    JSON.stringify(messages).includes("forbidden")
      ? block("not this")
      : replaceMessages(messages.map(({ role, content }) => ({ role, content: { ...content, text: clean(content.text) } }))),
  PostModelResponse: ({ message }) =>
    replaceResponse({ role: message.role, content: { type: "text", text: clean(message.content.text) } }),
};`,
  },
];

// Many processes, one after another.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let scratch: string;
let pack: string;
let folder: string;

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "hookwarden-mcp-"));
  pack = await writePack(join(scratch, "pack"), hooks);
  folder = join(scratch, "files");
  const { mkdir } = await import("node:fs/promises");
  await mkdir(folder);
  await writeFile(join(folder, "a.txt"), "card 4111 1111 1111 1111, key sk-abcdefgh12345");
  await writeFile(join(folder, "secret.txt"), "do not read");
});
afterAll(() => rm(scratch, { recursive: true, force: true }));

async function call({ client }: Recorded, name: string, args: object = {}): Promise<any> {
  return client.callTool({ name, arguments: args as Record<string, unknown> });
}

describe("the filesystem server", () => {
  test("is filtered, denied, rewritten and redacted", async () => {
    const recorded = await connect(overStdio(proxied(pack, "fs", filesystem(folder))), false);
    try {
      const { tools } = await recorded.client.listTools();
      const names = tools.map(({ name }) => name);
      expect(names).toContain("write_file");
      expect(names).not.toContain("move_file");

      const moved = await call(recorded, "move_file", {
        source: `${folder}/a.txt`,
        destination: `${folder}/z.txt`,
      });
      expect(moved.isError).toBe(true);
      expect(moved.content[0].text).toMatch(/\| files stay where they are/);

      const denied = await call(recorded, "read_text_file", { path: `${folder}/secret.txt` });
      expect(JSON.stringify(denied)).toMatch(/this file is not for you/);
      expect(JSON.stringify(denied)).not.toMatch(/do not read/);

      await call(recorded, "write_file", { path: `${folder}/b.txt`, content: "quiet" });
      expect(await readFile(join(folder, "b.txt"), "utf8")).toBe("QUIET");
      expect((await readdir(folder)).sort()).toEqual(["a.txt", "b.txt", "secret.txt"]);

      // The server says it twice, as content and as structured content, and promises a schema for the latter.
      const read = await call(recorded, "read_text_file", { path: `${folder}/a.txt` });
      expect(read.isError).toBeUndefined();
      expect(read.structuredContent).toEqual({ content: "card [card], key [key]" });
      expect(JSON.stringify(read)).not.toMatch(/4111|sk-/);

      const failed = await call(recorded, "read_text_file", { path: "/etc/sk-abcdefgh12345" });
      expect(failed.isError).toBe(true);
      expect(JSON.stringify(failed)).toMatch(/\[key\]/);
      expect(JSON.stringify(failed)).not.toMatch(/sk-abc/);
    } finally {
      await recorded.client.close();
    }
  });
});

describe.each(["stdio", "Streamable HTTP"])("the everything server on %s", (wire) => {
  let recorded: Recorded;
  const running: Program[] = [];

  beforeAll(async () => {
    if (wire === "stdio") {
      recorded = await connect(overStdio(proxied(pack, "everything", everything)));
      return;
    }
    const port = await freePort();
    const env = { PORT: String(port) };
    running.push(await Program.start([...everything, "streamableHttp"], /listening on port/, env));
    const url = `http://127.0.0.1:${port}/mcp`;
    const line = proxied(pack, "everything", [], "--url", url, "--listen", "127.0.0.1:0");
    const proxy = await Program.start(line, /listening at http/);
    running.push(proxy);
    recorded = await connect(overHttp(/listening at (\S+)/.exec(proxy.output)?.[1] as string));
  });
  afterAll(async () => {
    await recorded?.client.close();
    for (const program of running.reverse()) await program.stop();
  });

  test("rewrites inputs, and holds them to the tool's schema", async () => {
    expect(await call(recorded, "echo", { message: "hi" })).toEqual({
      content: [{ type: "text", text: "Echo: rewritten" }],
    });
    const refused = await call(recorded, "get-sum", { a: 1, b: 2 });
    expect(refused).toMatchObject({ isError: true });
    expect(refused.content[0].text).toMatch(
      /an? hook has changed its input to one that the tool does not take/,
    );
  });

  test("holds replaced results to the tool's output schema", async () => {
    await recorded.client.listTools();
    // The client of the SDK throws at a success that breaks it.
    expect(await call(recorded, "get-structured-content", { location: "Chicago" })).toEqual({
      content: [],
      isError: true,
    });
  });

  test("adds behind a result, image and all", async () => {
    const { content } = await call(recorded, "get-tiny-image");
    expect(content.map(({ type }: { type: string }) => type)).toEqual(["text", "image", "text", "text"]);
    expect(content[3].text).toMatch(/\| it is very small/);
  });

  test("keeps progress", async () => {
    const seen: unknown[] = [];
    await recorded.client.callTool(
      { name: "trigger-long-running-operation", arguments: { duration: 0.2, steps: 4 } },
      undefined,
      { onprogress: (one) => seen.push(one) },
    );
    expect(seen.slice(0, 3)).toEqual([1, 2, 3].map((progress) => ({ progress, total: 4 })));
  });

  test("mediates sampling: what the model is asked, and what it answers", async () => {
    recorded.asked.length = 0;
    const got = await call(recorded, "trigger-sampling-request", {
      prompt: "4242 4242 4242 4242",
      maxTokens: 9,
    });
    expect(recorded.asked[0]?.params.messages[0].content.text).toMatch(/context: \[card\]$/);
    expect(recorded.asked[0]?.params.maxTokens).toBe(9);
    expect(got.content[0].text).toMatch(/the model says \[card\]/);
    recorded.asked.length = 0;
    const refused = await call(recorded, "trigger-sampling-request", { prompt: "forbidden" });
    expect(recorded.asked).toEqual([]);
    expect(refused.isError).toBe(true);
    expect(JSON.stringify(refused)).not.toMatch(/not this/);
  });

  test("mediates elicitation: what the person is asked, and what they answer", async () => {
    recorded.asked.length = 0;
    const got = await call(recorded, "trigger-elicitation-request");
    expect(recorded.asked).toMatchObject([{ method: "elicitation/create" }]);
    expect(JSON.stringify(got)).toMatch(/\[person\]/);
    expect(JSON.stringify(got)).not.toMatch(/Ada/);
    recorded.asked.length = 0;
    const declined = await call(recorded, "trigger-url-elicitation", {
      url: "https://example.org",
      elicitationId: "e",
    });
    expect(recorded.asked).toEqual([]);
    expect(JSON.stringify(declined)).toMatch(/decline/);
  });

  test("mediates what comes of a task, and what the client makes a task of", async () => {
    const results: any[] = [];
    const params = { name: "simulate-research-query", arguments: { topic: "sk-abcdefgh12345" } };
    for await (const message of recorded.client.experimental.tasks.callToolStream(params)) {
      if (message.type === "result") results.push(message.result);
      if (message.type === "error") throw message.error;
    }
    expect(results).toHaveLength(1);
    expect(JSON.stringify(results)).toMatch(/Research Report: \[key\]/);
    await expect(
      recorded.client.request(
        { method: "tasks/result", params: { taskId: "stranger" } } as never,
        (await import("@modelcontextprotocol/sdk/types.js")).CallToolResultSchema,
      ),
    ).rejects.toThrow(/knows of no such task/);
    recorded.asked.length = 0;
    const later = await call(recorded, "trigger-sampling-request-async", { prompt: "later" });
    expect(recorded.asked[0]?.params.task).toBeDefined();
    expect(JSON.stringify(later)).toMatch(/the model says \[card\]/);
  });
});

test("approval is asked of the person through the client, and what they say counts", async () => {
  const asking = await writePack(join(scratch, "asking"), [
    {
      name: "careful",
      on: [{ event: "PreToolUse", matcher: "mcp__everything__echo" }],
      reads: ["tool_input"],
      actions: ["ask"],
      script: "import { ask } from 'hookwarden/hook'; export default () => ask('it is loud');",
    },
  ]);
  const recorded = await connect(
    overStdio(proxied(asking, "everything", everything, "--approve", "elicit", "--isolation", "process")),
  );
  try {
    expect(await call(recorded, "echo", { message: "hi" })).toEqual({
      content: [{ type: "text", text: "Echo: hi" }],
    });
    expect(recorded.asked[0]?.params.message).toMatch(/mcp__everything__echo[^]*"hi"[^]*it is loud/);
    recorded.person = { action: "decline" };
    const declined = await call(recorded, "echo", { message: "hi" });
    expect(declined.content[0].text).toMatch(/it was not given/);
  } finally {
    await recorded.client.close();
  }
});
