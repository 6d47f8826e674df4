import { compileFunction } from "node:vm";

/**
 * Lets Fastify's router be built where the process makes no code from strings (`--disallow-code-generation-from-strings`).
 *
 * The router makes small functions out of the paths of its routes, with `new Function`. They are our own constants, and all
 * of it is done before the first request is heard: so for that time, and only in such a process, `Function` compiles as
 * Node.js compiles a module. Afterwards nothing makes code from strings, whatever comes in.
 *
 * @returns ends that time.
 */
export function allowRouterCode(): Disposable {
  if (!forbidsCode()) return { [Symbol.dispose]: () => undefined };
  if (building++ === 0) globalThis.Function = compiling;
  return {
    [Symbol.dispose]() {
      if (--building === 0) globalThis.Function = own;
    },
  };
}

const own = globalThis.Function;
/** Servers that are being built now. */
let building = 0;

const compiling = new Proxy(own, {
  construct: (_target, parts) => compile(parts),
  apply: (_target, _self, parts) => compile(parts),
});

function compile(parts: readonly unknown[]): object {
  const texts = parts.map(String);
  return compileFunction(texts.at(-1) ?? "", texts.slice(0, -1));
}

function forbidsCode(): boolean {
  try {
    return typeof own("") !== "function";
  } catch {
    return true;
  }
}
