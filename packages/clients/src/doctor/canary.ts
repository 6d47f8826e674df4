import { randomBytes } from "node:crypto";

/**
 * A text that hookwarden refuses in every call of a tool, whatever the pack says. `doctor` puts it into the calls by
 * which it proves that hooks are met; in any other call it can only cause one more refusal.
 */
export const canaryText = "hookwarden-doctor-canary";

/** A shell command that leaves a file if it runs. What it prints is not part of the command itself. */
export function canaryCommand(file: string): string {
  return `: ${canaryText}-${randomBytes(4).toString("hex")}; printf 'canary-%s\\n' 42; touch '${file}'`;
}
