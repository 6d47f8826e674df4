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
