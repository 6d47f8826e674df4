import { main } from "hookwarden/cli";

/**
 * Runs `hookwarden init --project`.
 *
 * @param args further arguments of `init`: the folder, and its options.
 * @returns the exit status.
 */
export function createProject(args: readonly string[]): Promise<number> {
  return main(["init", "--project", ...args]);
}
