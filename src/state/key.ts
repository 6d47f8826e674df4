import type { StateKey } from "./store.ts";

/** One text for a key; different keys have different texts. Names of hooks contain no `/`. */
export function keyText({ tenant, hook, scope, session }: StateKey): string {
  return `${hook}/${scope}/${tenant.length}/${tenant}${session}`;
}
