/** V8's default stack size, in KiB. */
const usualKb = 984;

/** The stack that V8 may use on the main thread of this process, in KiB. Browsers are assumed to use V8's default. */
export function v8StackKb(): number {
  const { process } = globalThis as { readonly process?: { readonly execArgv?: readonly string[] } };
  const flag = process?.execArgv?.find((arg) => /^--stack[-_]size=\d+$/.test(arg));
  return flag ? Number(flag.slice(flag.indexOf("=") + 1)) : usualKb;
}
