import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

/** The files of every adapter to an agent framework, and what each does. */
const shared = {
  "answers.ts": "builds and validates answers of the model",
  "approval.ts": "asks a person, in the framework's own way",
  "chunks.ts": "has ModelResponseChunk decide on a stream",
  "decisions.ts": "keeps the decision on a tool call until it runs",
  "guard.ts": "the entry point: puts a warden around an agent",
  "index.ts": "the exports",
  "messages.ts": "converts messages between the framework and hooks",
  "model.ts": "has hooks decide on answers and on the end of a turn",
  "options.ts": "the public options and types",
  "outputs.ts": "adds what hooks say to a tool's result",
  "requests.ts": "has hooks decide on prompts and requests",
  "state.ts": "what the parts of one guard share",
  "tool.ts": "runs a tool between its hooks",
};

/** Files that only one framework needs, and why. */
const special: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "ai-sdk": { "types.ts": "`ai` does not export the types of a provider's model; they are derived here" },
  langchain: {},
  "openai-agents": {
    "computer-tool.ts": "this SDK runs a model's mouse and keyboard actions itself",
    "local-tools.ts": "this SDK runs shell commands and file edits itself",
  },
};

test.each(Object.entries(special))("the files of %s are those of every adapter", (adapter, own) => {
  const folder = fileURLToPath(new URL(`../../packages/${adapter}/src`, import.meta.url));
  expect(readdirSync(folder).sort()).toEqual([...Object.keys(shared), ...Object.keys(own)].sort());
});
