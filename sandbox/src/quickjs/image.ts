import type { Layout } from "./layout.ts";

/** Size of the pieces in which images are compared and kept. */
const granule = 256;
/** Two pieces with at most this much between them are kept, and copied, as one. */
const mergeGap = 1_024;

/** A piece of memory, and where it belongs. */
export interface Piece {
  readonly at: number;
  readonly bytes: Uint8Array;
}

/** An area of memory, from and up to. */
export interface Area {
  readonly from: number;
  readonly to: number;
}

/** An engine's memory when it is initialised and no program is loaded. */
export interface BaseImage {
  readonly pieces: readonly Piece[];
  readonly heapEnd: number;
  /** Full copies of the two areas that images speak of, to compare with. */
  readonly statics: Uint8Array;
  readonly heap: Uint8Array;
}

/** What a loaded program changes in the base image. */
export interface ProgramImage {
  readonly pieces: readonly Piece[];
  /** Areas that are zero in this image, up to `headEnd`. */
  readonly zeros: readonly Area[];
  /** End of what the program keeps. Behind it lies ballast that nothing touches, then the memory for calls. */
  readonly headEnd: number;
  /** Start of the memory for calls. */
  readonly tailStart: number;
  /** End of the heap when the program has been loaded. */
  readonly heapEnd: number;
  /** Bytes that are kept for the program. */
  readonly bytes: number;
}

/** Captures the base image of an idle engine. */
export function captureBase(memory: Uint8Array, layout: Layout, heapEnd: number): BaseImage {
  const statics = memory.slice(0, layout.staticEnd);
  const heap = memory.slice(layout.heapStart, heapEnd);
  const pieces = [
    ...nonZero(statics).map(({ from, to }) => ({ at: from, bytes: statics.subarray(from, to) })),
    ...nonZero(heap).map(({ from, to }) => ({ at: layout.heapStart + from, bytes: heap.subarray(from, to) })),
  ];
  return { pieces, heapEnd, statics, heap };
}

/** Captures the difference from the base image. The areas between `headEnd` and `tailStart` must be untouched. */
export function captureProgram(
  memory: Uint8Array,
  layout: Layout,
  base: BaseImage,
  marks: { readonly headEnd: number; readonly tailStart: number; readonly heapEnd: number },
): ProgramImage {
  const changed: Area[] = [
    ...differences(memory, { from: 0, to: layout.staticEnd }, base.statics, 0),
    ...differences(memory, { from: layout.heapStart, to: marks.headEnd }, base.heap, layout.heapStart),
    ...differences(memory, { from: marks.tailStart, to: marks.heapEnd }, new Uint8Array(0), marks.tailStart),
  ];
  const areas = merge(changed);
  // One allocation per program: thousands of small ones would have too much overhead.
  const store = new Uint8Array(areas.reduce((sum, { from, to }) => sum + to - from, 0));
  let used = 0;
  const pieces = areas.map(({ from, to }) => {
    const bytes = store.subarray(used, used + to - from);
    bytes.set(memory.subarray(from, to));
    used += to - from;
    return { at: from, bytes };
  });
  const covered = merge(
    [...base.pieces, ...pieces].map(({ at, bytes }) => ({ from: at, to: at + bytes.length })),
    0,
  );
  return {
    pieces,
    zeros: [...gaps(covered, 0, layout.staticEnd), ...gaps(covered, layout.heapStart, marks.headEnd)],
    ...marks,
    bytes: store.length,
  };
}

/** Restores an image into a memory, overwriting its content; `zeros` of the areas that the image speaks of included. */
export function restore(memory: Uint8Array, base: BaseImage, image: ProgramImage): void {
  const { pieces: common } = base;
  for (let i = 0; i < common.length; i++) {
    const piece = common[i]!;
    memory.set(piece.bytes, piece.at);
  }
  const { zeros, pieces } = image;
  for (let i = 0; i < zeros.length; i++) {
    const area = zeros[i]!;
    memory.fill(0, area.from, area.to);
  }
  for (let i = 0; i < pieces.length; i++) {
    const piece = pieces[i]!;
    memory.set(piece.bytes, piece.at);
  }
}

function nonZero(memory: Uint8Array): Area[] {
  return merge(differences(memory, { from: 0, to: memory.length }, new Uint8Array(0), 0));
}

/** Granules of `memory` in an area that differ from `other`, which starts at `offset` and is zero beyond its end. */
function differences(memory: Uint8Array, { from, to }: Area, other: Uint8Array, offset: number): Area[] {
  const found: Area[] = [];
  const zero = new Uint8Array(granule);
  for (let at = from; at < to; at += granule) {
    const end = Math.min(at + granule, to);
    const mine = memory.subarray(at, end);
    const known = Math.max(0, Math.min(end, offset + other.length) - at);
    const same =
      Buffer.compare(mine.subarray(0, known), other.subarray(at - offset, at - offset + known)) === 0 &&
      Buffer.compare(mine.subarray(known), zero.subarray(0, end - at - known)) === 0;
    if (!same) found.push({ from: at, to: end });
  }
  return found;
}

function merge(areas: readonly Area[], gap = mergeGap): Area[] {
  const merged: { from: number; to: number }[] = [];
  for (const area of areas.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last && area.from - last.to <= gap) last.to = Math.max(last.to, area.to);
    else merged.push({ ...area });
  }
  return merged;
}

/** What of `from` to `to` no area covers. */
function gaps(areas: readonly Area[], from: number, to: number): Area[] {
  const found: Area[] = [];
  let at = from;
  for (const area of areas) {
    if (area.to <= from || area.from >= to) continue;
    if (area.from > at) found.push({ from: at, to: area.from });
    at = Math.max(at, area.to);
  }
  if (at < to) found.push({ from: at, to });
  return found;
}
