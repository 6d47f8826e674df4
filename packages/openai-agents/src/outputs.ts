import { approvalRequired, asText, isPart, type ToolOutcome } from "@hookwarden/mediator";

/** The text in place of a result. */
export function textOf(outcome: Exclude<ToolOutcome, { kind: "result" }>): string {
  return outcome.kind === "ask" ? (outcome.reason ?? approvalRequired) : outcome.text;
}

/** A result with a text appended, in a form that the SDK sends to the model. */
export function withAppended(result: unknown, added: string): unknown {
  if (Array.isArray(result) && result.length > 0 && result.every(isPart)) {
    return [...(result as unknown[]), { type: "text", text: added }];
  }
  if (isPart(result) && /^(text|image|file)$/.test((result as { type: string }).type)) {
    return [result, { type: "text", text: added }];
  }
  return `${asText(result)}\n\n${added}`;
}
