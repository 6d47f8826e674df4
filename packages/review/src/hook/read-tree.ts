import { catalogueFields, type EventName } from "hookwarden/catalogue";
import type { ReadPath } from "../report.ts";
import type { Recording } from "../instrumented/recording.ts";

/** Whether declared read paths cover a path of an event. */
export function coversPath(reads: readonly string[], path: readonly string[], event: string): boolean {
  return reads.some((read) => {
    if (read === "*") return catalogueFields(event).includes(path[0] ?? "");
    const segments = read.split(".");
    return segments.every(
      (segment, at) => path[at] === segment || (path[at] === "*" && /^\d+$/.test(segment)),
    );
  });
}

interface Entry {
  values: number;
  /** Values that were not there: on the way to a deeper path they end the way, and say nothing more. */
  absent: number;
  asked: number;
  listed: number;
  objects: number;
  calls: number;
  present: boolean;
  readonly path: readonly string[];
  readonly events: Set<EventName>;
}

/** Collects what was read in many calls. */
export class ReadTree {
  readonly #event = new Map<string, Entry>();
  readonly #context = new Map<string, Entry>();
  #clock = 0;
  #clockCalls = 0;
  #chance = 0;
  #chanceCalls = 0;
  calls = 0;

  add(event: EventName, watched: Recording): void {
    this.calls++;
    if (watched.clock > 0) this.#clockCalls++;
    if (watched.chance > 0) this.#chanceCalls++;
    this.#clock += watched.clock;
    this.#chance += watched.chance;
    const seen = new Set<Entry>();
    for (const { of, path, how, present, count } of watched.reads) {
      const tree = of === "event" ? this.#event : this.#context;
      const key = JSON.stringify(path);
      let entry = tree.get(key);
      if (!entry) {
        entry = {
          values: 0,
          absent: 0,
          asked: 0,
          listed: 0,
          objects: 0,
          calls: 0,
          present: false,
          path,
          events: new Set(),
        };
        tree.set(key, entry);
      }
      if (how === "value") {
        entry.values += count;
        if (!present) entry.absent += count;
      } else if (how === "asked") entry.asked += count;
      else if (how === "listed") entry.listed += count;
      else entry.objects += count;
      entry.present ||= present;
      entry.events.add(event);
      if (!seen.has(entry)) entry.calls++;
      seen.add(entry);
    }
  }

  /** Paths of events that were read, most often read first; objects that were only gone through are left out. */
  paths(): readonly ReadPath[] {
    return this.#list(this.#event);
  }

  context(): readonly ReadPath[] {
    const own = (path: string, values: number, calls: number): readonly ReadPath[] =>
      values === 0 ? [] : [{ path, values, asked: 0, listed: 0, calls, events: [], present: true }];
    return [
      ...this.#list(this.#context),
      ...own("(clock)", this.#clock, this.#clockCalls),
      ...own("(chance)", this.#chance, this.#chanceCalls),
    ];
  }

  /** The least `reads` that covers all that was read, within what is declared. */
  smallest(declared: readonly string[], events: readonly EventName[]): readonly string[] {
    const needed = new Set<string>();
    for (const entry of this.#event.values()) {
      const { path, values, absent, asked, listed } = entry;
      if (path[0] === "hook_event_name") continue;
      if (values - absent + asked + listed === 0 && this.#goesOn(path)) continue;
      if (path.length === 0) {
        needed.add("*");
        continue;
      }
      if (
        !events.some((event) => coversPath(declared, path, event)) &&
        !declared.some((read) => read.startsWith(`${path.join(".")}.`))
      )
        continue;
      needed.add(toManifestPath(path));
    }
    const all = [...needed].sort();
    if (all.includes("*")) {
      // Fields that are not of the catalogue are never in `*`.
      const known = new Set(events.flatMap((event) => catalogueFields(event)));
      return all.filter((path) => path === "*" || !known.has(path.split(".")[0] ?? ""));
    }
    return all.filter((path) => !all.some((wide) => path !== wide && path.startsWith(`${wide}.`)));
  }

  /** Whether any path below this one, or this one, was read. */
  touches(read: string): boolean {
    const segments = read.split(".");
    return [...this.#event.values()].some(({ path }) =>
      path.length === 0
        ? false
        : segments.every(
            (segment, at) => path[at] === undefined || path[at] === segment || path[at] === "*",
          ) &&
          path.length >= 1 &&
          path[0] === segments[0] &&
          path.length >= segments.length,
    );
  }

  readsContext(name: string): boolean {
    if (name === "(clock)") return this.#clock > 0;
    if (name === "(chance)") return this.#chance > 0;
    return [...this.#context.values()].some(({ path }) => path[0] === name);
  }

  readsField(name: string): boolean {
    return [...this.#event.values()].some(({ path }) => path[0] === name && path.length > 0);
  }

  #goesOn(path: readonly string[]): boolean {
    return [...this.#event.values()].some(
      (other) => other.path.length > path.length && path.every((segment, at) => other.path[at] === segment),
    );
  }

  #list(tree: ReadonlyMap<string, Entry>): readonly ReadPath[] {
    return [...tree.values()]
      .filter(
        ({ values, absent, asked, listed, path }) =>
          values - absent + asked + listed > 0 || !this.#goesOn(path),
      )
      .map(({ path, values, asked, listed, objects, calls, events, present }) => ({
        path: path.join(".") || "(all)",
        values: values + (values + asked + listed === 0 ? objects : 0),
        asked,
        listed,
        calls,
        events: [...events],
        present,
      }))
      .sort((a, b) => b.calls - a.calls || (a.path < b.path ? -1 : 1));
  }
}

/** A path as a manifest can say it: not below an array, and without keys that have a dot. */
function toManifestPath(path: readonly string[]): string {
  const end = path.findIndex((segment) => segment === "*" || segment.includes(".") || segment === "");
  return (end < 0 ? path : path.slice(0, Math.max(1, end))).join(".");
}
