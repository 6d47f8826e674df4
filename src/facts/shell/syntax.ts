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
