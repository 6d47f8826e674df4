import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Block, type ModelRequest, startMessagesApi } from "./messages-api.ts";

/** Folder with `node_modules/@anthropic-ai/claude-agent-sdk` and its native client: large, and therefore opt-in. */
const root = process.env["HOOKWARDEN_CLAUDE_SDK"];
const sdk = root === undefined ? "" : join(root, "node_modules/@anthropic-ai/claude-agent-sdk/sdk.mjs");

/** Why the real client cannot be run; `null` where it can. */
export const noClient: string | null =
  root === undefined
    ? "HOOKWARDEN_CLAUDE_SDK names no folder with @anthropic-ai/claude-agent-sdk"
    : existsSync(sdk)
      ? null
      : `there is no ${sdk}`;

export interface SessionOptions {
  /** A folder that goes away with the test. */
  readonly folder: string;
  readonly turns: readonly (readonly Block[])[];
  /** Text of the person's settings file. */
  readonly settings?: string;
  /** `options.hooks` of the SDK. */
  readonly hooks?: object;
  /** More of the SDK's options. */
  readonly more?: object;
  readonly prompt?: string;
  /** Tools that run without asking. Default: `Bash`. */
  readonly allowedTools?: readonly string[];
  readonly env?: { readonly [name: string]: string };
}

export interface Session {
  readonly requests: readonly ModelRequest[];
  /** What the model was shown as the results of tools, one text for each. */
  readonly results: readonly string[];
  /** Everything that the model was shown in the last request. */
  readonly lastSeen: string;
  readonly messages: readonly { readonly type: string; readonly [field: string]: unknown }[];
  readonly error: string | null;
}

/** Runs one session of the real client against the stand-in for its API. It knows no other network and no real home. */
export async function runSession(options: SessionOptions): Promise<Session> {
  const {
    folder,
    turns,
    settings,
    hooks,
    more = {},
    prompt = "go",
    allowedTools = ["Bash"],
    env = {},
  } = options;
  const { query } = (await import(pathToFileURL(sdk).href)) as {
    query(parameters: object): AsyncIterable<{ readonly type: string }>;
  };
  const [home, cwd] = [join(folder, "home"), join(folder, "project")];
  await mkdir(join(home, ".claude"), { recursive: true });
  await mkdir(cwd, { recursive: true });
  if (settings !== undefined) await writeFile(join(home, ".claude", "settings.json"), settings);
  await using api = await startMessagesApi(turns);
  const messages: { readonly type: string }[] = [];
  let error: string | null = null;
  try {
    const session = query({
      prompt,
      options: {
        cwd,
        model: "claude-sonnet-4-5",
        permissionMode: "default",
        allowedTools,
        maxTurns: 12,
        settingSources: settings === undefined ? [] : ["user"],
        ...(hooks === undefined ? {} : { hooks }),
        env: {
          PATH: process.env["PATH"],
          NODE_OPTIONS: process.env["NODE_OPTIONS"] ?? "",
          HOME: home,
          CLAUDE_CONFIG_DIR: join(home, ".claude"),
          XDG_RUNTIME_DIR: join(folder, "run"),
          XDG_STATE_HOME: join(folder, "state"),
          ANTHROPIC_BASE_URL: api.url,
          ANTHROPIC_API_KEY: "sk-ant-no-key",
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
          DISABLE_AUTOUPDATER: "1",
          ...env,
        },
        ...more,
      },
    });
    for await (const message of session) messages.push(message);
  } catch (thrown) {
    error = thrown instanceof Error ? thrown.message : String(thrown);
  }
  const last = api.requests.at(-1);
  return {
    requests: [...api.requests],
    results: last ? resultsIn(last) : [],
    lastSeen: JSON.stringify(last?.messages ?? []),
    messages,
    error,
  };
}

function resultsIn({ messages }: ModelRequest): string[] {
  return messages.flatMap(({ content }) =>
    (Array.isArray(content) ? content : [])
      .filter((block: { type?: unknown }) => block.type === "tool_result")
      .map((block: { content?: unknown }) =>
        typeof block.content === "string" ? block.content : JSON.stringify(block.content),
      ),
  );
}

export const bashTurn = (command: string, id = "toolu_1"): Block[] => [
  { type: "tool_use", id, name: "Bash", input: { command, description: "a command" } },
];
export const textTurn = (text: string): Block[] => [{ type: "text", text }];
