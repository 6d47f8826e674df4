import type { Example, PageData } from "./example.ts";
import type { ReadyProgram } from "./protocol.ts";

/**
 * Files and programs of the shipped policies have most of their text in common. On its way into the page every piece
 * stands once, and is called by its number.
 */
export interface PackedData extends Omit<PageData, "examples" | "library"> {
  readonly texts: readonly string[];
  readonly examples: readonly (Omit<Example, "files"> & { readonly files: Numbered })[];
  readonly packages: PageData["library"]["packages"];
  readonly ready: readonly {
    readonly entry: string;
    readonly files: Numbered;
    readonly source: readonly number[];
  }[];
}

type Numbered = { readonly [path: string]: number };

/** Where a program that the bundler has made may be cut: above the comment that names a module. */
const seams = /^(?=\/\/ (?:pack|modules|hookwarden):)/m;

export function packData({ examples, library, ...rest }: PageData): PackedData {
  const numbers = new Map<string, number>();
  const number = (text: string): number => {
    const known = numbers.get(text);
    if (known !== undefined) return known;
    numbers.set(text, numbers.size);
    return numbers.size - 1;
  };
  const files = (of: Example["files"]): Numbered => mapValues(of, number);
  return {
    ...rest,
    examples: examples.map((example) => ({ ...example, files: files(example.files) })),
    ready: library.ready.map(({ source, ...program }) => ({
      ...program,
      files: files(program.files),
      source: source.split(seams).map(number),
    })),
    packages: library.packages,
    texts: [...numbers.keys()],
  };
}

export function unpackData({ texts, examples, ready, packages, ...rest }: PackedData): PageData {
  const text = (number: number): string => texts[number] ?? "";
  return {
    ...rest,
    examples: examples.map((example) => ({ ...example, files: mapValues(example.files, text) })),
    library: {
      packages,
      ready: ready.map((program): ReadyProgram => ({
        ...program,
        files: mapValues(program.files, text),
        source: program.source.map(text).join(""),
      })),
    },
  };
}

function mapValues<From, To>(
  of: { readonly [key: string]: From },
  map: (value: From) => To,
): { readonly [key: string]: To } {
  return Object.fromEntries(Object.entries(of).map(([key, value]) => [key, map(value)]));
}
