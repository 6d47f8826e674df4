import { type Node, parse } from "acorn";
import { transform } from "esbuild";

/**
 * Whether a script may have an `import()` or a `require()` whose argument is not known before it runs. Wrong only in
 * saying yes too often: a name can be written with escapes, and a comment can stand anywhere.
 */
export function mayImportAtRunTime(source: string): boolean {
  return /\bimport\s*[(/.]|require|\\u/.test(source);
}

/** A script for the bundler, and what language it is in. */
export interface BundlerInput {
  readonly source: string;
  readonly loader: "js" | "ts";
}

/**
 * Hides such arguments from the bundler: `import("./" + name)` becomes `import(String("./" + name))`, which means the
 * same. From the first form the bundler makes a search through the folders of the machine, `../` included, that no
 * plugin is asked about; the second one it leaves as it is, to be refused when it runs.
 *
 * @throws where the script does not parse; the bundler itself says better why.
 */
export async function hideRunTimeImports(input: BundlerInput): Promise<BundlerInput> {
  const script =
    input.loader === "js" ? (parsed(input.source) ?? (await plainScript(input))) : await plainScript(input);
  const insertions = runTimeArguments(script.tree).flatMap(({ start, end }) => [
    { at: start, text: "String(" },
    { at: end, text: ")" },
  ]);
  if (insertions.length === 0) return input;
  let source = "";
  let copied = 0;
  // One argument can stand inside another, but no two of them start or end at the same place.
  for (const { at, text } of insertions.sort((a, b) => a.at - b.at)) {
    source += script.source.slice(copied, at) + text;
    copied = at;
  }
  return { source: source + script.source.slice(copied), loader: "js" };
}

interface ParsedScript {
  readonly source: string;
  readonly tree: Node;
}

/** A script as JavaScript that the parser knows: without types, and without what is newer than it. */
async function plainScript({ source, loader }: BundlerInput): Promise<ParsedScript> {
  const { code } = await transform(source, {
    loader,
    target: "es2022",
    charset: "utf8",
    logLevel: "silent",
    tsconfigRaw: { compilerOptions: {} },
  });
  const script = parsed(code);
  if (!script) throw new SyntaxError("the script cannot be parsed");
  return script;
}

/** A module, or a script of the older kind; `null` where it is neither. */
function parsed(source: string): ParsedScript | null {
  for (const sourceType of ["module", "script"] as const) {
    try {
      const options = { sourceType, allowHashBang: true, allowReturnOutsideFunction: true } as const;
      return { source, tree: parse(source, { ecmaVersion: "latest", ...options }) };
    } catch {
      // The other kind, or nobody.
    }
  }
  return null;
}

/** The arguments of `import()` and `require()` that are no plain text. */
function runTimeArguments(tree: Node): readonly Node[] {
  const found: Node[] = [];
  const waiting: unknown[] = [tree];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (typeof node !== "object" || node === null) continue;
    if (Array.isArray(node)) {
      // A list can be long: as arguments of one call its members might not fit on the stack.
      for (const member of node) waiting.push(member);
      continue;
    }
    const argument = importArgument(node as AnyNode);
    if (argument && !isPlainText(argument)) found.push(argument);
    for (const member of Object.values(node)) waiting.push(member);
  }
  return found;
}

type AnyNode = Node & { readonly [key: string]: unknown };

function importArgument(node: AnyNode): AnyNode | null {
  if (node.type === "ImportExpression") return node["source"] as AnyNode;
  if (node.type !== "CallExpression" || !isRequire(node["callee"] as AnyNode)) return null;
  const [first] = node["arguments"] as AnyNode[];
  return first && first.type !== "SpreadElement" ? first : null;
}

function isRequire(callee: AnyNode): boolean {
  if (callee.type === "SequenceExpression")
    return isRequire((callee["expressions"] as AnyNode[]).at(-1) ?? callee);
  return callee.type === "Identifier" && callee["name"] === "require";
}

function isPlainText(node: AnyNode): boolean {
  if (node.type === "TemplateLiteral") return (node["expressions"] as unknown[]).length === 0;
  return node.type === "Literal" && typeof node["value"] === "string";
}
