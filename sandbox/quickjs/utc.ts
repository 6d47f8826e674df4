/**
 * Takes the host's time zone away from the engine. The C library asks for it by two functions whose names the package
 * has shortened; what they do gives them away: one fills in the parts of a time, the other the names of the zone.
 */
export function inUtc(imports: WebAssembly.Imports, memory: WebAssembly.Memory): WebAssembly.Imports {
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
  let replaced = 0;
  const replace = (fn: unknown): unknown => {
    if (typeof fn !== "function" || !String(fn).includes("getTimezoneOffset")) return fn;
    replaced++;
    return fn.length === 2 ? toParts : toZone;
  };
  const result: WebAssembly.Imports = {};
  for (const [from, functions] of Object.entries(imports)) {
    result[from] = Object.fromEntries(Object.entries(functions).map(([name, fn]) => [name, replace(fn)]));
  }
  if (replaced !== 2) throw new Error("cannot find how the engine asks for the time zone");
  return result;
}
