import { ask, deny, type ShellFact } from "hookwarden/hook";
import { readable } from "./marks.ts";
import type { Invocation } from "./commands.ts";

/** Something that a policy has against a tool call. */
export interface Finding {
  readonly verdict: "deny" | "ask";
  /** Without a full stop: several are joined. */
  readonly reason: string;
}

const mostReasons = 4;

/** The strictest verdict of all findings, with the reasons for it; nothing where there are none. */
export function decide(
  findings: readonly Finding[],
): ReturnType<typeof deny> | ReturnType<typeof ask> | undefined {
  const denials = findings.filter((finding) => finding.verdict === "deny");
  const counted = denials.length > 0 ? denials : findings;
  if (counted.length === 0) return undefined;
  const reasons = [...new Set(counted.map((finding) => finding.reason))];
  const text = reasons.slice(0, mostReasons).join("; ");
  return denials.length > 0 ? deny(text) : ask(text);
}

/** A person decides about a command line beyond the limits of the fact: padding must not hide a command. */
export function tooLarge(shell: ShellFact | undefined): readonly Finding[] {
  return shell !== undefined && !shell.ok && shell.why.startsWith("too-")
    ? [{ verdict: "ask", reason: "the command line is too large to be read" }]
    : [];
}

/** A command as people may read it, cut to a line. */
export function quoted(invocation: Invocation): string {
  return short([invocation.program, ...invocation.args].join(" "));
}

/** A text as people may read it, in backticks, cut to a line. */
export function short(text: string): string {
  const line = readable(text).replace(/\s+/g, " ").replaceAll("`", "'");
  return `\`${line.length > 80 ? `${line.slice(0, 80)}…` : line}\``;
}

/** What was found in a string of another language may be no command line: a person decides. */
export function softened(finding: Finding, { guess }: Invocation): Finding {
  return guess ? { ...finding, verdict: "ask" } : finding;
}
