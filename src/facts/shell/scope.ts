import type { State } from "./state.ts";
import type { SyntaxNode, Word, WordPart } from "./syntax.ts";

/** What words are expanded with. */
export interface Scope {
  readonly state: State;
  readonly home: string;
  /** Counts syntax nodes against the fact's limit. */
  spend(nodes: number): void;
  /** Reads a nested script, and returns what it may print. */
  run(part: Extract<WordPart, { type: "CommandExpansion" }>): readonly string[];
  /** Reads the script of `<( )` or `>( )`, and returns the path that stands for it. */
  pipe(part: Extract<WordPart, { type: "ProcessSubstitution" }>): string;
  /** Reads what runs inside a node whose value is not needed. */
  visit(node: SyntaxNode): void;
  /** Reads something that may not run. */
  perhaps(action: () => void): void;
  /** Expands a word that is not split. */
  texts(word: Word): readonly string[];
}
