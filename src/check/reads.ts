import { quote } from "@hookwarden/sandbox/json";
import { catalogueFields, eventNames } from "../catalogue/index.ts";
import { didYouMean, nearestName } from "../errors/index.ts";
import { type AcceptedHook, hookManifestFile, replacedFields } from "../pack/index.ts";
import type { Usage } from "./lint/index.ts";
import { type Finding, finding } from "./finding.ts";

/** Fewest names of fields that make `*` worth its while. */
const manyFields = 6;
/** In every projection, whatever a hook reads. */
const always = "hook_event_name";

/** Compares the fields that a hook asks for with those of its events and those that its code names. */
export function checkReads(accepted: AcceptedHook, usage: Usage): readonly Finding[] {
  const { hook } = accepted;
  const fields = new Set<string>(hook.on.flatMap(({ event }) => catalogueFields(event)));
  const found = hook.manifest.reads.flatMap((path, index) => {
    const problem =
      path === "*" ? allRead(accepted, usage, fields) : readProblem(accepted, path, usage, fields);
    if (problem === null) return [];
    const place = { file: manifestOf(accepted), pointer: `/reads/${index}` };
    return [finding(problem.code, hook.name, problem.message, place)];
  });
  return [...found, ...unreadFields(accepted, usage, fields)];
}

interface Problem {
  readonly code: "read-unknown" | "read-unused" | "reads-everything";
  readonly message: string;
}

function allRead(
  { hook }: AcceptedHook,
  { names, takesAll }: Usage,
  fields: ReadonlySet<string>,
): Problem | null {
  if (takesAll) return null;
  const needed = rewritten(hook);
  const used = [...fields].filter((field) => names.includes(field) || needed.has(field));
  if (used.length >= manyFields) return null;
  const list = used.length === 0 ? "no field" : used.map(quote).join(", ");
  return { code: "reads-everything", message: `the hook reads \`*\`, and its code names ${list}` };
}

function readProblem(
  { hook }: AcceptedHook,
  path: string,
  { names, takesAll }: Usage,
  fields: ReadonlySet<string>,
): Problem | null {
  const [first = "", ...rest] = path.split(".");
  const near = nearestName(first, fields);
  if (!fields.has(first) && (near !== null || isOfAnotherEvent(first))) {
    const events = [...new Set(hook.on.map(({ event }) => event))].join(", ");
    return {
      code: "read-unknown",
      message: `${events} has no field ${quote(first)}${didYouMean(first, fields)}`,
    };
  }
  const isNeeded = names.includes(first) || rewritten(hook).has(first);
  const unnamed = isNeeded ? rest.find((part) => !names.includes(part)) : first;
  if (unnamed === undefined || takesAll) return null;
  const meant = nearestName(
    unnamed,
    names.filter((name) => name !== unnamed),
  );
  const hint = meant === null ? "" : `, but ${quote(meant)}`;
  const message = `the hook reads ${quote(path)}, and its code does not name ${quote(unnamed)}${hint}`;
  return { code: "read-unused", message };
}

function isOfAnotherEvent(field: string): boolean {
  return eventNames.some((event) => (catalogueFields(event) as readonly string[]).includes(field));
}

/** What the code takes from the event although the manifest does not ask for it. */
function unreadFields(
  accepted: AcceptedHook,
  { eventFields }: Usage,
  fields: ReadonlySet<string>,
): readonly Finding[] {
  const { hook } = accepted;
  const reads = new Set(hook.manifest.reads.map((path) => path.split(".", 1)[0]));
  if (reads.has("*")) return [];
  return eventFields
    .filter((field) => field !== always && fields.has(field) && !reads.has(field))
    .map((field) => {
      const message = `the code uses \`event.${field}\`, which is not in \`reads\`: it is always \`undefined\``;
      return finding("field-unread", hook.name, message, { file: manifestOf(accepted), pointer: "/reads" });
    });
}

/** A rewrite must read its field whole, whether the code looks at it or not. */
function rewritten({ manifest }: AcceptedHook["hook"]): ReadonlySet<string> {
  return new Set(manifest.actions.flatMap((action) => replacedFields(action)));
}

function manifestOf({ folder }: AcceptedHook): string {
  return `${folder}/${hookManifestFile}`;
}
