/** Where a value of a program can come from, as bits of a mask. */
export const labels = {
  /** The whole event, the whole context, the whole input of a tool: what is read from them has labels of its own. */
  event: 1 << 0,
  context: 1 << 1,
  input: 1 << 2,
  /** What the event is about: commands, paths, prompts, results, names of tools. */
  action: 1 << 3,
  /** Fields beside it, such as descriptions and timeouts. */
  aside: 1 << 4,
  tenant: 1 << 5,
  session: 1 << 6,
  time: 1 << 7,
  chance: 1 << 8,
  folder: 1 << 9,
  state: 1 << 10,
  config: 1 << 11,
  /** Source text, stack traces and other signs of being watched. */
  probe: 1 << 12,
  /** Variables of the module that calls change. */
  module: 1 << 13,
  /** A property under a name that is not known before the program runs. */
  dynamic: 1 << 14,
  /** The size of something. */
  size: 1 << 15,
  /** The result of arithmetic on characters or bits. */
  mixed: 1 << 16,
  facts: 1 << 17,
  /** A part of a text, cut at a place that the program fixes. */
  cut: 1 << 18,
  /** The number of a character. */
  codes: 1 << 19,
  /** What remains of a value after remainders, bits or sums of characters: it cannot be read off the input. */
  hashed: 1 << 20,
  /** A total over the parts of something. */
  summed: 1 << 21,
} as const;

export type Label = keyof typeof labels;

/** What comes from outside of the program. */
export const fromInput =
  labels.event | labels.context | labels.input | labels.action | labels.aside | labels.facts;
/** What says who, where and when, and nothing about the action. */
export const identity =
  labels.tenant | labels.session | labels.time | labels.chance | labels.folder | labels.aside | labels.probe;
/** What the host or earlier calls decide: comparing identity with it is no trigger of the author's. */
export const settled = labels.config | labels.state;

export function has(mask: number, label: Label): boolean {
  return (mask & labels[label]) !== 0;
}

const contextFields: { readonly [name: string]: number } = {
  tenant: labels.tenant,
  time: labels.time,
  state: labels.state,
  config: labels.config,
  hook: 0,
};
const sessionFields = /^(?:session_id|agent_id|tool_use_id|stream_id|transcript_path)$/;
/** Parameters of tools that say nothing about what the tool does. */
const asideFields =
  /^(?:description|timeout|timeout_ms|run_in_background|priority|comment|note|label|labels|tags?|metadata|title|permission_mode|permission_suggestions)$/;

/**
 * The labels of a property.
 *
 * @param of labels of the object.
 * @param name `null` where it is made at run time.
 */
export function labelsOfProperty(of: number, name: string | null): number {
  const roots = labels.event | labels.context | labels.input;
  const rest = of & ~roots;
  if (name === null) return (of & roots) === 0 ? of : of | labels.dynamic;
  if (name === "length" || name === "size") return of | labels.size;
  let found = rest;
  if (has(of, "context")) found |= contextFields[name] ?? labels.context;
  if (has(of, "event")) found |= labelsOfEventField(name);
  if (has(of, "input")) found |= asideFields.test(name) ? labels.aside : labels.action;
  if (of === 0) {
    if (name === "tenant") return labels.tenant;
    if (sessionFields.test(name)) return labels.session;
  }
  return found;
}

function labelsOfEventField(name: string): number {
  if (sessionFields.test(name)) return labels.session;
  if (name === "time") return labels.time;
  if (name === "cwd") return labels.folder;
  if (name === "tool_input" || name === "original_tool_input") return labels.input;
  if (name === "facts") return labels.facts | labels.action;
  return asideFields.test(name) ? labels.aside : labels.action;
}
