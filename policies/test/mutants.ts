import ts from "typescript";

/** A text with one small change in it. */
export interface Mutant {
  /** What was changed, for people: `line 12: && becomes ||`. */
  readonly what: string;
  readonly text: string;
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly by: string;
  readonly what: string;
}

const flips: ReadonlyMap<ts.SyntaxKind, string> = new Map<ts.SyntaxKind, string>([
  [ts.SyntaxKind.EqualsEqualsEqualsToken, "!=="],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, "==="],
  [ts.SyntaxKind.AmpersandAmpersandToken, "||"],
  [ts.SyntaxKind.BarBarToken, "&&"],
  [ts.SyntaxKind.LessThanToken, ">="],
  [ts.SyntaxKind.LessThanEqualsToken, ">"],
  [ts.SyntaxKind.GreaterThanToken, "<="],
  [ts.SyntaxKind.GreaterThanEqualsToken, "<"],
]);

const words: ReadonlyMap<string, string> = new Map([
  ["deny", "ask"],
  ["ask", "deny"],
]);

/**
 * Every mutant of a TypeScript file: a condition flipped or negated, a truth value or verdict exchanged, an element of
 * a list or table dropped, an alternative of a regular expression dropped. Types are left alone.
 */
export function mutantsOf(text: string): readonly Mutant[] {
  const file = ts.createSourceFile("policy.ts", text, ts.ScriptTarget.Latest, true);
  const edits: Edit[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isInterfaceDeclaration(node)) return;
    edits.push(...editsOf(node, file));
    ts.forEachChild(node, visit);
  };
  visit(file);
  return edits.map(({ start, end, by, what }) => ({
    what: `line ${file.getLineAndCharacterOfPosition(start).line + 1}: ${what}`,
    text: text.slice(0, start) + by + text.slice(end),
  }));
}

/** The regular expressions of a TypeScript file. */
export function literalsOf(text: string): readonly RegExp[] {
  const file = ts.createSourceFile("policy.ts", text, ts.ScriptTarget.Latest, true);
  const found: RegExp[] = [];
  const visit = (node: ts.Node): void => {
    if (node.kind === ts.SyntaxKind.RegularExpressionLiteral) {
      const literal = node.getText(file);
      const close = literal.lastIndexOf("/");
      found.push(new RegExp(literal.slice(1, close), literal.slice(close + 1)));
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function editsOf(node: ts.Node, file: ts.SourceFile): readonly Edit[] {
  const at = (part: ts.Node): { start: number; end: number } => ({
    start: part.getStart(file),
    end: part.getEnd(),
  });
  if (ts.isBinaryExpression(node)) {
    const by = flips.get(node.operatorToken.kind);
    return by === undefined
      ? []
      : [
          {
            ...at(node.operatorToken),
            by,
            what: `\`${node.operatorToken.getText(file)}\` becomes \`${by}\``,
          },
        ];
  }
  if (ts.isIfStatement(node) || ts.isConditionalExpression(node)) {
    const condition = ts.isIfStatement(node) ? node.expression : node.condition;
    return [
      {
        ...at(condition),
        by: `!(${condition.getText(file)})`,
        what: `\`${cut(condition.getText(file))}\` is negated`,
      },
    ];
  }
  if (node.kind === ts.SyntaxKind.TrueKeyword)
    return [{ ...at(node), by: "false", what: "`true` becomes `false`" }];
  if (node.kind === ts.SyntaxKind.FalseKeyword)
    return [{ ...at(node), by: "true", what: "`false` becomes `true`" }];
  if (ts.isStringLiteral(node)) {
    const by = words.get(node.text);
    return by === undefined ? [] : [{ ...at(node), by: `"${by}"`, what: `"${node.text}" becomes "${by}"` }];
  }
  if (ts.isArrayLiteralExpression(node) && !isEntry(node)) return dropped(node, file);
  if (node.kind === ts.SyntaxKind.RegularExpressionLiteral) {
    const literal = node.getText(file);
    const { start, end } = at(node);
    return alternativesDropped(literal).map(({ by, dropped: part }) => ({
      start,
      end,
      by,
      what: `\`${cut(part)}\` is dropped from ${cut(literal)}`,
    }));
  }
  return [];
}

/** `["name", value]` in a table is an entry: dropping a half of it is no program any more. */
function isEntry(node: ts.ArrayLiteralExpression): boolean {
  return (
    ts.isArrayLiteralExpression(node.parent) &&
    node.elements.length === 2 &&
    ts.isArrayLiteralExpression(node.parent)
  );
}

function dropped(node: ts.ArrayLiteralExpression, file: ts.SourceFile): readonly Edit[] {
  return node.elements.map((element, index) => {
    const next = node.elements[index + 1];
    return {
      start: element.getStart(file),
      end: next?.getStart(file) ?? element.getEnd(),
      by: "",
      what: `\`${cut(element.getText(file))}\` is dropped`,
    };
  });
}

/** The expression without one of its alternatives, for each alternative of each group. */
function alternativesDropped(literal: string): readonly { readonly by: string; readonly dropped: string }[] {
  const out: { by: string; dropped: string }[] = [];
  const close = literal.lastIndexOf("/");
  // Of every open group: where its alternatives begin.
  const groups: number[][] = [[1]];
  const finish = (starts: readonly number[], end: number): void => {
    if (starts.length < 2) return;
    starts.forEach((start, index) => {
      const next = starts[index + 1];
      out.push({
        by:
          next === undefined
            ? literal.slice(0, start - 1) + literal.slice(end)
            : literal.slice(0, start) + literal.slice(next),
        dropped: literal.slice(start, next === undefined ? end : next - 1),
      });
    });
  };
  let inClass = false;
  for (let at = 1; at < close; at++) {
    const char = literal[at];
    if (char === "\\") at++;
    else if (char === "[") inClass = true;
    else if (char === "]") inClass = false;
    else if (inClass) continue;
    else if (char === "(")
      groups.push([at + 1 + (/^\?(?:<?[=!]|:)/.exec(literal.slice(at + 1))?.[0].length ?? 0)]);
    else if (char === "|") groups.at(-1)?.push(at + 1);
    else if (char === ")") finish(groups.pop() ?? [], at);
  }
  finish(groups[0] ?? [], close);
  return out;
}

function cut(text: string): string {
  const line = text.replace(/\s+/g, " ");
  return line.length > 60 ? `${line.slice(0, 60)}…` : line;
}
