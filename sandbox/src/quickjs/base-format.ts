import type { Anchors } from "./base.ts";
import type { Layout } from "./layout.ts";

/** A base as it is written down, without the static data that every fresh engine has. */
export interface SerializedBase {
  /** The engine that it was made with. */
  readonly engine: string;
  readonly layout: Layout;
  readonly anchors: Anchors;
  readonly heapEnd: number;
  /** Start and length of each piece that differs from a fresh engine, or that holds something in the heap. */
  readonly areas: readonly (readonly [at: number, bytes: number])[];
  /** The pieces, one after the other; deflated, in base64. */
  readonly bytes: string;
}
