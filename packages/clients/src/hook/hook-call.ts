import type { ClientName, Json } from "../clients/index.ts";
import { isExact } from "./exact-answer.ts";
import { eventOf, refusal } from "./refusal.ts";
import type { HookOptions } from "./hook-options.ts";
import { identityOf } from "./identity.ts";
import { daemonFiles, FolderError, runtimeFolder } from "./runtime-folder.ts";
import { maxEventBytes, type Outcome } from "./wire.ts";
import { type Daemon, findDaemon } from "./ask-daemon.ts";
import { decideHere } from "./decide-here.ts";
import type { Programs } from "./program-paths.ts";

/** A failure of ours, as a sentence that the model and the person may read. */
export class HookFailure extends Error {}

/** What stands at the head of every sentence. */
const ours = "hookwarden refuses this";

/**
 * Answers one call of a hook. Never throws: what fails is an answer that lets nothing through.
 *
 * @param input what came on standard input.
 */
export async function answerCall(
  options: HookOptions,
  programs: Programs,
  input: Promise<Uint8Array>,
): Promise<Outcome> {
  let event: Uint8Array | null = null;
  try {
    // While the input is still arriving.
    const found = options.daemon ? lookForDaemon(options, programs) : Promise.resolve(null);
    found.catch(() => undefined);
    event = await input;
    const daemon = await found;
    const outcome = daemon ? await daemon.ask(event) : await decideHere(options, programs.decide, event);
    return checked(options.client, event, outcome);
  } catch (error) {
    return failed(options.client, event, error);
  }
}

async function lookForDaemon(options: HookOptions, programs: Programs): Promise<Daemon | null> {
  let identity: string;
  try {
    identity = identityOf(options, programs.daemon);
  } catch {
    throw new HookFailure(`there is no pack \`${shown(options.pack)}\``);
  }
  try {
    return await findDaemon(daemonFiles(runtimeFolder(), identity), identity, options, programs.daemon);
  } catch (error) {
    // Without a daemon it takes longer, and is decided all the same.
    if (error instanceof FolderError) return null;
    throw error;
  }
}

/** What is printed must be what the client takes for an answer: anything else would let the tool run. */
function checked(client: ClientName, event: Uint8Array, outcome: Outcome): Outcome {
  const { exit, out, err } = outcome;
  let answer: unknown;
  try {
    answer = JSON.parse(out);
  } catch {
    throw new HookFailure("what came back is no JSON");
  }
  if (typeof answer !== "object" || answer === null || Array.isArray(answer)) {
    throw new HookFailure("what came back is no answer");
  }
  if (client !== "claude-code") {
    const row = eventOf(client, messageOf(event));
    if (row && !isExact(row, answer)) throw new HookFailure("what came back is no answer of this client");
  }
  if ((exit === 0 || exit === 2) && typeof err === "string") return { exit, out, err };
  throw new HookFailure("what came back has no status");
}

/**
 * The outcome of a failure of ours: JSON that refuses, and a sentence.
 *
 * @param input what came on standard input; `null` where nothing did.
 */
export function failed(client: ClientName, input: Uint8Array | null, error: unknown): Outcome {
  return refusal(client, input && messageOf(input), `${ours}: ${reasonOf(error)}`);
}

/** The message as it came; `null` for anything that is not JSON. */
function messageOf(input: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(input).toString("utf8")) as unknown;
  } catch {
    return null;
  }
}

/**
 * A message with the name of its event, for clients that leave it out.
 *
 * @throws {HookFailure} for a message that is no JSON object.
 */
export function named(input: Uint8Array, event: string): Uint8Array {
  const message = messageOf(input);
  if (typeof message !== "object" || message === null || Array.isArray(message)) {
    throw new HookFailure("the event is no JSON object");
  }
  return Buffer.from(JSON.stringify({ ...(message as Json), hook_event_name: event }));
}

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return shown(message.replace(/\.$/, ""), 400);
}

function shown(text: string, longest = 80): string {
  const cut = text.length > longest ? `${text.slice(0, longest)}…` : text;
  // oxlint-disable-next-line no-control-regex
  return cut.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g, " ");
}

/**
 * Reads standard input to its end.
 *
 * @throws {HookFailure} where there is none, or more than an event may have.
 */
export function readInput(stream: NodeJS.ReadableStream): Promise<Uint8Array> {
  // By its events: iterating over a stream loads twice as much of Node.
  return new Promise((done, failed) => {
    const parts: Buffer[] = [];
    let size = 0;
    stream.on("data", (part: Buffer) => {
      size += part.length;
      if (size > maxEventBytes) failed(new HookFailure(`the event is larger than ${maxEventBytes} bytes`));
      else parts.push(part);
    });
    stream.on("error", failed);
    stream.on("end", () => {
      if (size === 0) failed(new HookFailure("no event came on standard input"));
      else done(parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts));
    });
  });
}
