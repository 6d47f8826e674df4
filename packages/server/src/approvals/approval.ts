import type { Decision } from "hookwarden/broker";

/** `pending` until it is answered once or its time is over. All other states are final. */
export type ApprovalState = "pending" | "approved" | "denied" | "expired";

/** A step that a person has to allow, because a hook answered `ask`. */
export interface ApprovalRecord {
  readonly tenant: string;
  /** Names it in its tenant; 128 random bits. */
  readonly id: string;
  readonly decisionId: string;
  /** Digest of the pack that decided. */
  readonly pack: string;
  /** The event that was decided, with masked values left out. */
  readonly event: object;
  /** What hooks changed in it. */
  readonly changes: Decision["changes"];
  /** `sha256:` of the event's bytes as the host sent them: the answer holds for this input and no other. */
  readonly input: string;
  readonly reasons: readonly { readonly hook: string | null; readonly text: string }[];
  /** Id of the credential that requested the decision; it cannot answer. */
  readonly openedBy: string;
  /** ISO 8601. */
  readonly created: string;
  readonly expires: string;
  readonly state: ApprovalState;
  /** Id of the credential that answered; `null` while pending, and if it expired. */
  readonly answeredBy: string | null;
  readonly answeredAt: string | null;
  readonly note: string | null;
}

/** What closes a pending approval. */
export interface ApprovalAnswer {
  readonly state: Exclude<ApprovalState, "pending">;
  readonly by: string | null;
  readonly at: string;
  readonly note: string | null;
}

/**
 * The record after an answer: the whole state machine. A pending approval takes one answer while its time lasts; `expired`
 * is its answer from then on.
 *
 * @returns `null` if the answer changes nothing.
 */
export function answered(record: ApprovalRecord, answer: ApprovalAnswer): ApprovalRecord | null {
  if (record.state !== "pending") return null;
  if ((answer.state === "expired") !== isOver(record, Date.parse(answer.at))) return null;
  const { state, by, at, note } = answer;
  return { ...record, state, answeredBy: by, answeredAt: at, note };
}

/** Whether the time of an approval is over. @param now milliseconds since 1970 */
export function isOver({ expires }: ApprovalRecord, now: number): boolean {
  return now >= Date.parse(expires);
}

/** The record as it counts now: default deny, so that a pending approval whose time is over is expired. */
export function asOf(record: ApprovalRecord, now: number): ApprovalRecord {
  const at = new Date(now).toISOString();
  return answered(record, { state: "expired", by: null, at, note: null }) ?? record;
}
