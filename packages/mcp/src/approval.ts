import { sanitizeText } from "hookwarden/broker";
import type { SessionContext } from "./context.ts";
import { isObject } from "./message.ts";
import type { Call } from "./mediation.ts";
import type { ApprovalRequest } from "./approval-request.ts";

/** How long a person may take, in milliseconds. */
export const approvalTimeoutMs = 300_000;

/** Longest part of an input that a person is shown, in characters. */
const longestInput = 4_000;

/** Whether there is anybody who could be asked in this session. */
export function canApprove({ options, clientCapabilities }: SessionContext): boolean {
  if (typeof options.approval === "function") return true;
  return options.approval === "elicit" && takesForms(clientCapabilities["elicitation"]);
}

/** A client that names no mode takes forms; one that names only other modes does not. */
function takesForms(elicitation: unknown): boolean {
  if (!isObject(elicitation)) return false;
  return isObject(elicitation["form"]) || !isObject(elicitation["url"]);
}

/** Asks for approval. Whatever goes wrong, and whatever is no plain yes, is a no. */
export async function isApproved(
  request: Omit<ApprovalRequest, "signal">,
  call: Call,
  session: SessionContext,
): Promise<boolean> {
  const { approval } = session.options;
  const { signal } = call.cancelled;
  try {
    if (typeof approval === "function") return (await approval({ ...request, signal })) === true;
    const result = await session.options.ask({
      to: "client",
      method: "elicitation/create",
      params: { message: question(request), requestedSchema: { type: "object", properties: {} } },
      timeoutMs: approvalTimeoutMs,
      signal,
      relatedTo: call.id,
    });
    return isObject(result) && result["action"] === "accept";
  } catch (error) {
    session.problem(
      `approval of ${request.tool} could not be requested: ${error instanceof Error ? error.message : String(error)}`,
    );
    return false;
  }
}

function question({ tool, input, reason, hook }: Omit<ApprovalRequest, "signal">): string {
  const whole = sanitizeText(JSON.stringify(input, null, 2));
  const shown =
    whole.length > longestInput ? `${whole.slice(0, longestInput)}… (${whole.length} characters)` : whole;
  return `May the tool ${tool} run with this input?\n${shown}\nThe hook ${JSON.stringify(hook)} asks, because: ${reason}`;
}
