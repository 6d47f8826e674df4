import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const victim = fileURLToPath(new URL("./victim.ts", import.meta.url));

export interface Killed {
  /** Ids of the decisions that were answered. */
  readonly answered: readonly string[];
}

/** Runs a process that logs decisions and prints each that it has answered; kills it after so many of them. */
export async function killAfter(log: string, answers: number, options: object): Promise<Killed> {
  const child: ChildProcess = spawn(
    process.execPath,
    ["--no-warnings", victim, log, JSON.stringify(options), "5000"],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const answered: string[] = [];
  const exit = new Promise((done) => child.once("exit", done));
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    answered.push(line);
    if (answered.length === answers) child.kill("SIGKILL");
  }
  await exit;
  return { answered };
}

/** Ids of the decisions of which the log has whole records. */
export function loggedIds(log: string): string[] {
  return readFileSync(log, "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as { kind: string; decision: { decision_id: string } })
    .filter(({ kind }) => kind === "decision")
    .map(({ decision }) => decision.decision_id);
}
