import type { JsonObject } from "./message.ts";

/** What a person is asked to decide. */
export interface ApprovalRequest {
  /** As hooks see it: `mcp__<server>__<tool>`. */
  readonly tool: string;
  readonly input: JsonObject;
  /** Why a hook asks, in its own words: a third party's text. */
  readonly reason: string;
  readonly hook: string;
  /** Aborted when the call is taken back. */
  readonly signal: AbortSignal;
}

/**
 * Who decides where a hook says `ask`: a person whom the client asks (`elicit`, where the client can), or the approver that the
 * function asks; it approves with `true` and nothing else.
 */
export type Approval = "elicit" | ((request: ApprovalRequest) => Promise<boolean>);
