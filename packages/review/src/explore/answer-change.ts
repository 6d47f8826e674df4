import type { Run } from "../run/runner.ts";
import type { Slot } from "./slots.ts";

/**
 * Why a word that changes nothing about the action lets it go: `magic`, a question of the code about the text turns out
 * otherwise; `caught`, the text makes something throw that the code catches; `exempt`, exactly this text is let go;
 * `required`, the hook holds what does not have the word; `parsing`, the code reads the text wrongly; `syntax`, any word
 * with the same syntax of a shell in it does; `start` and `end`, any word there does, so that the hook looks at one end
 * only.
 */
export type WordGrade = "magic" | "caught" | "exempt" | "required" | "parsing" | "syntax" | "start" | "end";

/** A change of one input that turned the answer. */
export interface AnswerChange {
  readonly slot: Pick<Slot, "kind" | "path">;
  readonly from: string;
  readonly to: string;
  readonly before: Run;
  readonly after: Run;
  readonly opens: boolean;
  /** Whether what is done stays the same. */
  readonly harmless: boolean;
  /** Why it opened; only for words in texts. */
  readonly grade?: WordGrade;
  /** What kind of word was added, where that is what was done. */
  readonly word?: "text" | "unicode" | "size" | "prototype" | "plain" | "type";
  /** Whether a command was added that runs besides what was held: in front of it, or at any other place. */
  readonly beside?: "front" | "any";
}
