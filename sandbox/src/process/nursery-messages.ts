/** What the nursery and its parent say to each other. */

/** The standard streams of a child, by number of their descriptor. */
export const streamNames = ["stdin", "stdout", "stderr"] as const;
export type StreamName = (typeof streamNames)[number];

/** Asks for a child. */
export interface Birth {
  readonly kind: "bear";
  readonly id: number;
  /** What the child's connections begin with, so that nobody else's are taken for them. */
  readonly secret: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Filter for system calls in base64; `null` where there is none. */
  readonly filter: string | null;
}

export type NurseryOrder = Birth | { readonly kind: "kill"; readonly id: number };

export type NurseryNews =
  | { readonly kind: "open" }
  | { readonly kind: "born"; readonly id: number; readonly pid: number }
  | { readonly kind: "failed"; readonly id: number; readonly why: string }
  | {
      readonly kind: "ended";
      readonly id: number;
      readonly code: number | null;
      readonly signal: NodeJS.Signals | null;
    };
