import { HookwardenError } from "hookwarden/errors";

type Params = { readonly [name: string]: unknown };

/** The parameters of a request that hooks may read. */
export function shownParams(settings: Params, settable: readonly string[]): { [name: string]: unknown } {
  return Object.fromEntries(
    settable.flatMap((name) => (settings[name] === undefined ? [] : [[name, settings[name]]])),
  );
}

/**
 * A request's settings with the parameters that hooks set; `null` leaves them unchanged.
 *
 * @throws {HookwardenError} `event-invalid` for a parameter that hooks may not set.
 */
export function withParams<S extends object>(
  settings: S,
  set: Params | null,
  settable: readonly string[],
): S {
  if (set === null) return settings;
  const wrong = Object.keys(set).find((name) => !settable.includes(name));
  if (wrong !== undefined) {
    throw new HookwardenError(
      "event-invalid",
      `a hook set the request parameter ${JSON.stringify(wrong.slice(0, 64))}, which hooks may not set`,
    );
  }
  const next = { ...settings } as Record<string, unknown>;
  for (const name of settable) delete next[name];
  return { ...next, ...set } as unknown as S;
}
