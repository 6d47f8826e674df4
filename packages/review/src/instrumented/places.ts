/** Where an operator is between its operands, among brackets, white space and comments; -1 where it is not found. */
export function operatorIn(source: string, from: number, to: number, operator: string): number {
  for (let at = from; at < to; at++) {
    if (source.startsWith("/*", at)) at = source.indexOf("*/", at) + 1;
    else if (source.startsWith("//", at)) at = source.indexOf("\n", at);
    else if (source.startsWith(operator, at)) return at;
    if (at < from) return -1;
  }
  return -1;
}

/** The colon of a `case`, behind its test. */
export function colonAfter(source: string, from: number, to: number): number {
  const at = operatorIn(source, from, to, ":");
  return at < 0 ? to - 1 : at;
}
