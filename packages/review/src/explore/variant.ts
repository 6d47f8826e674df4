import type { Input } from "../run/input.ts";
import type { Run } from "../run/runner.ts";
import type { AnswerChange } from "./answer-change.ts";
import type { Slot } from "./slots.ts";

/** One variation of an event that a hook holds. */
export interface Variant {
  readonly slot: Pick<Slot, "kind" | "path">;
  readonly from: string;
  readonly to: string;
  readonly input: Input;
  readonly word?: AnswerChange["word"];
  readonly grade?: AnswerChange["grade"];
}

/** An input that the review made of another one, by a change in words. */
export function made(input: Input, base: Run, what: string): Input {
  return { ...input, origin: "made", label: `${base.input.label}; ${what}` };
}
