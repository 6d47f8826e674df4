/** The built package, which is what users run: from its sources, every child would first strip the types of each file. */
const library = (await import(
  new URL("../../dist/index.js", import.meta.url).href
)) as typeof import("../../src/index.ts");
const sandbox = (await import(
  new URL("../../sandbox/dist/index.js", import.meta.url).href
)) as typeof import("../../sandbox/src/index.ts");

export const { createWarden, loadPack } = library;
export const { createSandbox } = sandbox;
