import loader from "@jitl/quickjs-ng-wasmfile-release-sync/emscripten-module";
import { engineBinary, enginePackageVersion } from "./binary.ts";
import { newText, throwInto } from "./imports.ts";
import { withoutHost } from "./without-host.ts";
import type { Exports } from "./exports.ts";

// The package's types describe its CommonJS form.
const createEmscriptenModule = loader as unknown as (options: object) => Promise<Exports>;

/** Bytes of one WebAssembly page. */
export const pageBytes = 65_536;
/** The pages that the engine's binary asks for at least. */
export const basePages = 256;

/** A single request of 512 MiB or more does not indicate exhausted memory. */
const absurdPages = 8_192;

/** One instantiated engine with a memory of fixed size. */
export interface EngineModule {
  readonly exports: Exports;
  readonly memory: WebAssembly.Memory;
  /**
   * What the host refused since this was last set to `null`: exhausted memory, or a single block that
   * exceeds any limit. The engine survives both, and throws an exception in the guest.
   */
  refused: "memory" | "absurd" | null;
  /** Asked every 10,000 steps; `true` ends the guest's code. */
  interrupt: () => boolean;
  /** What the guest last tried to import, cut; `null` if nothing since this was last set to `null`. */
  imported: string | null;
}

let compiled: WebAssembly.Module | undefined;

/** Compiles the engine once in a process. */
function compile(): WebAssembly.Module {
  compiled ??= new WebAssembly.Module(engineBinary());
  return compiled;
}

function unexpected(): never {
  throw new Error("the engine called a function that it was never given");
}

/**
 * Instantiates the engine. Its memory has `pages` pages and never grows: asking for more is refused, counted, and seen
 * by the guest as a failed allocation. Functions through which the engine could learn of the host are cut off by the
 * guest's prelude; guest output is never printed.
 */
export async function createModule(pages: number = basePages): Promise<EngineModule> {
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
  const module: EngineModule = {
    exports: undefined as unknown as Exports,
    memory,
    refused: null,
    interrupt: () => false,
    imported: null,
  };
  // The runtime's own `grow` would fail at the maximum as well; this one also notifies the host.
  memory.grow = (more) => {
    if (more < absurdPages) module.refused = "memory";
    else module.refused ??= "absurd";
    throw new RangeError("memory is of fixed size");
  };
  const wasm = compile();
  const exports = await createEmscriptenModule({
    wasmMemory: memory,
    noExitRuntime: true,
    print: () => undefined,
    printErr: () => undefined,
    instantiateWasm(
      imports: WebAssembly.Imports,
      done: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
    ) {
      done(new WebAssembly.Instance(wasm, withoutHost(imports, memory)), wasm);
      return {};
    },
    callbacks: {
      shouldInterrupt: () => (module.interrupt() ? 1 : 0),
      callFunction: unexpected,
      // Neither `import` nor `import()` finds anything: not even the program itself, since no name stays what it was.
      normalizeModule: (
        _self: unknown,
        _runtime: number,
        _context: number,
        _from: string,
        specifier: string,
      ) => {
        module.imported = specifier.slice(0, 80);
        return newText(module, `import of ${module.imported}`);
      },
      loadModuleSource: (_self: unknown, _runtime: number, context: number) => throwInto(module, context),
      freeHostRef: unexpected,
    },
  });
  return Object.assign(module, { exports });
}

/** Package and version of the engine, for the record. */
export const engineVersion: string = `quickjs-ng ${enginePackageVersion}`;
