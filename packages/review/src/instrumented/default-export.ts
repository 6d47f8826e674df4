import { HookwardenError } from "hookwarden/errors";
import { parts, part, type SyntaxTree } from "../program/syntax.ts";

/** The bundler exports one local name as `default`, in a list. */
export function defaultExport(
  tree: SyntaxTree,
  source: string,
  program: string,
): { readonly start: number; readonly end: number; readonly name: string } {
  for (const node of parts(tree.root, "body")) {
    if (node.type !== "ExportNamedDeclaration") continue;
    for (const one of parts(node, "specifiers")) {
      const [exported, local] = [part(one, "exported"), part(one, "local")];
      if ((exported["name"] ?? exported["value"]) === "default")
        return { start: node.start, end: node.end, name: source.slice(local.start, local.end) };
    }
  }
  throw new HookwardenError("load-failed", `the script of \`${program}\` has no default export`);
}
