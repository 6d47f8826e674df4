import type { Value } from "./values.ts";

/** The variables of a function. */
export class Scope {
  readonly #values = new Map<string, Value>();
  readonly #outer: Scope | undefined;

  constructor(outer?: Scope) {
    this.#outer = outer;
  }

  get(name: string): Value | undefined {
    return this.#values.get(name) ?? this.#outer?.get(name);
  }

  declare(name: string, value: Value): void {
    this.#values.set(name, value);
  }

  set(name: string, value: Value): void {
    if (this.#values.has(name) || this.#outer?.get(name) === undefined) this.declare(name, value);
    else this.#outer.set(name, value);
  }
}
