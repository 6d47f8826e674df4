/** What the policies cost on 1 MB of text, in the steps of the engine, which are the same on every machine. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defaultLimits } from "@hookwarden/sandbox";
import type { EventInput } from "hookwarden/broker";
import type { Warden } from "hookwarden/warden";

const policies = fileURLToPath(new URL("../../../policies/", import.meta.url));

/** The most that a policy took for one call. */
export interface Cost {
  readonly policy: string;
  readonly steps: number;
  readonly limit: number;
  readonly text: string;
  /** The first fault, and the text that caused it. */
  readonly fault: { readonly code: string; readonly text: string } | undefined;
}

const bytes = 1_000_000;
const filled = (line: string): string => line.repeat(Math.ceil(bytes / line.length)).slice(0, bytes);

/** Texts of 1 MB: what tools print, and what is slow for rules that look for tokens, markup or paths. */
const texts: { readonly [name: string]: string } = {
  prose: filled("The build of module 42 took 3.5 seconds on db.example.org, and nothing failed.\n"),
  code: filled('const token = process.env["API_TOKEN"] ?? readFileSync("./.env", "utf8");\n'),
  base64: filled("TWFueSBoYW5kcyBtYWtlIGxpZ2h0IHdvcmsu"),
  markup: filled('<div style="x"><!-- note --> Human: [link](https://example.org/?q=1)\n\n'),
  commands: filled("cp src/a.txt build/b.txt && npm test\n"),
};

interface Manifest {
  readonly on: readonly (string | { readonly event: string })[];
  readonly limits?: { readonly steps?: number };
}

/** Events with a text, by the event's name; others carry none. */
const events: { readonly [name: string]: (text: string) => readonly EventInput[] } = {
  PreToolUse: (text) => [
    { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: text } },
    { hook_event_name: "PreToolUse", tool_name: "Write", tool_input: { file_path: "a.txt", content: text } },
  ],
  PostToolUse: (text) => [
    {
      hook_event_name: "PostToolUse",
      tool_name: "WebFetch",
      tool_input: { url: "https://example.org/" },
      tool_response: text,
    },
  ],
  PostToolUseFailure: (text) => [
    { hook_event_name: "PostToolUseFailure", tool_name: "Bash", tool_input: { command: "x" }, error: text },
  ],
  UserPromptSubmit: (text) => [{ hook_event_name: "UserPromptSubmit", prompt: text }],
  PreModelRequest: (text) => [
    { hook_event_name: "PreModelRequest", model: "m", messages: [{ role: "user", content: text }] },
  ],
  PostModelResponse: (text) => [{ hook_event_name: "PostModelResponse", message: text }],
  ModelResponseChunk: (text) => [
    { hook_event_name: "ModelResponseChunk", chunk: text, stream_id: "s", index: 0 },
  ],
  SessionStart: () => [{ hook_event_name: "SessionStart", source: "startup" }],
  PreCompact: () => [{ hook_event_name: "PreCompact", trigger: "auto" }],
  Stop: () => [{ hook_event_name: "Stop" }],
};

/** Measures every policy, each alone, and gives the most that one call took. */
export async function measureCosts(warden: (policy: string) => Promise<Warden>): Promise<readonly Cost[]> {
  const costs: Cost[] = [];
  const names = readdirSync(policies).filter((name) => name.includes("-") && !name.includes("."));
  for (const policy of names) {
    const { on, limits } = JSON.parse(readFileSync(join(policies, policy, "hook.json"), "utf8")) as Manifest;
    let most: Cost = {
      policy,
      steps: 0,
      limit: limits?.steps ?? defaultLimits.steps,
      text: "",
      fault: undefined,
    };
    for (const entry of on) {
      const make = events[typeof entry === "string" ? entry : entry.event];
      if (make === undefined) continue;
      for (const [name, text] of Object.entries(texts))
        for (const event of make(text)) most = await worse(await warden(policy), event, name, most);
    }
    costs.push(most);
  }
  return costs;
}

async function worse(warden: Warden, event: EventInput, text: string, most: Cost): Promise<Cost> {
  const base = { session_id: "cost", cwd: "/home/u/proj" };
  const { trace } = await warden.dispatch({ ...base, ...(event as object) } as EventInput);
  const steps = Math.max(0, ...trace.map((entry) => entry.steps ?? 0));
  const code = trace.find((entry) => entry.fault !== null && entry.fault !== undefined)?.fault?.code;
  const fault = most.fault ?? (code === undefined ? undefined : { code, text });
  return steps > most.steps ? { ...most, steps, text, fault } : { ...most, fault };
}
