/** Arguments that are no options. */
export function operands(args: readonly string[]): readonly string[] {
  const end = args.indexOf("--");
  const before = end < 0 ? args : args.slice(0, end);
  return [...before.filter((arg) => !/^-./.test(arg)), ...(end < 0 ? [] : args.slice(end + 1))];
}

/** Whether an option is among the arguments: as a letter of a cluster, or in full (GNU tools take its beginning too). */
export function hasOption(args: readonly string[], letters: string, long: string, shortest: number): boolean {
  const end = args.indexOf("--");
  return (end < 0 ? args : args.slice(0, end)).some((arg) =>
    arg.startsWith("--")
      ? arg.length >= shortest && `--${long}`.startsWith(arg)
      : arg.startsWith("-") && [...letters].some((letter) => arg.includes(letter)),
  );
}

/** Values of an option, as the next argument or glued to it: `-o x`, `-ox`, `--output x`, `--output=x`. */
export function optionValues(args: readonly string[], letter: string, long?: string): readonly string[] {
  return args.flatMap((arg, at) => {
    if (long !== undefined && arg === `--${long}`) return args.slice(at + 1, at + 2);
    if (long !== undefined && arg.startsWith(`--${long}=`)) return [arg.slice(long.length + 3)];
    if (letter === "" || arg.startsWith("--") || !arg.startsWith("-")) return [];
    const place = arg.indexOf(letter);
    if (place < 1) return [];
    return place === arg.length - 1 ? args.slice(at + 1, at + 2) : place === 1 ? [arg.slice(2)] : [];
  });
}
