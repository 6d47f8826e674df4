import { catalogueFields } from "../catalogue/index.ts";
import { type FactName, factsOf, factsRead, hostFactOf, hostFactsField, hostPrefix } from "../facts/index.ts";
import type { EventView } from "./event.ts";

/** What of a value a hook may see: all of it, or parts by name. */
type Part = true | ReadonlyMap<string, Part>;

/** Makes the JSON text of what one hook may see of an event. */
export type Projector = (view: EventView) => string;

/** Distinct projections of a plan share an id, so that each is serialised once for a state of the event. */
export class ProjectorPool {
  readonly #bySignature = new Map<string, Projector>();

  /**
   * Compiles read paths for an event. The text always has `hook_event_name`; every other field, `session_id` and `time`
   * included, is present only if it is read. `*` means all fields that the catalogue knows of the event; an unknown
   * extra field needs its name. A path such as `tool_input.command` keeps the structure around it; a segment goes into
   * an array only if it is a number, and elements that were not asked for are `null`. What is absent, or has another
   * shape than the path expects, is left out. Paths of facts, such as `facts.shell`, give what is derived from the event.
   */
  compile(event: string, reads: readonly string[]): Projector {
    const parts = partsOf(event, reads);
    const read = factsRead(reads);
    const facts = factsOf(event).filter((name) => read.includes(name));
    const ofHost = read
      .filter((name) => name.startsWith(hostPrefix))
      .map((name) => name.slice(hostPrefix.length));
    const signature = `${event} ${JSON.stringify(describe(parts))} ${facts.join()} ${ofHost.join()}`;
    let projector = this.#bySignature.get(signature);
    if (!projector) {
      projector = makeProjector(this.#bySignature.size, event, parts, [facts, ofHost]);
      this.#bySignature.set(signature, projector);
    }
    return projector;
  }
}

function partsOf(event: string, reads: readonly string[]): ReadonlyMap<string, Part> {
  const root = new Map<string, Part>();
  for (const path of reads) {
    if (path === "*") for (const field of catalogueFields(event)) root.set(field, true);
    else grow(root, path.split("."));
  }
  // A field of this name that comes with the event must not pass for the facts.
  root.delete("facts");
  root.delete(hostFactsField);
  root.delete("hook_event_name");
  return new Map([...root].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}

/** Adds a path. A whole field subsumes its parts, in either order. */
function grow(tree: Map<string, Part>, path: readonly string[]): void {
  const [head, ...rest] = path;
  if (head === undefined) return;
  const present = tree.get(head);
  if (present === true) return;
  if (rest.length === 0) {
    tree.set(head, true);
    return;
  }
  const branch = (present as Map<string, Part> | undefined) ?? new Map<string, Part>();
  tree.set(head, branch);
  grow(branch, rest);
}

function describe(part: Part): unknown {
  if (part === true) return true;
  return [...part]
    .map(([name, child]) => [name, describe(child)])
    .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
}

function makeProjector(
  id: number,
  event: string,
  parts: ReadonlyMap<string, Part>,
  [facts, ofHost]: readonly [facts: readonly FactName[], ofHost: readonly string[]],
): Projector {
  const head = `{"hook_event_name":${JSON.stringify(event)}`;
  const members = membersOf(parts);
  return (view) => {
    const kept = view.cachedProjection(id);
    if (kept !== undefined) return kept;
    let text = head;
    for (const { name, key, inner } of members) {
      if (!view.has(name)) continue;
      const value = inner === null ? view.textOf(name) : inner(view.fields[name]);
      if (value !== "") text += `,${key}${value}`;
    }
    const derived = facts.map((name) => `"${name}":${view.facts.textOf(name)}`);
    if (ofHost.length > 0) {
      const values = ofHost.map((name) => [name, hostFactOf(view.fields, name)]);
      derived.push(`"host":${JSON.stringify(Object.fromEntries(values))}`);
    }
    if (derived.length > 0) text += `,"facts":{${derived.join(",")}}`;
    return view.cacheProjection(id, `${text}}`);
  };
}

/** Writes the parts of a value that are there as JSON text; empty where none is. */
type Writer = (value: unknown) => string;

interface Member {
  readonly name: string;
  /** The name as JSON, with its colon. */
  readonly key: string;
  /** `null` where the whole value is wanted. */
  readonly inner: Writer | null;
}

function membersOf(parts: ReadonlyMap<string, Part>): readonly Member[] {
  return [...parts].map(([name, part]) => ({
    name,
    key: `${JSON.stringify(name)}:`,
    inner: part === true ? null : writerOf(part),
  }));
}

const arrayIndex = /^(?:0|[1-9]\d{0,5})$/;

function writerOf(parts: ReadonlyMap<string, Part>): Writer {
  const members = membersOf(parts);
  const elements = members
    .filter(({ name }) => arrayIndex.test(name))
    .sort((a, b) => Number(a.name) - Number(b.name));
  return (value) => {
    if (typeof value !== "object" || value === null) return "";
    return Array.isArray(value) ? writeArray(value, elements) : writeObject(value, members);
  };
}

function writeObject(value: object, members: readonly Member[]): string {
  let text = "";
  for (const { name, key, inner } of members) {
    if (!Object.hasOwn(value, name)) continue;
    const field = (value as Record<string, unknown>)[name];
    const written = inner === null ? JSON.stringify(field) : inner(field);
    if (written !== "") text += `${text === "" ? "{" : ","}${key}${written}`;
  }
  return text === "" ? "" : `${text}}`;
}

/** Elements that were not requested are written as `null` before those that were, to preserve indices. */
function writeArray(values: readonly unknown[], elements: readonly Member[]): string {
  let text = "";
  let length = 0;
  for (const { name, inner } of elements) {
    const index = Number(name);
    if (index >= values.length) break;
    const written = inner === null ? JSON.stringify(values[index]) : inner(values[index]);
    if (written === "") continue;
    text += `${"null,".repeat(index - length)}${written},`;
    length = index + 1;
  }
  return text === "" ? "" : `[${text.slice(0, -1)}]`;
}
