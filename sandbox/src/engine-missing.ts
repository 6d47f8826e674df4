import type { EngineName } from "./contract.ts";

/** The package that an engine needs is not installed, or does not load on this machine. */
export class EngineMissingError extends Error {
  override readonly name = "EngineMissingError";
  readonly engine: EngineName;

  constructor(engine: EngineName, message: string, options?: ErrorOptions) {
    super(message, options);
    this.engine = engine;
  }
}
