import { type EncodedSourceMap, originalPositionFor, TraceMap } from "@jridgewell/trace-mapping";
import type { Location } from "esbuild";

/** A text that was made from another one, with its source map as JSON text. */
export interface Derived {
  readonly original: string;
  readonly map: string;
}

type Place = Pick<Location, "line" | "column" | "length" | "lineText">;

/** The place in the original text of a place in the derived one, as near as its source map knows it. */
export function originalPlace(place: Place, { original, map }: Derived): Place {
  // esbuild counts columns in bytes, source maps in UTF-16 code units; both from 0.
  const column = Buffer.from(place.lineText).subarray(0, place.column).toString().length;
  const found = originalPositionFor(new TraceMap(JSON.parse(map) as EncodedSourceMap), {
    line: place.line,
    column,
  });
  const lineText =
    found.line === null ? undefined : original.split(/\r\n|[\n\r\u2028\u2029]/)[found.line - 1];
  if (found.line === null || lineText === undefined) return { line: 1, column: 0, length: 0, lineText: "" };
  const before = lineText.slice(0, found.column);
  return { line: found.line, column: Buffer.byteLength(before), length: 0, lineText };
}
