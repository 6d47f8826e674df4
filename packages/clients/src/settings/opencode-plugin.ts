import { hookArguments, type HookOptions } from "../hook/hook-options.ts";
import { type HookPrograms, lockedOut, mark, quoted } from "./command.ts";
import { clientTimeout } from "./entry.ts";

/** Returns the source of a plugin that hands each event to the hook program, and throws unless the answer permits the step. */
export function openCodePlugin(
  options: HookOptions,
  { node, client }: HookPrograms,
  events: readonly string[],
): string {
  const command = [node, client, ...hookArguments(options)];
  return `// Written by \`hookwarden install opencode\`; remove it with \`hookwarden uninstall opencode\`.
// ${mark} ${quoted(options.pack)}
import { spawn } from "node:child_process";

const command = ${JSON.stringify(command)};
const events = ${JSON.stringify(events)};
const timeoutMs = ${clientTimeout(options) * 1_000};
const lockedOut = ${JSON.stringify(lockedOut("opencode"))};

${plugin}`;
}

/** The plugin itself. It imports nothing of hookwarden, because a plugin that does not load refuses nothing. */
const plugin = `/** Asks the hook program. Throws for every failure, which opencode takes for a refusal. */
function ask(event) {
  return new Promise((done, failed) => {
    const refuse = () => failed(new Error(lockedOut));
    const child = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "ignore"] });
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      refuse();
    }, timeoutMs);
    let text = "";
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (data) => (text += data));
    child.stdin.on("error", () => undefined);
    child.on("error", refuse);
    child.on("close", (code) => {
      clearTimeout(timer);
      try {
        const answer = code === 0 ? JSON.parse(text) : null;
        if (typeof answer === "object" && answer !== null && !Array.isArray(answer)) return done(answer);
      } catch {}
      refuse();
    });
    child.stdin.end(JSON.stringify(event));
  });
}

const inputs = new Map();

export const Hookwarden = async ({ directory }) => {
  const decide = async (hook_event_name, fields) => {
    const answer = await ask({ hook_event_name, cwd: directory, ...fields });
    if (typeof answer.deny === "string") throw new Error(answer.deny);
    return answer;
  };
  const hooks = {
    "chat.message": async ({ sessionID }, output) => {
      const texts = output.parts.filter((part) => part.type === "text" && !part.synthetic);
      const prompt = texts.map((part) => part.text).join("\\n");
      const answer = await decide("chat.message", { session_id: sessionID, prompt });
      if (typeof answer.prompt === "string" && texts.length > 0) {
        for (const part of texts) part.text = "";
        texts[0].text = answer.prompt;
      }
      if (typeof answer.context === "string" && texts.length > 0) texts.at(-1).text += "\\n\\n" + answer.context;
    },
    "tool.execute.before": async ({ tool, sessionID, callID }, output) => {
      const answer = await decide("tool.execute.before", {
        session_id: sessionID,
        tool_name: tool,
        tool_input: output.args ?? {},
        tool_use_id: callID,
      });
      if (answer.input) {
        for (const field of Object.keys(output.args)) delete output.args[field];
        Object.assign(output.args, answer.input);
      }
      inputs.set(callID, output.args);
    },
    "tool.execute.after": async ({ tool, sessionID, callID, args }, output) => {
      const tool_input = args ?? inputs.get(callID) ?? {};
      inputs.delete(callID);
      const text = output.output ?? (output.content ?? []).map((part) => part.text ?? "").join("\\n");
      let result = "A policy withheld the result of this tool: hookwarden gave no answer";
      try {
        const answer = await decide("tool.execute.after", {
          session_id: sessionID,
          tool_name: tool,
          tool_input,
          tool_use_id: callID,
          tool_response: text,
        });
        result = typeof answer.result === "string" ? answer.result : text;
        if (typeof answer.context === "string") result += "\\n\\n" + answer.context;
      } finally {
        if (result !== text) {
          output.output = result;
          output.title = tool;
          output.metadata = {};
          if (Array.isArray(output.content)) output.content = [{ type: "text", text: result }];
        }
      }
    },
    event: async ({ event }) => {
      if (!events.includes(event.type)) return;
      const session_id = event.properties?.sessionID ?? event.properties?.info?.id;
      await ask({ hook_event_name: event.type, cwd: directory, session_id }).catch(() => undefined);
    },
  };
  return Object.fromEntries(
    Object.entries(hooks).filter(([name]) => name === "event" || events.includes(name)),
  );
};
`;
