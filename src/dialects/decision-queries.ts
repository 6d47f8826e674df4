import { quote } from "@hookwarden/sandbox/json";
import type { AttributedText, Decision, TraceEntry } from "../broker/index.ts";
import type { ActionName } from "../catalogue/index.ts";
import { HookwardenError } from "../errors/index.ts";

/** The hooks whose action of this name was honoured, in the order in which they ran. */
export function writersOf(decision: Decision, action: ActionName): string[] {
  return honoured(decision)
    .filter((entry) => entry.actions.some((one) => one.action === action))
    .map(({ hook }) => hook);
}

/** What one hook adds to the conversation. */
export interface AddedText extends AttributedText {
  readonly durable: boolean;
}

/** What hooks added for the model by these actions, in the order in which they ran. */
export function addedTexts(decision: Decision, names: readonly ActionName[]): AddedText[] {
  return honoured(decision).flatMap(({ hook, actions }) =>
    actions.flatMap((action) => {
      if (!names.includes(action.action)) return [];
      const texts =
        action.action === "inject"
          ? (action.messages as readonly { readonly content: string }[]).map(({ content }) => content)
          : [action.text as string];
      return texts.map((text) => ({
        hook,
        trust: "third-party" as const,
        text,
        durable: action.durable === true,
      }));
    }),
  );
}

/** The messages that hooks inject, as a conversation holds them. */
export function injected(decision: Decision): { readonly role: string; readonly content: string }[] {
  return decision.additions.messages.map(({ role, text }) => ({ role, content: text }));
}

/** What hooks want the agent to do differently, each text with its author. */
export function feedbackParts(decision: Decision): AttributedText[] {
  // A guard that has spoken twice has meant its second word.
  const words = new Map<string, string>();
  for (const entry of decision.trace) {
    if (entry.recheck) words.delete(entry.hook);
    if (entry.outcome !== "honoured") continue;
    for (const action of entry.actions)
      if (action.action === "retry") words.set(entry.hook, action.feedback as string);
  }
  return [...words].map(([hook, text]) => ({ hook, trust: "third-party", text }));
}

/** The reason of the verdict with its author. */
export function reasonParts(decision: Decision): AttributedText[] {
  return [{ hook: decision.decided_by ?? "", trust: "third-party", text: reasonOf(decision) }];
}

/** The reason of a stop; a drop has none. */
export function reasonOf(decision: Decision): string {
  return decision.reason ?? `hook ${quote(decision.decided_by ?? "")} ended the step`;
}

/** An error to the host: the step must not go on, and the system has no word for that. */
export function unsupported(decision: Decision, why: string): HookwardenError {
  const { verdict, hook_event_name: event, decided_by: hook, reason } = decision;
  const by =
    hook === null ? "" : `; hook ${quote(hook)} gave it${reason === null ? "" : `: ${quote(reason)}`}`;
  return new HookwardenError(
    "dialect-unsupported",
    `the verdict \`${verdict}\` at ${event} cannot be said: ${why}${by}`,
  );
}

function honoured(decision: Decision): TraceEntry[] {
  return decision.trace.filter((entry) => entry.outcome === "honoured" && !entry.recheck);
}
