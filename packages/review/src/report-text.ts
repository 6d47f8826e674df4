/**
 * A text that a stranger wrote: an event, a script or what a hook said. On the way into the report everything that
 * would not be plainly visible was written as `\u{…}`, and it was cut; it is still no HTML and no Markdown, and a reader
 * must show it as text. Everything else in a report is in our own words.
 */
export interface GuestText {
  readonly text: string;
  /** Characters of the whole text, where this is a part of it. */
  readonly cutFrom: number | null;
}

/** A place in a hook's program, and in the file that it was bundled from, where that is known. */
export interface CodePlace {
  /** From 1, in the bundled program. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
  /** Path of the module as `modules` lists it; `null` where there is no source map. */
  readonly module: string | null;
  /** From 1, in that module. */
  readonly moduleLine: number | null;
}

export interface Evidence {
  /** What it is, such as `held` and `opened`, `line 12`, `event`. */
  readonly label: string;
  readonly text: GuestText;
}
