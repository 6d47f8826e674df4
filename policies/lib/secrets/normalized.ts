/** A text in its plain form, and where each of its characters stands in the original. */
export interface Normalized {
  readonly text: string;
  readonly offsets: readonly number[];
}

/** Characters that show nothing, and forms of ASCII characters that are not ASCII. */
const disguised =
  /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uff01-\uff5e\uffa0]|\ud835[\udc00-\udfff]|\udb40[\udc00-\udfff]/;
const invisible =
  /^[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0]$/;
const ascii = /[\0-\x7f]*/y;
const longest = 262_144;

/** The plain form of a text that has characters in disguise; `undefined` for any other text. */
export function normalized(text: string): Normalized | undefined {
  ascii.lastIndex = 0;
  ascii.test(text);
  if (ascii.lastIndex === text.length || !disguised.test(text)) return undefined;
  let plain = "";
  const offsets: number[] = [];
  let at = 0;
  for (const char of text.slice(0, longest)) {
    const form = char.charCodeAt(0) < 128 ? char : formOf(char);
    for (let unit = 0; unit < form.length; unit++) offsets.push(at);
    plain += form;
    at += char.length;
  }
  return { text: plain, offsets };
}

function formOf(char: string): string {
  if (invisible.test(char)) return "";
  const form = char.normalize("NFKC");
  return /^[\x20-\x7e]+$/.test(form) ? form : char.length === 1 ? char : "\ufffd";
}
