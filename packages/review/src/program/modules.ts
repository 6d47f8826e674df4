import type { CompiledModule } from "hookwarden/compile";
import type { ModuleOrigin } from "../report.ts";
import type { ProgramText } from "./text.ts";

/** A line this long was not written by hand. */
const longLine = 600;
/** Names this short, and so many of them, are those of a minifier. */
const shortName = 2;
const shortShare = 0.55;

/** Where the code of a program comes from, largest part first. */
export function originsOf(modules: readonly CompiledModule[], text: ProgramText): readonly ModuleOrigin[] {
  const texts = text.modules();
  return modules
    .map((module) => ({
      path: module.path,
      package: module.package ?? null,
      version: module.version ?? null,
      licence: module.licence ?? null,
      bytes: module.bytes,
      minified: isMinified(texts.get(module.path) ?? ""),
    }))
    .sort((a, b) => b.bytes - a.bytes);
}

/** Whether people cannot read a source: very long lines of code, or names of one and two letters nearly everywhere. */
export function isMinified(source: string): boolean {
  const lines = source.split("\n");
  const dense = lines.filter(
    (line) =>
      line.length > longLine &&
      !/["'`/][^"'`]{400,}["'`/]/.test(line) &&
      (line.match(/[;{}]/g)?.length ?? 0) > 12,
  );
  if (dense.length > 0) return true;
  const names =
    source
      .replaceAll(/(["'`])(?:\\.|(?!\1)[^\\])*\1|\/\*[^]*?\*\/|\/\/.*/g, " ")
      .match(/\b(?:var|let|const|function)\s+([A-Za-z_$][\w$]*)/g) ?? [];
  const short = names.filter((name) => (name.split(/\s+/)[1] ?? "").length <= shortName);
  return (
    (names.length >= 12 && short.length / names.length > shortShare) ||
    names.some((name) => /\s_0x[0-9a-f]{3,}/.test(name))
  );
}
