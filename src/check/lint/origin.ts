import { type EncodedSourceMap, originalPositionFor, TraceMap } from "@jridgewell/trace-mapping";
import type { ErrorPlace } from "../../errors/index.ts";
import type { CodeOrigin } from "./finding.ts";

/** Where code of a program comes from. */
export interface Origin {
  readonly place: ErrorPlace;
  readonly origin: CodeOrigin;
}

/** A source that went into a program. */
export interface OriginalSource {
  readonly file: string;
  readonly origin: CodeOrigin;
  readonly text: string;
}

/** Leads from places of a program to places of the sources that it was bundled from. */
export class Origins {
  readonly #map: TraceMap | null;
  readonly #program: string;

  /** @param program the program itself, which stands for its source where there is no map. */
  constructor(program: string, map: string | null) {
    this.#program = program;
    this.#map = map === null ? null : new TraceMap(JSON.parse(map) as EncodedSourceMap);
  }

  /** @param line from 1. @param column from 0. */
  of(line: number, column: number): Origin {
    if (!this.#map) return { place: { line, column: column + 1 }, origin: "pack" };
    const found = originalPositionFor(this.#map, { line, column });
    if (found.source === null) return { place: {}, origin: "helper" };
    const { file, origin } = named(found.source);
    return { place: { file, line: found.line, column: found.column + 1 }, origin };
  }

  /** The sources that went into the program. */
  sources(): readonly OriginalSource[] {
    const map = this.#map;
    if (!map) return [{ file: "", origin: "pack", text: this.#program }];
    return map.sources.flatMap((source, index) => {
      const text = map.sourcesContent?.[index];
      return source && typeof text === "string" ? [{ ...named(source), text }] : [];
    });
  }
}

/** The sources that went into a program; the program itself where it has no map. */
export function sourcesOf(program: string, map: string | null): readonly OriginalSource[] {
  return new Origins(program, map).sources();
}

function named(source: string): { file: string; origin: CodeOrigin } {
  if (source.startsWith("pack:")) {
    const file = source.slice("pack:".length);
    return { file, origin: /(?:^|\/)node_modules\//.test(file) ? "package" : "pack" };
  }
  if (source.startsWith("modules:")) return { file: source.slice("modules:".length), origin: "package" };
  return { file: source, origin: "helper" };
}
