/**
 * Text of a guest for a message of the host's: one line, in which control characters and those that turn the direction
 * of writing are escaped, so that it can neither forge a line nor steer a terminal.
 */
export function printable(text: string): string {
  return text
    .toWellFormed()
    .replace(
      /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu,
      (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
}
