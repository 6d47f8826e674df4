import type { State } from "./state.ts";
import { forEachChild, type SyntaxNode } from "./syntax.ts";

/** Forgets the variables that an arithmetic expression may set. */
export function forgetAssigned(state: State, node: SyntaxNode): void {
  if (node.type === "ArithmeticBinary" || node.type === "ArithmeticUnary") {
    // Its words include those of nested assignments, which are not visited again.
    if (/^(?:[-+*/%&|^]|<<|>>)?=$|^(?:\+\+|--)$/.test(node.operator)) return forgetWords(state, node);
  }
  forEachChild(node, (child) => forgetAssigned(state, child));
}

function forgetWords(state: State, node: SyntaxNode): void {
  if (node.type === "ArithmeticWord") forgetNames(state, node.value);
  forEachChild(node, (child) => forgetWords(state, child));
}

/** The same for an expression as text. */
export function forgetAssignedIn(state: State, text: string): void {
  if (/(?:^|[^=!<>])=(?!=)|<<=|>>=|\+\+|--/.test(text)) forgetNames(state, text);
}

function forgetNames(state: State, text: string): void {
  for (const name of new Set(text.match(/[A-Za-z_]\w*/g))) state.forget(name);
}
