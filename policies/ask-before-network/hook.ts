import type { PreToolUse } from "hookwarden/hook";
import { decide, type Finding, quoted, short } from "../lib/findings.ts";
import { invocationsOf } from "../lib/commands.ts";
import { hostOf, isListed, isLocal, isMetadata } from "./hosts.ts";
import { addressesOf, sendsFile } from "./programs.ts";

interface Config {
  readonly allowHosts?: readonly string[];
  readonly commands?: readonly string[];
  readonly local?: "ask" | "continue";
}

/** Kinds of tools that stay on this machine, whatever addresses their input names. */
const local: ReadonlySet<string> = new Set(["read", "write", "edit", "delete", "shell", "task"]);

const hook: PreToolUse<unknown, Config | undefined> = (event, ctx) => {
  const config = ctx.config ?? {};
  const findings: Finding[] = [];
  const note = (finding: Finding | undefined): void => void (finding && findings.push(finding));

  const { tool, shell } = event.facts;
  for (const address of tool.ok && !local.has(tool.kind) ? tool.urls : [])
    note(judged([address], short(address), "", config));
  for (const invocation of invocationsOf(shell)) {
    const addresses = addressesOf(invocation, config.commands ?? []);
    if (addresses === undefined) continue;
    const sends = sendsFile(invocation) ? ", and sends it a file" : "";
    note(judged(addresses, quoted(invocation), sends, config));
  }
  return decide(findings);
};

export default hook;

function judged(
  addresses: readonly string[],
  shown: string,
  sends: string,
  config: Config,
): Finding | undefined {
  const hosts = addresses.map(hostOf);
  const secret = hosts.find(isMetadata);
  if (secret !== undefined) {
    return {
      verdict: "deny",
      reason: `${shown} talks to ${short(secret)}, which hands out this machine's credentials`,
    };
  }
  const strange = hosts.find(
    (host) =>
      !isListed(host, config.allowHosts ?? []) &&
      !((config.local ?? "continue") === "continue" && isLocal(host)),
  );
  if (strange === undefined && hosts.length > 0) return undefined;
  const where =
    strange === undefined || strange === "" ? "a host that it does not name" : `the host ${short(strange)}`;
  return { verdict: "ask", reason: `${shown} talks to ${where}${sends}` };
}
