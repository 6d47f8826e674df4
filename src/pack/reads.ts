import { actionRows, catalogueFields, legalActions, type EventName } from "../catalogue/index.ts";

/** All catalogue fields of an event, as a read path. */
const everything = "*";

/** The fields that `*` means at these events. */
function fieldsOf(events: readonly EventName[]): ReadonlySet<string> {
  return new Set(events.flatMap((event) => catalogueFields(event)));
}

function firstSegment(path: string): string {
  const dot = path.indexOf(".");
  return dot < 0 ? path : path.slice(0, dot);
}

/** Whether permission to read `wide` includes all of `narrow`. A field that no catalogue row names is never in `*`. */
function covers(wide: string, narrow: string, known: ReadonlySet<string>): boolean {
  if (wide === narrow || narrow.startsWith(`${wide}.`)) return true;
  return wide === everything && known.has(firstSegment(narrow));
}

/**
 * The paths that a hook may read: what it asks for, as far as it is granted. A grant of `tool_input` covers a wish for
 * `tool_input.command`, and the other way round the narrower path is what is left. Paths that another one covers are
 * left out. Without a grant, everything that is asked for is granted.
 */
export function grantedReads(
  asked: readonly string[],
  granted: readonly string[] | undefined,
  events: readonly EventName[],
): readonly string[] {
  const known = fieldsOf(events);
  const paths = new Set<string>();
  for (const request of asked) {
    if (granted === undefined || granted.some((grant) => covers(grant, request, known))) paths.add(request);
    else for (const grant of granted) if (covers(request, grant, known)) paths.add(grant);
  }
  const list = [...paths];
  return list.filter((path) => !list.some((other) => other !== path && covers(other, path, known)));
}

/**
 * The fields that an action always replaces, and that its hook must therefore read whole: a rewrite must never drop
 * what the hook could not see. A field that only an optional part of the action sets (`is_error`) is not among them:
 * left out, it stays as it was, and it has no parts that could be lost.
 */
export function replacedFields(action: string): readonly string[] {
  const row = actionRows.get(action);
  if (!row?.rewrites) return [];
  return Object.entries(row.rewrites)
    .filter(([payloadField]) => !row.payload[payloadField]?.optional)
    .map(([, field]) => field);
}

/** The first change that a hook may make to a field that it does not read whole; `null` where there is none. */
export function unreadChange(
  granted: ReadonlySet<string>,
  reads: readonly string[],
  events: readonly EventName[],
): { readonly action: string; readonly field: string; readonly event: EventName } | null {
  for (const event of events) {
    const known = fieldsOf([event]);
    for (const action of granted) {
      if (!legalActions(event).has(action)) continue;
      const field = replacedFields(action).find((name) => !reads.some((path) => covers(path, name, known)));
      if (field !== undefined) return { action, field, event };
    }
  }
  return null;
}
