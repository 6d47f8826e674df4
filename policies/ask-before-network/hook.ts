import type { HostUse, PreToolUse } from "hookwarden/hook";
import { type Invocation, invocationsOf, textOf } from "../lib/commands.ts";
import { decide, type Finding, quoted, short, tooLarge } from "../lib/findings.ts";
import { isUnknown, TAINTED, UNKNOWN } from "../lib/marks.ts";
import { operands } from "../lib/options.ts";
import { isLeftToOthers, sendsFile } from "./programs.ts";

interface Config {
  readonly allowHosts?: readonly string[];
  readonly commands?: readonly string[];
  readonly local?: "ask" | "continue";
}

const unknown = new RegExp(`[${UNKNOWN}${TAINTED}]`, "g");
/** Kinds of tools that stay on this machine, whatever addresses their input names. */
const local: ReadonlySet<string> = new Set(["read", "write", "edit", "delete", "shell", "task"]);

const hook: PreToolUse<unknown, Config | undefined> = (event, ctx) => {
  const config = ctx.config ?? {};
  const { tool, shell, hosts } = event.facts;
  const invocations = invocationsOf(shell);
  const findings: Finding[] = [...tooLarge(shell)];
  const isLocal = !tool.ok || local.has(tool.kind);
  const uses = hosts.ok ? hosts.hosts : [];
  for (const use of uses) {
    if (use.command === null && isLocal) continue;
    const finding = judged(use, use.command === null ? undefined : invocations[use.command], config);
    if (finding !== undefined) findings.push(finding);
  }
  const isNamed = uses.some(({ command }) => command === null);
  if (tool.ok && !isLocal && !isNamed && tool.urls.length > 0)
    findings.push(unnamed(short(tool.urls[0] ?? "")));
  for (const index of hosts.ok ? hosts.unnamed : []) {
    const invocation = invocations[index];
    if (invocation !== undefined && !isLeftToOthers(invocation)) findings.push(unnamed(quoted(invocation)));
  }
  for (const invocation of invocations) {
    if (!(config.commands ?? []).includes(invocation.name)) continue;
    const host = operands(invocation.args)[0] ?? "";
    if (!isListed(host.toLowerCase(), config.allowHosts ?? []))
      findings.push(strange(quoted(invocation), host, ""));
  }
  return decide(findings);
};

export default hook;

function judged(use: HostUse, invocation: Invocation | undefined, config: Config): Finding | undefined {
  const host = textOf(use.host);
  const shown = invocation === undefined ? short(textOf(use.written)) : quoted(invocation);
  if (use.scope === "metadata") {
    return {
      verdict: "deny",
      reason: `${shown} talks to ${short(host)}, which hands out this machine's credentials`,
    };
  }
  if (use.role === "listen") {
    return isHere.test(host)
      ? undefined
      : { verdict: "ask", reason: `${shown} waits for connections from other machines` };
  }
  if (use.scope === "loopback" && (config.local ?? "continue") === "continue") return undefined;
  if (!use.ambiguous && isListed(host, config.allowHosts ?? [])) return undefined;
  const sends = invocation !== undefined && sendsFile(invocation) ? ", and sends it a file" : "";
  return strange(shown, host, sends);
}

const isHere = /^(?:127\.|localhost$|\[?::1\]?$)/;

function strange(shown: string, host: string, sends: string): Finding {
  const where = host.replace(unknown, "") === "" ? "a host that it does not name" : `the host ${short(host)}`;
  return { verdict: "ask", reason: `${shown} talks to ${where}${sends}` };
}

function unnamed(shown: string): Finding {
  return strange(shown, "", "");
}

/** Whether a host is on a list. */
function isListed(host: string, list: readonly string[]): boolean {
  if (isUnknown(host)) return false;
  return list.some((item) => {
    const name = item.toLowerCase();
    return name.startsWith("*.") ? host.endsWith(name.slice(1)) : host === name;
  });
}
