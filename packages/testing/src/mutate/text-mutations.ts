/** One way to say nearly the same: its name, for people who read where an event comes from, and what it does. */
interface Mutation {
  readonly name: string;
  /** `null` where there is nothing to do it to. */
  readonly change: (text: string) => string | null;
}

/** Letters of other scripts that look like Latin ones. */
const lookAlikes: ReadonlyMap<string, string> = new Map([
  ["a", "\u0430"],
  ["c", "\u0441"],
  ["e", "\u0435"],
  ["i", "\u0456"],
  ["o", "\u043e"],
  ["p", "\u0440"],
  ["s", "\u0455"],
  ["x", "\u0445"],
]);

const firstWord = /[A-Za-z]{2,}/;
const onFirstWord = (change: (word: string) => string) => (text: string) =>
  firstWord.test(text) ? text.replace(firstWord, change) : null;
const replaced = (pattern: RegExp, by: string) => (text: string) =>
  pattern.test(text) ? text.replace(pattern, by) : null;

/** Spellings that a shell, a path or a reader takes for the same, and that a pattern may not. */
export const textMutations: readonly Mutation[] = [
  { name: "quotes inside a word", change: onFirstWord((word) => `${word[0]}''${word.slice(1)}`) },
  { name: "a quoted word", change: onFirstWord((word) => `"${word}"`) },
  { name: "a backslash in a word", change: onFirstWord((word) => `${word[0]}\\${word.slice(1)}`) },
  { name: "upper case", change: (text) => text.toUpperCase() },
  { name: "lower case", change: (text) => text.toLowerCase() },
  { name: "a look-alike letter", change: (text) => lookAlike(text) },
  { name: "full-width letters", change: onFirstWord((word) => fullWidth(word)) },
  { name: "a zero-width space", change: onFirstWord((word) => `${word[0]}\u200b${word.slice(1)}`) },
  { name: "two spaces", change: replaced(/ /, "  ") },
  { name: "a tab", change: replaced(/ /, "\t") },
  { name: "a space of Unicode", change: replaced(/ /, "\u00a0") },
  { name: "`${IFS}`", change: replaced(/ /, "${IFS}") },
  { name: "a line break before", change: (text) => `\n${text}` },
  { name: "a line break behind", change: (text) => `${text}\n` },
  { name: "a command before", change: (text) => `true; ${text}` },
  { name: "a command behind", change: (text) => `${text} && true` },
  { name: "through env", change: (text) => `env ${text}` },
  { name: "through sudo", change: (text) => `sudo ${text}` },
  { name: "in a subshell", change: (text) => `$(${text})` },
  { name: "in sh -c", change: (text) => `sh -c '${text.replaceAll("'", `'\\''`)}'` },
  { name: "a comment behind", change: (text) => `${text} # ok` },
  { name: "flags apart", change: replaced(/ -([A-Za-z])([A-Za-z])\b/, " -$1 -$2") },
  { name: "flags swapped", change: replaced(/ -([A-Za-z])([A-Za-z])\b/, " -$2$1") },
  { name: "flags together", change: replaced(/ -([A-Za-z]) -([A-Za-z])\b/, " -$1$2") },
  { name: "flags behind", change: replaced(/^(\S+) (-\S+) ([^]*)$/, "$1 $3 $2") },
  { name: "an end of options", change: replaced(/^(\S+(?: -\S+)*) (?!-)/, "$1 -- ") },
  { name: "a double slash", change: replaced(/\//, "//") },
  { name: "a `/./`", change: replaced(/\//, "/./") },
  { name: "a `..`", change: replaced(/\/([\w.-]+)/, "/$1/../$1") },
  { name: "a relative path", change: replaced(/(^|\s)\//, "$1../../../../") },
  { name: "a home folder as a variable", change: replaced(/~/, "$HOME") },
  { name: "a slash behind", change: (text) => `${text}/` },
  { name: "a glob", change: replaced(/([\w.-])(\s*)$/, "?$2") },
  { name: "without its first word", change: replaced(/^\S+\s+/, "") },
  { name: "without its last word", change: replaced(/\s+\S+$/, "") },
  { name: "twice", change: (text) => `${text} ${text}` },
  { name: "empty", change: () => "" },
];

function lookAlike(text: string): string | null {
  const at = [...text].findIndex((letter) => lookAlikes.has(letter));
  if (at < 0) return null;
  return [...text].map((letter, index) => (index === at ? lookAlikes.get(letter) : letter)).join("");
}

function fullWidth(word: string): string {
  return [...word].map((letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0)).join("");
}
