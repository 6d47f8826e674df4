import { originalPositionFor, TraceMap } from "@jridgewell/trace-mapping";
import type { CodePlace } from "../report.ts";
import { type SyntaxTree, syntaxOf } from "./syntax.ts";

/** Lines that an excerpt shows before and after a place. */
const around = 3;

/** The text of a program, with the files that it was bundled from, where there is a source map. */
export class ProgramText {
  readonly source: string;
  readonly #starts: readonly number[];
  readonly #map: TraceMap | null;
  readonly #own = new Map<number, boolean>();
  #tree: SyntaxTree | null = null;

  constructor(source: string, map: string | null) {
    this.source = source;
    const starts = [0];
    for (let at = source.indexOf("\n"); at >= 0; at = source.indexOf("\n", at + 1)) starts.push(at + 1);
    this.#starts = starts;
    this.#map = map === null ? null : new TraceMap(map);
  }

  get tree(): SyntaxTree {
    return (this.#tree ??= syntaxOf(this.source));
  }

  line(offset: number): number {
    let [low, high] = [0, this.#starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] as number) <= offset) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  }

  place(offset: number): CodePlace {
    const line = this.line(offset);
    const column = offset - (this.#starts[line - 1] as number);
    const from = this.#map && originalPositionFor(this.#map, { line, column });
    return { line, column: column + 1, module: from?.source ?? null, moduleLine: from?.line ?? null };
  }

  /** Whether code is the pack's own. Without a source map all of it is. */
  isOwn(offset: number): boolean {
    const line = this.line(offset);
    let own = this.#own.get(line);
    if (own === undefined) {
      const { module } = this.place(offset);
      own =
        module === null
          ? this.#map === null
          : module.startsWith("pack:") && !module.includes("node_modules/");
      this.#own.set(line, own);
    }
    return own;
  }

  /** The package that code comes from; `null` for the pack's own. */
  packageAt(offset: number): string | null {
    const { module } = this.place(offset);
    const names = [...(module ?? "").matchAll(/(?:^modules:|node_modules\/)((?:@[^/]+\/)?[^/]+)\//g)];
    return names.at(-1)?.[1] ?? null;
  }

  /** Lines around a place in the file that it comes from, each with its number, the line itself marked. */
  excerptAt({ line, module, moduleLine }: CodePlace): string {
    const own = module === null ? undefined : this.modules().get(module);
    const lines = (own ?? this.source).split("\n");
    const at = own === undefined ? line : (moduleLine ?? 1);
    const from = Math.max(1, at - around);
    return lines
      .slice(from - 1, at + around)
      .map(
        (text, index) =>
          `${from + index === at ? ">" : " "} ${String(from + index).padStart(4)} | ${text.slice(0, 160)}`,
      )
      .join("\n");
  }

  slice(start: number, end: number): string {
    return this.source.slice(start, end);
  }

  /** Texts of the modules, by path, where the map has them. */
  modules(): ReadonlyMap<string, string> {
    const { sources = [], sourcesContent = [] } = this.#map ?? {};
    return new Map(
      sources.flatMap((source, index) => {
        const text = sourcesContent?.[index];
        return source && typeof text === "string" ? [[source, text] as const] : [];
      }),
    );
  }
}
