import { existsSync } from "node:fs";
import type { ClientName } from "../clients/index.ts";
import { callOf, mcpCall, patchCall, shellCall, subagentCall, writeCall } from "../launch/tools.ts";
import type { Conversation, OfferedTool, Script, ToolCall } from "../model-server/index.ts";
import { canaryCommand, canaryText } from "./canary.ts";
import { mcpServer } from "./mcp-server.ts";
import { runSession, type Session, type SessionPlace } from "./session.ts";

/** A way by which a model can make a client do something. */
export interface Path {
  readonly name: string;
  readonly call: (tools: readonly OfferedTool[], place: SessionPlace) => ToolCall | null;
  /** Whether the client may offer the tool only after a search for it. */
  readonly deferred?: true;
  /** Whether a subagent makes the call. */
  readonly nested?: true;
  /** Whether a call that runs leaves a file named after the canary, rather than the canary file. */
  readonly writes?: true;
}

/** The prompt by which the model server recognizes a subagent's conversation. */
const subagentPrompt = `Run the canary of the doctor in this subagent.`;

const shell = (tools: readonly OfferedTool[], { canary }: SessionPlace): ToolCall | null =>
  shellCall(tools, canaryCommand(canary));

export const paths: readonly Path[] = [
  { name: "shell", call: shell },
  { name: "file tool", call: (tools, { cwd }) => writeCall(tools, `${cwd}/${canaryText}`), writes: true },
  { name: "apply_patch", call: (tools, { cwd }) => patchCall(tools, `${cwd}/${canaryText}`), writes: true },
  { name: "MCP tool", call: (tools, { canary }) => mcpCall(tools, canaryCommand(canary)), deferred: true },
  { name: "shell in a subagent", call: shell, nested: true },
];

/**
 * `denied`: a hook refused the call. `ran`: none did. `not offered`: the client has no such tool. `unclear`: the call did
 * not run, and no hook refused it.
 */
export type PathOutcome = "denied" | "ran" | "not offered" | "unclear";

export interface PathResult {
  readonly path: string;
  readonly outcome: PathOutcome;
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
  let wrote = false;
  const session = await runSession({
    client,
    binary,
    prepare,
    patches: path.name === "apply_patch",
    mcp: ({ canary }) => [process.execPath, "-e", mcpServer(canary)],
    script: (place) => scriptOf(path, place, calls),
    finish: async ({ cwd }) => {
      wrote = path.writes === true && existsSync(`${cwd}/${canaryText}`);
    },
  });
  const tool = calls.at(-1) ?? null;
  return { path: path.name, outcome: outcomeOf(session, tool, wrote), tool, ms: session.ms };
}

function outcomeOf(session: Session, tool: string | null, wrote: boolean): PathOutcome {
  if (session.ran || wrote) return "ran";
  if (tool === null) return "not offered";
  const refused = JSON.stringify(session.conversations.map(({ results }) => results)) + session.output;
  return isRefusal(refused) || endedAtCall(session) ? "denied" : "unclear";
}

/** Whether the client ended its task in order at a call, and never showed the model a result: some show no reason either. */
function endedAtCall({ code, timedOut, conversations }: Session): boolean {
  return code === 0 && !timedOut && conversations.every(({ results }) => results.length === 0);
}

/** Whether a text shows a refusal of hookwarden, or of the pack that doctor installs. */
function isRefusal(text: string): boolean {
  return /hookwarden refuses|canary policy/.test(text);
}

function scriptOf({ call, nested, deferred }: Path, place: SessionPlace, calls: string[]): Script {
  return (conversation) => {
    const { prompt, rounds, tools } = conversation;
    if (nested && !prompt.includes(subagentPrompt)) {
      const start = subagentCall(conversation, subagentPrompt);
      return start ? { calls: [start] } : { text: "done" };
    }
    if (calls.length > 0) return { text: "done" };
    const search = deferred && rounds === 0 ? searchCall(tools) : null;
    const made = call(tools, place) ?? (deferred && rounds === 1 ? bridgedCall(tools, place) : null);
    if (!made) return search ? { calls: [search] } : { text: "done" };
    calls.push(made.name);
    return { calls: [made] };
  };
}

/** A search for the canary tool, for clients that offer tools of MCP servers only after one. */
function searchCall(tools: readonly OfferedTool[]): ToolCall | null {
  const search = tools.find(({ name }) => /^tool_?search$/i.test(name));
  return search ? callOf(search, { text: "canary run" }) : null;
}

/** A call of the canary tool by a tool that calls others. */
function bridgedCall(tools: readonly OfferedTool[], { canary }: SessionPlace): ToolCall | null {
  if (!tools.some(({ name }) => name === "tool_call")) return null;
  const input = { name: "mcp__canary__run", arguments: { command: canaryCommand(canary) } };
  return { name: "tool_call", input };
}

/** What became of one tool that the client offers to its model. */
export interface ToolResult {
  readonly tool: string;
  /**
   * `no hook`: the model was shown a result that no hook had refused. `not proven`: the client itself refused the call, for
   * instance because it names something that does not exist.
   */
  readonly outcome: "denied" | "no hook" | "not proven";
  /** What the model was shown, cut to 200 characters. */
  readonly shown: string;
}

/**
 * Lets a real client call every tool that it offers, one after the other, with the canary in each text. A client that ends
 * its task at a refusal is started again for the rest.
 *
 * @param onlyCanary whether the installed hooks refuse only calls that contain the canary, so that a call without any text
 *   proves nothing.
 */
export async function tryEveryTool(
  { client, binary, prepare }: PathOptions,
  onlyCanary: boolean,
): Promise<ToolResult[]> {
  const found: ToolResult[] = [];
  let offered: readonly string[] = [];
  for (;;) {
    const done = new Set(found.map(({ tool }) => tool));
    const called: string[] = [];
    const marked = new Set<string>();
    const session = await runSession({
      client,
      binary,
      prepare,
      mcp: ({ canary }) => [process.execPath, "-e", mcpServer(canary)],
      script: (place) => everyTool(place, done, called, marked),
    });
    offered = session.conversations[0]?.tools.map(keyOf) ?? offered;
    const results = longest(session.conversations);
    for (const [index, tool] of called.entries()) {
      const result = results[index];
      const text = result ?? session.output;
      const ended = result === undefined && session.code === 0 && !session.timedOut;
      const outcome =
        ended || isRefusal(text)
          ? "denied"
          : isInvalid(text) || (onlyCanary && !marked.has(tool))
            ? "not proven"
            : "no hook";
      found.push({ tool, outcome, shown: text.slice(0, 200) });
    }
    if (called.length === 0 || offered.every((tool) => found.some((one) => one.tool === tool))) return found;
  }
}

/** Whether a client says that a call is not valid, which it may do before it calls hooks. */
function isInvalid(text: string): boolean {
  return /not found|not registered|unsupported call|no such|does not exist|invalid|must be|required|unknown|not available/i.test(
    text,
  );
}

function everyTool(
  place: SessionPlace,
  done: ReadonlySet<string>,
  called: string[],
  marked: Set<string>,
): Script {
  return ({ rounds, tools }) => {
    // A request that the client repeats gets the same call.
    const at = called[rounds];
    const next = tools.find((tool) =>
      at === undefined ? !done.has(keyOf(tool)) && !called.includes(keyOf(tool)) : keyOf(tool) === at,
    );
    if (!next) return { text: "done" };
    if (at === undefined) called.push(keyOf(next));
    const { canary, cwd } = place;
    const values = {
      command: canaryCommand(canary),
      path: `${cwd}/${canaryText}`,
      url: `http://127.0.0.1:9/${canaryText}`,
      text: canaryText,
    };
    const call = callOf(next, values);
    if (JSON.stringify(call.input).includes(canaryText)) marked.add(keyOf(next));
    return { calls: [call] };
  };
}

function keyOf({ name, namespace }: OfferedTool): string {
  return namespace === undefined ? name : `${namespace}.${name}`;
}

function longest(conversations: readonly Conversation[]): readonly string[] {
  return conversations.reduce<readonly string[]>(
    (most, { results }) => (results.length > most.length ? results : most),
    [],
  );
}
