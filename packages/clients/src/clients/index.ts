/** The agent clients that hookwarden supports, one table each. Light: the hook program loads it before every event. */
import { claudeCode } from "./claude-code.ts";
import { cline } from "./cline.ts";
import type { AgentClient, ClientName } from "./client.ts";
import { codex } from "./codex.ts";
import { copilotCli } from "./copilot-cli.ts";
import { droid } from "./droid.ts";
import { geminiCli } from "./gemini-cli.ts";
import { opencode } from "./opencode.ts";
import { qwenCode } from "./qwen-code.ts";

export {
  type AgentClient,
  type Answers,
  type ClientEvent,
  type ClientName,
  clientNames,
  type Json,
} from "./client.ts";

export const clients: { readonly [name in ClientName]: AgentClient } = {
  "claude-code": claudeCode,
  codex,
  "gemini-cli": geminiCli,
  "qwen-code": qwenCode,
  opencode,
  "copilot-cli": copilotCli,
  droid,
  cline,
};
