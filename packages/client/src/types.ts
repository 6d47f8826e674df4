import type {
  ApprovalRecord,
  ApprovalState,
  CandidateReport,
  KeyRecord,
  PackRevision,
  Rollout,
  RolloutChange,
} from "@hookwarden/server";
import type { Decision } from "hookwarden/broker";
import type { EventName } from "hookwarden/catalogue";

import type { ServerProblem } from "./server-error.ts";

export interface ClientOptions {
  /** Where the server is, such as `http://127.0.0.1:8787`. */
  readonly url: string;
  /** An API key or a JWT; none for a server that asks for none. */
  readonly key?: string;
  /** How long an answer may take, in milliseconds. Default 30,000. Exports and live events are not held to it. */
  readonly timeoutMs?: number;
  /** Stands in for the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
}

export interface DecideOptions {
  /** The same key and the same event within 10 minutes get the same decision, so that it is safe to ask again. */
  readonly idempotencyKey?: string;
  /** W3C Trace Context. */
  readonly traceparent?: string;
  readonly signal?: AbortSignal;
}

export interface ApprovalOptions extends DecideOptions {
  /** How long a person may answer, in seconds; at most a day. Default: see the method. */
  readonly approvalSeconds?: number;
}

export interface ApprovalFilter {
  readonly state?: ApprovalState;
  /** Default 100. */
  readonly limit?: number;
}

/** An approval as the host sees it that requested the decision. */
export type ApprovalStatus = Omit<
  ApprovalRecord,
  "tenant" | "pack" | "event" | "changes" | "reasons" | "openedBy"
>;

/** A decision after a person was asked, where it was `ask`. */
export interface ApprovedDecision {
  readonly decision: Decision;
  /** `null` if no person was asked. */
  readonly approval: ApprovalStatus | null;
  /** Never `ask`: `allow` or `deny` by the person's answer, else the decision's own. */
  readonly verdict: Decision["verdict"];
}

export interface DecisionFilter {
  readonly verdict?: string;
  readonly event?: EventName;
  /** Name of a hook that was called. */
  readonly hook?: string;
  /** Text in the record. */
  readonly text?: string;
  /** Only records before this number. */
  readonly before?: number;
  /** 1 to 200. Default 50. */
  readonly limit?: number;
}

/** What became of one event of a batch or a trial. */
export type Answered<T> =
  | {
      readonly status: 200;
      readonly answer: T;
      /** Id of the approval that was opened for it, in a stream. */
      readonly approval?: string;
    }
  | Refused;
export type Tried<T> = { readonly answer: T } | Refused;

/** An event of a batch or a trial that was not decided; pointers lead into the whole request. */
export type Refused = { readonly status: number; readonly code: string } & ServerProblem;

/** A pack to upload: a bundle as its bytes, or the text of files by relative path. */
export type PackUpload = Uint8Array<ArrayBuffer> | { readonly files: { readonly [path: string]: string } };

export type UploadOptions =
  | { readonly rollout?: "immediate" | "none" }
  | { readonly rollout: "monitor"; /** 1 to 100. Default 100. */ readonly percent?: number };

export interface PackCheck {
  readonly ok: boolean;
  readonly pack?: string;
  readonly hooks?: readonly string[];
  readonly problem?: {
    readonly code: string;
    readonly message?: string;
    readonly file?: string;
    readonly line?: number;
    readonly column?: number;
    readonly pointer?: string;
  };
}

export interface PackState {
  readonly rollout: Rollout;
  /** Digest of the pack that decides; `null` where none does. */
  readonly serving: string | null;
  /** Code of why the pack that should serve does not. */
  readonly broken: string | null;
  readonly candidate: CandidateReport | null;
  readonly revisions: readonly PackRevision[];
  readonly history: readonly RolloutChange[];
}

export interface Trial {
  readonly events: readonly object[];
  /** What decides: one of these; without any, the pack that serves. */
  readonly revision?: number;
  readonly files?: { readonly [path: string]: string };
  readonly script?: {
    readonly source: string;
    readonly language?: "js" | "ts";
    readonly on: readonly EventName[];
    readonly reads?: readonly string[];
    readonly actions?: readonly string[];
  };
  readonly dialect?: string;
}

export type KeyView = Omit<KeyRecord, "digest">;
