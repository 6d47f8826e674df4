// The decoder has to be there before the parser loads.
import "./text-decoder.ts";

export { forEachChild, parse } from "unbash";
export type {
  Assignment,
  Command,
  ParsedScript,
  Redirection,
  Statement,
  SyntaxNode,
  Word,
  WordPart,
} from "unbash";
