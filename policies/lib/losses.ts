import type { Invocation } from "./commands.ts";
import { type Finding, quoted } from "./findings.ts";

/** One way in which a command destroys something. */
export interface Loss {
  readonly programs: readonly string[];
  /** Held against the arguments, joined by blanks, with one before and one after. */
  readonly test: RegExp;
  readonly verdict: Finding["verdict"];
  readonly what: string;
}

/** What a command destroys, by the first row that matches. */
export function lossOf(invocation: Invocation, losses: readonly Loss[]): Finding | undefined {
  const { name, args } = invocation;
  const line = ` ${args.join(" ")} `;
  const loss = losses.find(({ programs, test }) => programs.includes(name) && test.test(line));
  return loss && { verdict: loss.verdict, reason: `${quoted(invocation)} ${loss.what}` };
}
