import type { Call, Sandbox } from "../contract.ts";
import { defaultLimits } from "../limits.ts";

/** What hooks are like: a few texts, a pattern, an answer with a reason. */
const source = String.raw`const patterns = [/\brm\s+-[rf]+\s+\//i, /^(?:curl|wget)\b.*\|\s*sh/];
export default (event, context) => {
  const command = String(event.tool_input?.command ?? "").trim().toLowerCase();
  const hit = patterns.find((pattern) => pattern.test(command));
  console.log(context.hook, command.split(/\s+/).map((word) => word.length).join());
  return hit ? { action: "deny", reason: ${"`matches ${hit.source}`"} } : undefined;
};`;
const program = { key: "warm-up", name: "warm-up", source };
const event = {
  hook_event_name: "PreToolUse",
  session_id: "warm-up",
  cwd: "/",
  tool_name: "Bash",
  tool_input: { command: "echo 'é' && rm -rf /", timeout: 1.5, background: false },
};
const call: Call = {
  program,
  tenant: "",
  handler: "PreToolUse",
  args: [JSON.stringify(event), JSON.stringify({ hook: "warm-up", config: {}, state: null })],
  time: 0,
  seed: [1, 2, 3, 4],
  limits: defaultLimits,
};

/**
 * Makes an engine do once what the first call would otherwise wait for: much of WebAssembly is compiled when it is first
 * run. Nothing stays of it: what the program leaves in memory is overwritten as after every call.
 *
 * @param isWanted asked between its parts; `true` where somebody waits already, and it ends.
 */
export async function warmUp(engine: Sandbox, isWanted: () => boolean): Promise<void> {
  if (isWanted()) return;
  await engine.inspect(program, call.limits, call.tenant);
  for (let turn = 0; turn < 2 && !isWanted(); turn++) {
    await engine.call(call);
    engine.tidy?.();
  }
  engine.forget(program.key);
}
