import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The part of a page that lists the ways to run something. */
export function waysSection(page: string): string {
  const text = readFileSync(join(root, "docs", page), "utf8");
  const section = text.split(/^## /m).find((part) => part.startsWith("Coverage of tool calls"));
  if (section === undefined) throw new Error(`docs/${page} has no section on ways to run something`);
  return section;
}

/** Names that do not stand in code marks in the section. */
export function notListed(page: string, names: readonly string[]): string[] {
  const section = waysSection(page);
  const listed = new Set([...section.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name));
  return names.filter((name) => !listed.has(name));
}

/** Files of an installed package below a folder in which a pattern is found, by their paths in the package. */
export function filesWith(folder: string, extension: string, pattern: RegExp): string[] {
  const base = join(root, "node_modules", folder);
  return readdirSync(base, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(extension) && !path.endsWith(`.test${extension}`))
    .filter((path) =>
      pattern.test(readFileSync(join(base, path), "utf8").replaceAll(/^\s*(\*|\/\/).*$/gm, "")),
    )
    .sort();
}

/** A file of an installed package. */
export function packageFile(path: string): string {
  return readFileSync(join(root, "node_modules", path), "utf8");
}
