import { hookArguments, type HookOptions } from "./hook-options.ts";
import { largestAnswer, type Outcome } from "./wire.ts";
import { nodeFlags } from "./programs.ts";

/**
 * Has one event decided by a process made for it.
 *
 * @param program path of the program that decides.
 * @throws where it ends without an outcome.
 */
export async function decideHere(options: HookOptions, program: string, event: Uint8Array): Promise<Outcome> {
  const { spawn } = await import("node:child_process");
  const child = spawn(process.execPath, [...nodeFlags(program), program, ...hookArguments(options)], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  const failure = new Promise<never>((_, failed) => child.on("error", failed));
  child.stdin.on("error", () => undefined);
  child.stdin.end(event);
  return Promise.race([failure, outcomeOf(child.stdout)]);
}

async function outcomeOf(stream: NodeJS.ReadableStream): Promise<Outcome> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of stream) {
    size += part.length;
    if (size > largestAnswer) throw new Error("the answer is too large");
    parts.push(part as Buffer);
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString("utf8")) as Outcome;
  } catch {
    throw new Error("the process that decides ended without an answer");
  }
}
