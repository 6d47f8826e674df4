/**
 * The Agent SDK of Claude Code: a warden's hooks for `options.hooks`, in the host's own process.
 */
import type { StateStore } from "hookwarden/state";
import { HookwardenError } from "hookwarden/errors";
import type { Warden } from "hookwarden/warden";
import { Answerer } from "../translate/answerer.ts";
import { type Answer, failClosedAnswer } from "../hook/fail-closed-answer.ts";
import { clients } from "../clients/index.ts";
import { SessionStarts } from "./session-starts.ts";

export type { Answer as ClaudeHookOutput } from "../hook/fail-closed-answer.ts";

/** What the SDK hands to a hook; its own types fit, and the package is not needed for them. */
export interface ClaudeHookInput {
  readonly hook_event_name: string;
}

/** A hook, as `options.hooks` of the SDK takes it. */
export type ClaudeHookCallback = (
  input: ClaudeHookInput,
  toolUseId: string | undefined,
  options: { readonly signal: AbortSignal },
) => Promise<{ [field: string]: unknown }>;

/** One matcher of the SDK, with the hook that stands for the whole pack. */
export interface ClaudeHookMatcher {
  hooks: ClaudeHookCallback[];
  /** In seconds; far beyond our own deadline, because the SDK lets run what it gives up on. */
  timeout: number;
  /** What the SDK does where the hook fails all the same. */
  onFailure: "block";
}

/** The events of the SDK at which hooks can have a say. */
export type ClaudeHookEvent =
  | "SessionStart"
  | "SessionEnd"
  | "UserPromptSubmit"
  | "PreToolUse"
  | "PermissionRequest"
  | "PermissionDenied"
  | "PostToolUse"
  | "PostToolUseFailure"
  | "Stop"
  | "StopFailure"
  | "SubagentStart"
  | "SubagentStop"
  | "PreCompact"
  | "PostCompact"
  | "Notification";

export interface ClaudeHooksOptions {
  /** Whose events these are. Default `default`. */
  readonly tenant?: string;
  /** After how many milliseconds an event that has no decision is refused. Default 20,000. */
  readonly deadlineMs?: number;
  /** Where halts are kept that Claude Code does not heed at once. Default: in memory. */
  readonly store?: StateStore;
  /** Called with the error when an event is refused because of one. */
  readonly onError?: (error: unknown) => void;
}

/**
 * Hooks for `options.hooks` of the Agent SDK, by which a warden decides.
 *
 * What fails refuses: an event that cannot be decided, or not in time, is answered as a hook would that says no.
 * The warden must live for as long as the session does; where it has been closed, everything is refused.
 *
 * @throws {HookwardenError} `option-invalid`, or `policy-invalid` for a pack that Claude Code cannot have.
 *
 * @example
 *     await using warden = await createWarden({ pack: "./policies" });
 *     for await (const message of query({ prompt, options: { hooks: claudeHooks(warden) } })) console.log(message);
 */
export function claudeHooks(
  warden: Warden,
  options: ClaudeHooksOptions = {},
): Record<ClaudeHookEvent, ClaudeHookMatcher[]> {
  const { deadlineMs = 20_000, onError, ...rest } = options;
  if (!(Number.isSafeInteger(deadlineMs) && deadlineMs >= 1 && deadlineMs <= 600_000)) {
    throw new HookwardenError("option-invalid", "`deadlineMs` must be a whole number from 1 to 600000");
  }
  const sessions = new SessionStarts(new Answerer(warden, rest));
  const hook: ClaudeHookCallback = async (input, _, { signal }) => {
    try {
      return { ...(await inTime(sessions.answer({ ...input }), deadlineMs, signal)) };
    } catch (error) {
      reportError(onError, error);
      return { ...failClosedAnswer(input, `hookwarden refuses this: ${sentenceOf(error)}`) };
    }
  };
  const matcher = (): ClaudeHookMatcher => ({
    hooks: [hook],
    timeout: Math.ceil(deadlineMs / 1_000) * 2 + 20,
    onFailure: "block",
  });
  return Object.fromEntries(
    Object.keys(clients["claude-code"].events).map((event) => [event, [matcher()]]),
  ) as Record<ClaudeHookEvent, ClaudeHookMatcher[]>;
}

async function inTime(answer: Promise<Answer>, deadlineMs: number, signal: AbortSignal): Promise<Answer> {
  answer.catch(() => undefined);
  let give: (error: Error) => void = () => undefined;
  const late = new Promise<never>((_, failed) => (give = failed));
  const timer = setTimeout(() => give(new Error(`no decision was made within ${deadlineMs} ms`)), deadlineMs);
  const aborted = (): void => give(new Error("the call was given up"));
  signal.addEventListener("abort", aborted);
  if (signal.aborted) aborted();
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", aborted);
  }
}

function reportError(onError: ((error: unknown) => void) | undefined, error: unknown): void {
  try {
    onError?.(error);
  } catch {
    // A failing listener changes nothing.
  }
}

function sentenceOf(error: unknown): string {
  if (error instanceof HookwardenError) return error.toLine();
  return error instanceof Error ? error.message : String(error);
}
