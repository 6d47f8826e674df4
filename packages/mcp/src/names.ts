import { quote } from "@hookwarden/sandbox/json";
import { HookwardenError } from "hookwarden/errors";

/**
 * Names of servers: as in clients' settings, but without `__`, and with no `_` at either end. So the name that hooks
 * see, `mcp__<server>__<tool>`, can be read in one way only, whatever a server calls its tools.
 */
const serverPattern = /^(?!.*__)[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,62}[A-Za-z0-9])?$/;

/** What the protocol asks of names of tools. Among other characters there are some that look like these. */
const toolPattern = /^[A-Za-z0-9_./-]{1,128}$/;

/** The name under which hooks see what a server asks of a person. */
export const elicitationTool = "elicitation/create";

/** Names under which hooks see what is no tool: methods of the protocol. No tool of a server can have one of them. */
const reservedNames =
  /^(?:initialize|ping|(?:tools|tasks|resources|prompts|completion|logging|sampling|elicitation|roots|notifications)\/.*)$/;

/** @throws {HookwardenError} `option-invalid` */
export function checkServerName(name: string): string {
  if (typeof name === "string" && serverPattern.test(name)) return name;
  throw new HookwardenError(
    "option-invalid",
    `the server's name ${quote(String(name))} must be 1 to 64 letters, digits, \`-\`, \`.\` and \`_\`, without \`__\` and with a letter or digit at both ends`,
  );
}

/** The name that hooks see and matchers are held against. */
export function hookToolName(server: string, tool: string): string {
  return `mcp__${server}__${tool}`;
}

/**
 * Whether a tool may have a name: letters, digits, `_`, `-`, `.` and `/`, at most 128 of them, as the protocol asks
 * for. Anything else could look like another tool to a person, and slip past a matcher. The names of the protocol's own
 * methods are taken.
 */
export function isPlainToolName(tool: unknown): tool is string {
  return typeof tool === "string" && toolPattern.test(tool) && !reservedNames.test(tool);
}
