import { matches } from "tiny-match";
// The guard itself is clean. What it imports is not.
export default (event) =>
  matches(String(event.tool_input?.command)) ? { action: "deny", reason: "destructive" } : undefined;
