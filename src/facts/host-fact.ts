import { type NotKnown, notKnown } from "./fact.ts";

/** The field of an event in which the facts of its host are. The broker's host sets it; no event brings its own. */
export const hostFactsField = "host_facts";

/** Facts of a host are read as `facts.host.NAME`. */
export const hostPrefix = "host.";

const hostName = /^[a-z][a-zA-Z0-9_]{0,63}$/;

/** Whether a name, without `host.`, can be that of a fact of a host. */
export function isHostFactName(name: string): boolean {
  return hostName.test(name);
}

/** A fact of the host as it is recorded with the event: its value, or `null` if it could not be derived. */
export interface HostFactRecord {
  readonly version: string;
  readonly value: object | null;
}

/** A fact of the host as hooks see it. */
export function hostFactOf(
  fields: { readonly [field: string]: unknown },
  name: string,
): NotKnown | { readonly ok: true; readonly [member: string]: unknown } {
  const all = fields[hostFactsField];
  if (typeof all !== "object" || all === null || !Object.hasOwn(all, name)) return notKnown("absent");
  const { value } = (all as { readonly [name: string]: Partial<HostFactRecord> | null })[name] ?? {};
  return typeof value === "object" && value !== null ? { ...value, ok: true } : notKnown("host");
}
