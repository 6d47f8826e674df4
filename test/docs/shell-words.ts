/** The words of the simple commands in a line of a shell script, as far as the documentation uses it. */
export function shellWords(line: string): readonly (readonly string[])[] {
  const commands: string[][] = [[]];
  for (const [token] of line
    .replace(/(^|\s)#.*$/, "")
    .matchAll(/(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|[^\s"'|&;<>]|\\.)+|&&|\|\||[|;&]|[<>]+\s*&?\S*/g)) {
    if (/^(?:&&|\|\||[|;&])$/.test(token)) commands.push([]);
    else if (!/^[<>]/.test(token)) commands.at(-1)?.push(token.replaceAll(/["']/g, ""));
  }
  return commands;
}
