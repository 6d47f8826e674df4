import { catalogueFields } from "../catalogue/lookup.ts";
import type { EventView } from "./event.ts";

/** What of a value a hook may see: all of it, or parts by name. */
type Part = true | ReadonlyMap<string, Part>;

/** Makes the JSON text of what one hook may see of an event. */
export type Projector = (view: EventView) => string;

/** Distinct projections of a plan share an id, so that each is serialised once for a state of the event. */
export class ProjectorPool {
  private readonly bySignature = new Map<string, Projector>();

  /**
   * Compiles read paths for an event. The text always has `hook_event_name`; every other field, `session_id` and `time`
   * included, is there only if it is read. `*` stands for all fields that the catalogue knows of the event; an unknown
   * extra field needs its name. A path such as `tool_input.command` keeps the structure around it; a segment goes into
   * an array only if it is a number, and elements that were not asked for are `null`. What is absent, or has another
   * shape than the path expects, is left out.
   */
  compile(event: string, reads: readonly string[]): Projector {
    const parts = partsOf(event, reads);
    const signature = `${event} ${JSON.stringify(describe(parts))}`;
    let projector = this.bySignature.get(signature);
    if (!projector) {
      projector = makeProjector(this.bySignature.size, event, parts);
      this.bySignature.set(signature, projector);
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
  root.delete("hook_event_name");
  return new Map([...root].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}

/** Adds a path. A whole field swallows its parts, whichever comes first. */
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

function makeProjector(id: number, event: string, parts: ReadonlyMap<string, Part>): Projector {
  const head = `{"hook_event_name":${JSON.stringify(event)}`;
  const names = [...parts.keys()];
  const keys = names.map((name) => `,${JSON.stringify(name)}:`);
  const wanted = [...parts.values()];
  return (view) => {
    const kept = view.kept(id);
    if (kept !== undefined) return kept;
    let text = head;
    for (let index = 0; index < names.length; index++) {
      const name = names[index] as string;
      if (!view.has(name)) continue;
      const part = wanted[index] as Part;
      if (part === true) {
        text += keys[index] as string;
        text += view.textOf(name);
      } else {
        const cut = select(view.fields[name], part);
        if (cut !== undefined) text += (keys[index] as string) + JSON.stringify(cut);
      }
    }
    return view.keep(id, `${text}}`);
  };
}

const arrayIndex = /^(?:0|[1-9]\d{0,5})$/;

/** The parts of a value that are there; `undefined` where none is. */
function select(value: unknown, part: Part): unknown {
  if (part === true) return value;
  if (typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value)) return selectElements(value, part);
  let cut: Record<string, unknown> | undefined;
  for (const [name, child] of part) {
    if (!Object.hasOwn(value, name)) continue;
    const inner = select((value as Record<string, unknown>)[name], child);
    if (inner === undefined) continue;
    // No prototype: a name such as `__proto__` is a key like any other.
    cut ??= Object.create(null) as Record<string, unknown>;
    cut[name] = inner;
  }
  return cut;
}

function selectElements(values: readonly unknown[], part: ReadonlyMap<string, Part>): unknown {
  let cut: unknown[] | undefined;
  for (const [name, child] of part) {
    if (!arrayIndex.test(name) || Number(name) >= values.length) continue;
    const inner = select(values[Number(name)], child);
    if (inner === undefined) continue;
    cut ??= [];
    cut[Number(name)] = inner;
  }
  return cut && Array.from(cut, (element) => (element === undefined ? null : element));
}
