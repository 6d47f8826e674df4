import { notKnown } from "../fact.ts";
import { originalRange } from "../../hook/index.ts";
import { encodedIn } from "./encodings.ts";
import { type Normalized, normalize } from "./normalize.ts";
import { type PlainText, type TextFact, textLimits, textRow, type TextSource } from "./row.ts";
import { stringsOf } from "./strings.ts";

/** Derives `facts.text`. */
export function deriveText(fields: { readonly [field: string]: unknown }): TextFact {
  const field = textField(fields);
  return field === undefined ? notKnown("absent") : readTexts(fields[field], `/${field}`);
}

/** The field of an event that its texts come from. */
export function textField(fields: { readonly [field: string]: unknown }): string | undefined {
  return textRow.from.find((name) => Object.hasOwn(fields, name));
}

interface Task {
  readonly path: string;
  readonly text: string;
  readonly layer: number;
  readonly inside: TextSource | null;
}

/** Brings all strings of a value, and the texts that are encoded in them, into one form. */
export function readTexts(value: unknown, pointer: string): TextFact {
  const strings = stringsOf(value, pointer);
  if ("ok" in strings) return strings;
  const tasks: Task[] = strings.map(({ path, text }) => ({ path, text, layer: 0, inside: null }));
  const texts: PlainText[] = [];
  let [replaced, characters] = [0, 0];
  for (let index = 0; index < tasks.length; index++) {
    const task = tasks[index] as Task;
    const found = normalize(task.text);
    replaced += found.replaced;
    characters += task.text.length;
    if (replaced > textLimits.replacements.maximum) return notKnown("too-many");
    if (characters > textLimits.characters.maximum) return notKnown("too-long");
    const { path, inside } = task;
    const { text, edits, removed, bidi } = found;
    texts.push({ path, text, edits, removed, bidi, inside });
    if (task.layer < textLimits.layers.maximum) {
      for (const one of encodings(task, found))
        tasks.push({ path, text: one.text, layer: task.layer + 1, inside: { index, ...one.place } });
    }
    if (tasks.length - strings.length > textLimits.decoded.maximum) return notKnown("too-many");
  }
  return { ok: true, texts };
}

interface Opened {
  readonly text: string;
  readonly place: Omit<TextSource, "index">;
}

function* encodings({ text: original }: Task, { text, edits }: Normalized): Generator<Opened> {
  for (const { start, end, encoding, text: decoded } of encodedIn(original, true))
    yield { text: decoded, place: { start, end, encoding } };
  for (const { start, end, encoding, text: decoded } of encodedIn(text, false)) {
    const [from, to] = originalRange({ edits }, start, end);
    yield { text: decoded, place: { start: from, end: to, encoding } };
  }
}
