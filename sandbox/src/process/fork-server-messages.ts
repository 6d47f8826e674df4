/** Messages between the fork server and its parent. */

/** The standard streams of a child, in the order of their descriptors. */
export const streamNames = ["stdin", "stdout", "stderr"] as const;
export type StreamName = (typeof streamNames)[number];

/** Request to start a child. */
export interface SpawnRequest {
  readonly kind: "spawn";
  readonly id: number;
  /** Sent first on each of the child's connections, so that no other process can pass one off as the child's. */
  readonly secret: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Seccomp filter in base64; `null` for none. */
  readonly filter: string | null;
}

export type ForkServerRequest = SpawnRequest | { readonly kind: "kill"; readonly id: number };

export type ForkServerMessage =
  | { readonly kind: "open" }
  | { readonly kind: "spawned"; readonly id: number; readonly pid: number }
  | { readonly kind: "failed"; readonly id: number; readonly why: string }
  | {
      readonly kind: "ended";
      readonly id: number;
      readonly code: number | null;
      readonly signal: NodeJS.Signals | null;
    };
