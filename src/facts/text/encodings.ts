import type { TextEncoding } from "./row.ts";

/** A text that is encoded in another one. */
export interface Encoded {
  readonly start: number;
  readonly end: number;
  readonly encoding: TextEncoding;
  readonly text: string;
}

interface Decoder {
  readonly encoding: TextEncoding;
  /** What a text with this encoding has in it. */
  readonly sign: string;
  /** Whether it is in characters that do not show, and that the plain text therefore lacks. */
  readonly hidden?: true;
  /** The word may begin before the first match. */
  readonly word?: true;
  /** Finds candidates; matches in linear time. */
  readonly pattern: RegExp;
  readonly decode: (match: string) => Uint8Array | string | null;
}

const decoders: readonly Decoder[] = [
  {
    encoding: "base64",
    sign: "",
    pattern:
      /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{16,}(?:\r?\n[A-Za-z0-9+/_-]{16,})*(?:\r?\n[A-Za-z0-9+/_-]+(?==))?={0,2}/g,
    decode: (match) => {
      const digits = match
        .replace(/[\r\n=]/g, "")
        .replaceAll("-", "+")
        .replaceAll("_", "/");
      return digits.length % 4 === 1 ? null : Uint8Array.from(atob(digits), (char) => char.charCodeAt(0));
    },
  },
  {
    encoding: "hex",
    sign: "",
    pattern: /(?<![0-9A-Za-z])(?:(?:[0-9a-fA-F]{2}){12,}|[0-9a-fA-F]{2}(?:[ :][0-9a-fA-F]{2}){11,})/g,
    decode: (match) => bytesOf(match.replace(/[ :]/g, "")),
  },
  {
    encoding: "percent",
    sign: "%",
    word: true,
    pattern: /(?:%[0-9a-fA-F]{2}[^\s%"'<>]{0,256}){3,}/g,
    decode: (match) => {
      const bytes = new TextEncoder().encode(match.replaceAll("+", " "));
      return unescapeBytes(bytes);
    },
  },
  {
    encoding: "escapes",
    sign: "\\",
    word: true,
    pattern: /(?:\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|u\{[0-9a-fA-F]{1,6}\})[^\s\\"'<>]{0,256}){3,}/g,
    decode: (match) =>
      match.replace(
        /\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|u\{([0-9a-fA-F]{1,6})\})/g,
        (whole, unit?: string, byte?: string, point?: string) => {
          const code = Number.parseInt(unit ?? byte ?? point ?? "", 16);
          return code > 0x10ffff ? whole : String.fromCodePoint(code);
        },
      ),
  },
  {
    encoding: "tags",
    sign: "\udb40",
    hidden: true,
    pattern: /(?:\udb40[\udc20-\udc7e]){4,}/g,
    decode: (match) =>
      match.replace(/\udb40([^])/g, (_, low: string) => String.fromCharCode(low.charCodeAt(0) - 0xdc00)),
  },
  {
    // Bytes 0 to 15 are U+FE00 to U+FE0F, 16 to 255 are U+E0100 to U+E01EF.
    encoding: "selectors",
    sign: "",
    hidden: true,
    pattern: /(?:[\ufe00-\ufe0f]|\udb40[\udd00-\uddef]){4,}/g,
    decode: (match) =>
      Uint8Array.from(match.matchAll(/[\ufe00-\ufe0f]|\udb40[\udd00-\uddef]/g), ([char]) =>
        char.length === 1 ? char.charCodeAt(0) - 0xfe00 : char.charCodeAt(1) - 0xdd00 + 16,
      ),
  },
];

/**
 * The texts that are encoded in a string. What does not decode to a readable text is left out.
 *
 * @param hidden whether to look for encodings in invisible characters, which only an original has, or for the others.
 */
export function* encodedIn(source: string, hidden: boolean): Generator<Encoded> {
  for (const decoder of decoders) {
    if (hidden !== (decoder.hidden ?? false) || !source.includes(decoder.sign)) continue;
    for (const match of source.matchAll(decoder.pattern)) {
      const start = decoder.word ? wordStart(source, match.index) : match.index;
      const end = match.index + match[0].length;
      const written = source.slice(start, end);
      const decoded = decoder.decode(written);
      const text = typeof decoded === "string" || decoded === null ? decoded : textOf(decoded);
      if (text !== null && text !== written && isReadable(text))
        yield { start, end, encoding: decoder.encoding, text };
    }
  }
}

/** Where the word begins that goes on at an index, as far as that is near. */
function wordStart(source: string, index: number): number {
  const before = source.slice(Math.max(0, index - 256), index);
  return index - (/[^\s%\\"'<>]*$/.exec(before)?.[0].length ?? 0);
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function textOf(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

/** Whether it is text for people rather than other data: at least 8 characters, without controls, half of them letters. */
function isReadable(text: string): boolean {
  // eslint-disable-next-line no-control-regex
  if (text.length < 8 || /[\0-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f]/.test(text)) return false;
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  return letters * 2 >= text.length;
}

function bytesOf(hexadecimal: string): Uint8Array {
  return Uint8Array.from({ length: hexadecimal.length / 2 }, (_, at) =>
    Number.parseInt(hexadecimal.slice(at * 2, at * 2 + 2), 16),
  );
}

function unescapeBytes(bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const isEscape = bytes[at] === 0x25 && at + 2 < bytes.length;
    const value = isEscape
      ? Number.parseInt(String.fromCharCode(bytes[at + 1] ?? 0, bytes[at + 2] ?? 0), 16)
      : Number.NaN;
    if (Number.isNaN(value)) out[length++] = bytes[at] as number;
    else {
      out[length++] = value;
      at += 2;
    }
  }
  return out.subarray(0, length);
}
