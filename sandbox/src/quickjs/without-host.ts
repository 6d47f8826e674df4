/**
 * Takes the host's clock, time zone and environment away from the engine, which needs none of them: with them no two
 * machines would have the same memory. The C library asks by functions whose names the package has shortened; what they
 * do gives them away.
 */
export function withoutHost(imports: WebAssembly.Imports, memory: WebAssembly.Memory): WebAssembly.Imports {
  const view = new DataView(memory.buffer);
  const toParts = (seconds: bigint, at: number): void => {
    const time = new Date(Number(seconds) * 1_000);
    const year = time.getUTCFullYear();
    const dayOfYear = Math.floor((time.getTime() - Date.UTC(year, 0, 1)) / 86_400_000);
    const parts = [
      time.getUTCSeconds(),
      time.getUTCMinutes(),
      time.getUTCHours(),
      time.getUTCDate(),
      time.getUTCMonth(),
      year - 1_900,
      time.getUTCDay(),
      dayOfYear,
      0,
      0,
    ];
    for (const [index, part] of parts.entries()) view.setInt32(at + 4 * index, part, true);
  };
  const toZone = (offset: number, hasSummer: number, standard: number, summer: number): void => {
    view.setInt32(offset, 0, true);
    view.setInt32(hasSummer, 0, true);
    const name = Buffer.from("UTC\0");
    for (const at of [standard, summer]) new Uint8Array(memory.buffer).set(name, at);
  };
  const readClock = (_clock: number, _precision: bigint, at: number): number => {
    view.setBigInt64(at, 0n, true);
    return 0;
  };
  const countEnvironment = (count: number, bytes: number): number => {
    view.setUint32(count, 0, true);
    view.setUint32(bytes, 0, true);
    return 0;
  };
  const replacements: readonly (readonly [RegExp, arity: number, (...args: never[]) => unknown])[] = [
    [/getTimezoneOffset/, 2, toParts],
    [/getTimezoneOffset/, 4, toZone],
    [/Date\.now\(\)/, 3, readClock],
    [/Date\.now\(\)/, 0, () => 0],
    [/=(\w+)\(\);.*\.length;/, 2, countEnvironment],
    [/for\(\w+ of \w+\(\)\)/, 2, () => 0],
  ];
  let replaced = 0;
  const replace = (fn: unknown): unknown => {
    if (typeof fn !== "function") return fn;
    const found = replacements.find(([text, arity]) => fn.length === arity && text.test(String(fn)));
    if (found === undefined) return fn;
    replaced++;
    return found[2];
  };
  const result: WebAssembly.Imports = {};
  for (const [from, functions] of Object.entries(imports)) {
    result[from] = Object.fromEntries(
      Object.entries(functions).map(([name, fn]) => [name, replace(fn)]),
    ) as WebAssembly.Imports[string];
  }
  if (replaced !== replacements.length) throw new Error("cannot find what the engine asks its host");
  return result;
}
