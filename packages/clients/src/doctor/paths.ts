import type { ClientName } from "../clients/index.ts";
import { mcpCall, patchCall, shellCall, subagentCall, writeCall } from "../launch/tools.ts";
import type { OfferedTool, Script, ToolCall } from "../model-server/index.ts";
import { canaryCommand, canaryText } from "./canary.ts";
import { mcpServer } from "./mcp-server.ts";
import { runSession, type SessionPlace } from "./session.ts";

/** A way by which a model can make a client do something. */
export interface Path {
  readonly name: string;
  readonly call: (tools: readonly OfferedTool[], place: SessionPlace) => ToolCall | null;
  /** Whether a subagent makes the call. */
  readonly nested?: true;
}

/** The prompt by which the model server knows a subagent's conversation. */
const subagentPrompt = "Run the canary of the doctor in this subagent.";

const shell = (tools: readonly OfferedTool[], { canary }: SessionPlace): ToolCall | null =>
  shellCall(tools, canaryCommand(canary));

export const paths: readonly Path[] = [
  { name: "shell", call: shell },
  { name: "file tool", call: (tools, { cwd }) => writeCall(tools, `${cwd}/${canaryText}`) },
  { name: "apply_patch", call: (tools, { cwd }) => patchCall(tools, `${cwd}/${canaryText}`) },
  { name: "MCP tool", call: (tools, { canary }) => mcpCall(tools, canaryCommand(canary)) },
  { name: "shell in a subagent", call: shell, nested: true },
];

export interface PathResult {
  readonly path: string;
  /** `denied`: a hook stopped the call. `ran`: no hook did. `not offered`: the client has no such tool. */
  readonly outcome: "denied" | "ran" | "not offered" | "unclear";
  /** The tool that was called. */
  readonly tool: string | null;
  readonly ms: number;
}

export interface PathOptions {
  readonly client: ClientName;
  readonly binary: string;
  /** Puts hooks into the folders of the session. */
  readonly prepare: (place: SessionPlace) => Promise<void>;
}

/** Lets a real client make the canary call by one path. */
export async function tryPath({ client, binary, prepare }: PathOptions, path: Path): Promise<PathResult> {
  const calls: string[] = [];
  const isFileTool = path.name === "file tool" || path.name === "apply_patch";
  let wrote = false;
  const session = await runSession({
    client,
    binary,
    prepare,
    patches: path.name === "apply_patch",
    mcp: ({ canary }) => [process.execPath, "-e", mcpServer(canary)],
    script: (place) => scriptOf(path, place, calls),
    finish: async ({ cwd }) => {
      const { existsSync } = await import("node:fs");
      wrote = isFileTool && existsSync(`${cwd}/${canaryText}`);
    },
  });
  const tool = calls.at(-1) ?? null;
  const refused = JSON.stringify(session.conversations.map(({ results }) => results)) + session.output;
  const outcome =
    session.ran || wrote
      ? "ran"
      : tool === null
        ? "not offered"
        : /hookwarden|canary policy/.test(refused)
          ? "denied"
          : "unclear";
  return { path: path.name, outcome, tool, ms: session.ms };
}

function scriptOf({ call, nested }: Path, place: SessionPlace, calls: string[]): Script {
  return ({ prompt, rounds, tools }) => {
    const inside = prompt.includes(subagentPrompt);
    if (rounds > 0) return { text: "done" };
    if (nested && !inside) {
      const start = subagentCall(tools, subagentPrompt);
      return start ? { calls: [start] } : { text: "done" };
    }
    const made = call(tools, place);
    if (!made) return { text: "done" };
    calls.push(made.name);
    return { calls: [made] };
  };
}
