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

/** Rows by program, in their order. */
export type Losses = ReadonlyMap<string, readonly Loss[]>;

export function lossesByProgram(rows: readonly Loss[]): Losses {
  const byProgram = new Map<string, Loss[]>();
  for (const row of rows) {
    for (const program of row.programs) {
      const known = byProgram.get(program);
      if (known) known.push(row);
      else byProgram.set(program, [row]);
    }
  }
  return byProgram;
}

/** What a command destroys, by the first row that matches. */
export function lossOf(invocation: Invocation, losses: Losses): Finding | undefined {
  const rows = losses.get(invocation.name);
  if (rows === undefined) return undefined;
  const line = ` ${invocation.args.join(" ")} `;
  const loss = rows.find(({ test }) => test.test(line));
  return loss && { verdict: loss.verdict, reason: `${quoted(invocation)} ${loss.what}` };
}
