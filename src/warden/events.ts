import type { EventName } from "../catalogue/index.ts";
import type { Decision, Refusal, TraceFault } from "../broker/index.ts";
import type { HookwardenError } from "../errors/index.ts";
import type { Divergence } from "./cross-check.ts";

/** Whose doing a notice is about. */
export interface NoticeSource {
  readonly decision_id: string;
  readonly hook_event_name: EventName;
  readonly tenant: string;
  readonly hook: string;
}

/** A hook failed. */
export interface FaultNotice extends NoticeSource {
  readonly fault: TraceFault;
}

/** An action of a hook was not honoured. */
export interface RefusalNotice extends NoticeSource {
  readonly refusal: Refusal;
}

/** A pack took the place of another one, or could not. */
export type ReloadNotice =
  | { readonly ok: true; readonly pack: string; readonly previous: string }
  | {
      readonly ok: false;
      /** The pack that goes on serving. */ readonly pack: string;
      readonly error: HookwardenError;
    };

/** The decision log cannot be written, or can be again. */
export type LogNotice = { readonly ok: true } | { readonly ok: false; readonly error: Error };

/** Events that a warden emits. */
export interface WardenEvents {
  /** A decision, and when it was made: in milliseconds since 1970, before it was recorded. */
  decision: [decision: Decision, madeAt: number];
  fault: [FaultNotice];
  refused: [RefusalNotice];
  reload: [ReloadNotice];
  divergence: [Divergence];
  log: [LogNotice];
}
