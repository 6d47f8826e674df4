import { beforeAsking, type Mediator, quoted, type ToolRuns } from "@hookwarden/mediator";
import { isControl, sameForHooks } from "./decisions.ts";

/** What a person is asked about a tool call. */
export interface ApprovalRequest {
  readonly type: "hookwarden_approval";
  readonly tool_name: string;
  /** The exact arguments with which the tool would run. */
  readonly tool_input: unknown;
  readonly tool_use_id: string;
  readonly reason: string | null;
}

/** The value with which an interrupted graph is resumed. */
export interface ApprovalAnswer {
  readonly approved: boolean;
  /** `tool_input` of the request. Required if a hook rewrote it: the call runs only if it still has that input. */
  readonly tool_input?: unknown;
}

/** Asks a person in the host's own way. */
export type AskPerson = (request: ApprovalRequest) => boolean | Promise<boolean>;

/** Interrupts the graph, or returns the value with which it was resumed. */
type Interrupt = (request: ApprovalRequest) => unknown;

/** How a person can be asked. */
export interface Approvers {
  readonly onAsk: AskPerson | undefined;
  readonly interrupt: Interrupt | undefined;
}

/** Asks a person; returns the text of a refusal, or `null` if the call may run. */
export async function askPerson(
  mediator: Mediator,
  call: { readonly name: string; readonly id: string; readonly before: ToolRuns },
  { onAsk, interrupt }: Approvers,
): Promise<string | null> {
  const { name, id, before } = call;
  const outcome = await beforeAsking(mediator, { name, input: before.input, id });
  if (outcome.kind === "refused") return outcome.text;
  if (outcome.kind === "allow") return null;
  const request: ApprovalRequest = {
    type: "hookwarden_approval",
    tool_name: name,
    tool_input: before.input,
    tool_use_id: id,
    reason: before.reason,
  };
  const refused = `hookwarden: the call of tool ${quoted(name)} did not run, because no person has approved it.`;
  try {
    if (onAsk) return (await onAsk(request)) === true ? null : refused;
    const answer = interrupt?.(request) as Partial<ApprovalAnswer> | undefined;
    if (answer?.approved !== true) return refused;
    return isForInput(answer, before) ? null : otherInput(name);
  } catch (thrown) {
    // An interrupt passes through; any other error, such as a graph without a checkpointer, is not an approval.
    if (isControl(thrown)) throw thrown;
    return refused;
  }
}

/**
 * Whether an approval is for the input that would run now. A resumed graph runs the step again from its start, and with
 * it the hooks: a rewrite that depends on time or on a seed may have produced a different input by then. Only the answer
 * can carry the approved one, since the graph may be resumed in another process.
 */
function isForInput(answer: Partial<ApprovalAnswer>, { input, changed }: ToolRuns): boolean {
  if (!Object.hasOwn(answer, "tool_input")) return !changed;
  return sameForHooks(answer.tool_input, input);
}

function otherInput(name: string): string {
  return (
    `hookwarden: the call of tool ${quoted(name)} did not run, because its input is not the one that a person approved. ` +
    "If a hook rewrites an input, the answer must repeat the request's `tool_input`."
  );
}

/** The function of a run that interrupts its graph. */
export function interruptOf(runtime: unknown): Interrupt | undefined {
  const { interrupt } = runtime as { interrupt?: unknown };
  return typeof interrupt === "function" ? (interrupt as Interrupt) : undefined;
}
