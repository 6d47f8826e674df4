import { type NotKnown, notKnown } from "../fact.ts";
import { textLimits } from "./row.ts";

/** A string of an event, or the name of a member. */
export interface Found {
  /** JSON pointer. */
  readonly path: string;
  readonly text: string;
}

/** Every string of a value in order, members' names included, if it is within the limits. */
export function stringsOf(value: unknown, pointer: string): readonly Found[] | NotKnown {
  const found: Found[] = [];
  let characters = 0;
  const add = (path: string, text: string): void => {
    characters += text.length;
    found.push({ path, text });
  };
  const exceeded = (): boolean =>
    characters > textLimits.characters.maximum || found.length > textLimits.strings.maximum;
  const walk = (item: unknown, path: string, depth: number): boolean => {
    if (typeof item === "string") add(path, item);
    if (typeof item !== "object" || item === null) return true;
    if (depth > textLimits.depth.maximum) return false;
    for (const [name, inner] of Object.entries(item)) {
      if (exceeded()) return true;
      const at = `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      if (!Array.isArray(item)) add(at, name);
      if (!walk(inner, at, depth + 1)) return false;
    }
    return true;
  };
  if (!walk(value, pointer, 1)) return notKnown("too-deep");
  if (characters > textLimits.characters.maximum) return notKnown("too-long");
  return found.length > textLimits.strings.maximum ? notKnown("too-many") : found;
}

/** Length of all strings of a value, members' names included; counting ends when it is more than `most`. */
export function stringsLength(value: unknown, most: number): number {
  let length = 0;
  const rest: unknown[] = [value];
  while (rest.length > 0 && length <= most) {
    const item = rest.pop();
    if (typeof item === "string") length += item.length;
    if (typeof item !== "object" || item === null) continue;
    // A value without text costs as well.
    length++;
    for (const [name, inner] of Object.entries(item)) {
      length += name.length;
      rest.push(inner);
    }
  }
  return length;
}
