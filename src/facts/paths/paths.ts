import { type NotKnown, notKnown } from "../fact.ts";
import { hostFactsField } from "../host-fact.ts";
import { resolvePath } from "../path-text.ts";
import type { ShellCommand, ShellFact } from "../shell/row.ts";
import { clean, fromWord, isUnknown, toWord } from "../shell/text.ts";
import type { ToolAccess, ToolFact } from "../tool/row.ts";
import { pathsOfCommand } from "./programs.ts";
import { type PathAccess, pathLimits, type PathsFact, type PathUse } from "./row.ts";

/** Derives `facts.paths`. */
export function derivePaths(
  { cwd, [hostFactsField]: ofHost }: { readonly [field: string]: unknown },
  tool: ToolFact,
  shell: ShellFact,
): PathsFact {
  const unknown: NotKnown | undefined = [tool, shell].find((fact): fact is NotKnown => !fact.ok);
  if (unknown || !tool.ok || !shell.ok) return notKnown(unknown?.why ?? "absent");
  const workspace = typeof cwd === "string" && cwd.startsWith("/") ? resolvePath(clean(cwd), "/") : null;
  const base = workspace ?? ".";
  const directory = tool.directory === null ? base : resolvePath(clean(tool.directory), base);
  const links = linksOf(ofHost);
  const use = (named: string, access: PathAccess, command: number | null): PathUse => {
    const path = links?.get(named) ?? named;
    const isResolved = links === null || links.has(named);
    return { path: toWord(path), access, inside: isResolved ? isInside(path, workspace) : null, command };
  };
  const paths: PathUse[] = tool.files.map(({ path, access }) =>
    use(resolvePath(asPath(path), directory), accessOf[access], null),
  );
  let complete = shell.complete;
  shell.commands.forEach((command, index) => {
    const found = usesOf(command);
    complete &&= found.known;
    for (const [path, access] of found.uses)
      paths.push(use(resolvePath(path, fromWord(command.directory)), access, index));
  });
  if (paths.length > pathLimits.paths.maximum) return notKnown("too-many");
  return { ok: true, workspace, paths, complete };
}

/** Where paths lead, as the host has resolved them; `null` if it resolves none. */
function linksOf(ofHost: unknown): ReadonlyMap<string, string> | null {
  const { links } = (ofHost ?? {}) as { readonly links?: { readonly [path: string]: string } };
  return links === undefined ? null : new Map(Object.entries(links));
}

const accessOf: { readonly [access in ToolAccess]: PathAccess } = {
  read: "read",
  write: "write",
  edit: "write",
  delete: "delete",
  search: "list",
  any: "any",
};

/** A path as a tool has it: with either slash, or as an address. */
function asPath(path: string): string {
  return clean(path)
    .replaceAll("\\", "/")
    .replace(/^file:(?:\/\/(?:localhost)?(?=\/))?/i, "");
}

function usesOf(command: ShellCommand): ReturnType<typeof pathsOfCommand> {
  const found = command.argv.length === 0 ? { uses: [], known: true } : pathsOfCommand(command);
  const program = fromWord(command.argv[0] ?? "");
  const redirects = command.redirects.flatMap(({ operator, target }): [string, PathAccess][] => {
    const path = fromWord(target);
    // `2>&1` and `>&-` name descriptors.
    if (operator.endsWith("&") && /^(\d+|-)$/.test(path)) return [];
    return [[path, operator.includes(">") ? "write" : "read"]];
  });
  return {
    uses: [...(program.includes("/") ? [[program, "execute"] as const] : []), ...redirects, ...found.uses],
    known: found.known,
  };
}

/** Whether a path is in the workspace; `null` if a part of it could lead elsewhere. */
function isInside(path: string, workspace: string | null): boolean | null {
  if (workspace === null || !path.startsWith("/")) return null;
  // A pattern is a name, but for those that `..` matches.
  const named = path.replace(/(?<!\/)\uFDD0g[^\uFDD1]*\uFDD1|\uFDD0g\*\uFDD1/g, "*");
  if (isUnknown(named)) return null;
  return workspace === "/" || named === workspace || named.startsWith(`${workspace}/`);
}
