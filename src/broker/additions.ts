import { actionRows } from "../catalogue/index.ts";
import type { HookAddition } from "./compose.ts";
import type { Additions, AttributedText, InjectedMessage } from "./decision.ts";

/** Sorts what hooks added into the parts of a decision, in order, each text with its author. */
export function collectAdditions(added: readonly HookAddition[]): Additions {
  const parts: AttributedText[] = [];
  const messages: InjectedMessage[] = [];
  const context: AttributedText[] = [];
  const notices: AttributedText[] = [];
  for (const { hook, action } of added) {
    const attributed = (text: unknown): AttributedText => ({
      hook,
      trust: "third-party",
      text: text as string,
    });
    const target = actionRows.get(action.action)?.target;
    if (target === "augment") parts.push(attributed(action.text));
    else if (target === "context") context.push(attributed(action.text));
    else if (target === "notices") notices.push(attributed(action.text));
    else if (target === "messages") {
      for (const { role, content } of action.messages as readonly {
        role: "user" | "system";
        content: string;
      }[]) {
        messages.push({ ...attributed(content), role, durable: action.durable === true });
      }
    }
  }
  const augment = parts.length === 0 ? null : { text: parts.map(({ text }) => text).join("\n"), parts };
  return { augment, messages, context, notices };
}
