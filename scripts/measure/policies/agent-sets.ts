/** What coding agents type: the commands of their public transcripts, and what repositories ask them to run. */
import type { Item, PublicSet } from "./item.ts";
import { shellBlocks } from "./shell-blocks.ts";
import { type Checkout, filesOf, type SourceName } from "./sources.ts";

/** Control sequences of a terminal. */
const sequences = /\u001b\[[0-9;?]*[A-Za-z]/g;
/** Where those transcripts have their workspace. */
const workspace = /(?<![\w/])\/(?:app|testbed)(?=\/|\s|$|["'])/g;

/** The commands of an agent's terminal log: each is a block of its own, after the instructions that it was given. */
function* terminalLogs(checkout: Checkout): Generator<Item> {
  for (const { text } of filesOf(checkout, /sessions\/agent\.log$/)) {
    const log = text.replace(sequences, "").replaceAll("\r", "");
    const steps = log.split(/mini-swe-agent \(step \d+[^\n]*\n/).slice(1);
    for (const step of steps) {
      const code = /```bash\n([\s\S]*?)\n```/.exec(step)?.[1]?.trim();
      if (code !== undefined && code !== "" && !code.includes("COMPLETE_TASK"))
        yield { family: "mini-swe-agent", text: code.replace(workspace, "/home/u/proj") };
    }
  }
}

/** What Claude Code ran through its shell, in the sessions that a repository keeps of its own development. */
function* savedSessions(checkout: Checkout): Generator<Item> {
  for (const { text } of filesOf(checkout, /^\.specstory\/history\/[^/]+\.md$/)) {
    for (const [, block = ""] of text.matchAll(/data-tool-name="Bash"><details>\n([\s\S]*?)<\/details>/g)) {
      const code = /^```bash\n([\s\S]*?)\n```$/m.exec(block)?.[1] ?? /^`([^`\n]+)`$/m.exec(block)?.[1];
      if (code !== undefined)
        yield { family: "Claude Code", text: code.replaceAll(developed, "/home/u/proj").trim() };
    }
  }
}
const developed = /\/Users\/\w+\/Source\/SpecStory\/getspecstory(?![\w-])/gi;

/** Shell blocks of the files in which repositories tell agents what to run. */
function* instructions(checkout: Checkout): Generator<Item> {
  for (const item of shellBlocks(
    checkout,
    /(?:^|\/)(?:AGENTS|CLAUDE|GEMINI|CONTRIBUTING|copilot-instructions)\.md$/i,
  ))
    yield { ...item, family: "instructions for agents" };
}

const instructed: readonly SourceName[] = ["pydanticAi", "geminiCli", "prettier", "ghCli", "mcp", "sweAgent"];

export const agentSets: readonly PublicSet[] = [
  { name: "Terminal-Bench runs", kind: "shell-benign", source: "terminalBench", read: terminalLogs },
  { name: "sessions of specstory", kind: "shell-benign", source: "specstory", read: savedSessions },
  ...instructed.map((source): PublicSet => ({
    name: `instructions of ${source}`,
    kind: "shell-benign",
    source,
    read: instructions,
  })),
];
