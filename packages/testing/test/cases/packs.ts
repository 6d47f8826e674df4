/** An event of a shell command. */
export const bash = (command: string, more: object = {}): object => ({
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
  tool_input: { command },
  ...more,
});

const script = `import { deny, modifyInput, notify, setState } from "hookwarden/hook";
export default (event, ctx) => {
  const n = (ctx.state?.n ?? 0) + 1;
  const command = event.tool_input.command;
  if (command === "boom") throw new Error("bad \\u001b[31m luck");
  if (command === "loop") for (;;);
  if (command === "random") return deny(String(Math.random()));
  if (command.includes(ctx.config.word)) return [deny("no " + command), setState({ n })];
  if (command === "rewrite") return modifyInput({ command: "y", list: [1, { a: 1 }] });
  if (command === "notify") return notify("noted");
  return setState({ n });
};
`;

/** A pack with one hook whose cases are these. */
export function packWith(cases: unknown, manifest: object = {}): { [path: string]: string | object } {
  return {
    "hookwarden.json": { apiVersion: 1, hooks: ["guard"], config: { guard: { word: "rm" } }, ...manifest },
    "guard/hook.json": {
      apiVersion: 1,
      name: "guard",
      version: "1.0.0",
      entry: "hook.js",
      on: [{ event: "PreToolUse", matcher: "Bash" }],
      reads: ["tool_input"],
      actions: ["deny", "modify_input", "notify", "set_state"],
      state: { scope: "session", maxBytes: 100 },
      config: { type: "object", properties: { word: { type: "string" } }, additionalProperties: false },
    },
    "guard/hook.js": script,
    "guard/cases.json": typeof cases === "string" ? cases : JSON.stringify(cases),
  };
}
