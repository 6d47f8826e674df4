import { type Node, parse } from "acorn";
import { type Loader, transform } from "esbuild";

/**
 * Whether a script may have an `import()` or a `require()` at all. Wrong only in saying yes too often: behind a static
 * `import` stands a name, a quote, `{` or `*`, and behind every other one a parenthesis, a dot or a comment of any kind.
 */
export function mayImportAtRunTime(source: string): boolean {
  return /\\u|require|module|import(?!\s*[\w$"'{*])/.test(source);
}

/** A script to pass to esbuild, in JavaScript. */
export interface OpaqueScript {
  readonly source: string;
  /** Its source map, as JSON text: from this script to the one that it was made from. */
  readonly map: string;
}

/**
 * Hides the arguments of `import()` and `require()` that are known only at run time: `import("./" + name)` becomes
 * `import([("./" + name)][0])`, which means the same. From the first form the bundler makes a search through the folders
 * of the machine, `../` included, of which no plugin is asked. The second form it leaves as it is, and the guest refuses
 * it.
 *
 * What is analysed is the bundler's own output for the script, and what it gets is that text: there is nothing left in it
 * that two parsers could read differently, such as comments of HTML, casts, escapes, or calls in dead code.
 *
 * @param sourcefile what the source map calls the script.
 * @throws if the script does not parse; esbuild's own message is better.
 */
export async function hideRunTimeImports(
  source: string,
  loader: Loader,
  sourcefile: string,
): Promise<OpaqueScript> {
  // Without bundling it resolves nothing, and has a file system in memory.
  const { code, map } = await transform(source, {
    loader,
    sourcefile,
    platform: "neutral",
    target: "es2022",
    supported: { "import-attributes": true },
    charset: "utf8",
    legalComments: "none",
    sourcemap: "external",
    logLevel: "silent",
    tsconfigRaw: { compilerOptions: {} },
  });
  const insertions = runTimeArguments(parsed(code), code).flatMap(({ start, end }) => [
    { at: start, text: "[(" },
    { at: end, text: ")][0]" },
  ]);
  let opaque = "";
  let copied = 0;
  // One argument can be inside another, but no two of them start or end at the same place.
  for (const { at, text } of insertions.sort((a, b) => a.at - b.at)) {
    opaque += code.slice(copied, at) + text;
    copied = at;
  }
  return { source: opaque + code.slice(copied), map };
}

function parsed(source: string): Node {
  // A module, or a script of the older kind.
  for (const sourceType of ["module", "script"] as const) {
    try {
      return parse(source, { ecmaVersion: "latest", sourceType, allowReturnOutsideFunction: true });
    } catch {
      // The other kind, or neither.
    }
  }
  throw new SyntaxError("the script cannot be parsed");
}

type AnyNode = Node & { readonly [key: string]: unknown };

/** The arguments of `import()`, and of calls that may be of `require`, that are no plain text. */
function runTimeArguments(tree: Node, source: string): readonly Node[] {
  const mayRequire = mentions(source, /require|module/g);
  const found: Node[] = [];
  const waiting: unknown[] = [tree];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (typeof node !== "object" || node === null) continue;
    if (Array.isArray(node)) {
      // A list can be long: as arguments of one call its members might not fit on the stack.
      for (const member of node) waiting.push(member);
      continue;
    }
    const argument = importArgument(node as AnyNode, mayRequire);
    if (argument && !isPlainText(argument)) found.push(argument);
    for (const member of Object.values(node)) waiting.push(member);
  }
  return found;
}

/**
 * The bundler folds constants before it looks whether a call is one of `require`. So every call counts whose callee
 * mentions it in any way, and has the one argument that `require` must have for the bundler.
 */
function importArgument(node: AnyNode, mayRequire: (node: Node) => boolean): AnyNode | null {
  if (node.type === "ImportExpression") return node["source"] as AnyNode;
  if (node.type !== "CallExpression" || !mayRequire(node["callee"] as Node)) return null;
  const [first, second] = node["arguments"] as AnyNode[];
  return first && !second && first.type !== "SpreadElement" ? first : null;
}

/** Whether the text of a node has a match of a pattern in it. */
function mentions(source: string, pattern: RegExp): (node: Node) => boolean {
  const places = Array.from(source.matchAll(pattern), ({ index }) => index);
  return ({ start, end }) => {
    let [low, high] = [0, places.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((places[middle] as number) < start) low = middle + 1;
      else high = middle;
    }
    return (places[low] ?? Infinity) < end;
  };
}

function isPlainText(node: AnyNode): boolean {
  if (node.type === "TemplateLiteral") return (node["expressions"] as unknown[]).length === 0;
  return node.type === "Literal" && typeof node["value"] === "string";
}
