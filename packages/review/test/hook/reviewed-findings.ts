import type { Sandbox } from "@hookwarden/sandbox";
import { readSubject, review, type ReviewFinding } from "../../src/index.ts";
import { packOf } from "../malicious/pack.ts";

/** What a review finds in one hook, without recorded events. */
export async function reviewedFindings(
  sandbox: Sandbox,
  source: string,
  manifest: object,
): Promise<readonly ReviewFinding[]> {
  await using pack = await packOf("guard", source, manifest);
  const subject = await readSubject(pack.path);
  return (await review({ subject, events: [], sandbox, other: null })).findings;
}
