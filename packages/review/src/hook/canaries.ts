import { leavesOf, withValue, wordsOf } from "@hookwarden/testing/mutate";
import type { Pattern } from "../program/patterns.ts";
import { draft, type Draft } from "../draft.ts";
import { harmless, isCommand } from "../explore/slots.ts";
import { guestText } from "../guest-text.ts";
import { effectWords } from "../run/effect.ts";
import { type Input, validEvent } from "../run/input.ts";
import { mapConcurrently, type Run, type Runner } from "../run/runner.ts";
import { touches } from "../run/touched.ts";
import { isReminder, textAt, textsOf } from "./leaks.ts";
import {
  addresses,
  copiedSecret,
  extracted,
  quoted,
  secretNames,
  type Triple,
  withoutShared,
} from "./repeated-secrets.ts";
import { type Form, forms, ordinaryOf, secretsOf } from "./secret-forms.ts";

/** Events that secrets are put into, texts of one, secrets that are followed, and texts that are matched. */
const max = { bases: 8, leaves: 3, kept: 4, words: 16 } as const;
/** The same where its prefix counts too, which every secret of a form has. */
const quotedWithPrefix = 5;

/**
 * Puts pairs of secrets of the same form into events and compares what the hook says, byte for byte: its texts, its
 * rewrites and its state. What differs in more than the quoted secret itself carries it out.
 */
export async function canaryFindings(
  runner: Runner,
  bases: readonly Run[],
  patterns: readonly Pattern[],
): Promise<readonly Draft[]> {
  const found: Draft[] = [];
  const all = [...forms, ...secretsOf(patterns)];
  const tried = bases.slice(0, max.bases).flatMap((base) => triples(runner, base, all));
  const runs = await mapConcurrently(tried, (triple) => runsOf(runner, triple), runner.signal);
  for (const [at, own] of runs.entries()) {
    const { secrets, path } = tried[at] as Triple;
    found.push(
      ...differences(own, secrets, path),
      ...addresses(own, secrets, path),
      ...(await extracted(runner, own, tried[at] as Triple)),
    );
    if (found.length >= 6) break;
  }
  found.push(
    ...(await disclosed(
      runner,
      bases,
      runs.flatMap((own, at) => keptSecret(own, tried[at] as Triple)),
      patterns,
    )),
  );
  return found;
}

interface Kept {
  readonly state: string;
  readonly secret: string;
  readonly path: string;
  readonly input: Input;
}

/** A secret that is in what a hook stores for its next call. */
function keptSecret([first]: readonly Run[], { secrets, path }: Triple): readonly Kept[] {
  const secret = withoutShared(secrets[0] ?? "", secrets);
  if (!first?.answer.ok || secret.length < copiedSecret || !first.answer.state?.includes(secret)) return [];
  return [{ state: first.answer.state, secret, path, input: first.input }];
}

/** Decides other events with what was stored, and looks for the secret in what is said there. */
async function disclosed(
  runner: Runner,
  bases: readonly Run[],
  kept: readonly Kept[],
  patterns: readonly Pattern[],
): Promise<readonly Draft[]> {
  if (kept.length === 0) return [];
  const first = [...new Map(bases.map((base) => [base.event, base])).values()];
  const events = [
    ...first.map((base) => base.input),
    ...first.flatMap((base) => matchedInputs(runner, base, patterns)),
  ];
  for (const { state, secret, path, input } of kept.slice(0, max.kept))
    for (const event of events) {
      const after = await runner.run({ ...event, state, label: `${event.label}; after ${input.label}` });
      if (!after?.answer.ok) continue;
      for (const { text, action } of textsOf(after).values())
        if (action !== "set_state" && text.includes(secret))
          return [
            draft(
              "leak-state",
              `a secret from \`${path}\` is stored and disclosed by \`${action}\` at another event`,
              [
                { label: action, text: guestText(text, 400) },
                { label: "event", text: guestText(after.args[0], 400) },
              ],
              {
                severity:
                  isNamedPlace(runner, path, action) ||
                  (await isNote(runner, { path, secret, input }, patterns))
                    ? "medium"
                    : "high",
              },
            ),
          ];
    }
  return [];
}

/** Whether a refusal names to the same session the file or the address that the agent has used before. */
function isNamedPlace(runner: Runner, path: string, action: string): boolean {
  return (
    runner.hook.state?.scope === "session" &&
    /^(?:deny|ask|block|halt)$/.test(action) &&
    /(?:^|\.)(?:file_path|path|notebook_path|ur[il])$/.test(path)
  );
}

/** Whether what was kept is a note as people write them: any word is kept, and the hook looks for no secrets. */
async function isNote(
  runner: Runner,
  { path, secret, input }: Omit<Kept, "state">,
  patterns: readonly Pattern[],
): Promise<boolean> {
  if (!isReminder({ path }, runner.hook.state?.scope ?? null)) return false;
  if (patterns.some(({ source }) => secretNames.test(source) || /keys?(?![a-z])/i.test(source))) return false;
  const text = textAt(input.event, path.split(".")).replace(secret, () => shortWord);
  const event = validEvent(withValue(input.event, path.split("."), text));
  const run = event && (await runner.run({ ...input, event }));
  return run !== null && run.answer.ok && run.answer.state?.includes(shortWord) === true;
}

const shortWord = "milk";

/** Events with texts that the hook's patterns match: what it waits for may be one. */
function matchedInputs(runner: Runner, base: Run, patterns: readonly Pattern[]): readonly Input[] {
  const words = patterns.flatMap(({ source, flags }) => wordsOf(source, flags).slice(0, 2));
  return textPaths(runner, base).flatMap((path) =>
    words.slice(0, max.words).flatMap((word) => {
      const event = validEvent(withValue(base.input.event, path, word));
      return event ? [{ ...base.input, origin: "made" as const, event }] : [];
    }),
  );
}

/** The last texts of an event that the hook reads. The name of a tool is no data. */
function textPaths(runner: Runner, base: Run): readonly (readonly string[])[] {
  return leavesOf(base.input.event, runner.seen)
    .filter(
      ({ value, path }) =>
        typeof value === "string" && path[0] !== "tool_name" && touches(base, path.join(".")),
    )
    .map(({ path }) => path)
    .slice(-max.leaves);
}

/** The runs with each secret, as long as there is something to compare: if two leave no trace, a third does not either. */
export async function runsOf(runner: Runner, { inputs, said }: Triple): Promise<readonly Run[]> {
  const all: Run[] = [];
  for (const input of inputs) {
    const run = await runner.run(input);
    if (run) all.push(run);
    if (run?.output === null || (all.length > 1 && all.every(({ output }) => output === said))) break;
  }
  return all;
}

/** The ways to put a secret where what quotes its surroundings does not reach the rest, and into a command before it. */
const [far, exported] = [2, 3];
const between = "\nThe lines here say nothing of it, and there are enough of them. ".repeat(6);

function farFrom(text: string, word: string, added: readonly string[]): string | undefined {
  // First, so that it is what a search finds.
  return added.length > 0 && !added[0]?.includes("#") ? `${word}\n${between}\n${text}` : undefined;
}

function commandWith(path: string, text: string, word: string): string | undefined {
  return isCommand(path) && text !== "" ? `export ${word} && ${text}` : undefined;
}

/** Some forms again: on a line of their own, since what quotes lines repeats them alone, and far from the rest. */
function ownLine(all: readonly Form[]): readonly (readonly [Form, number])[] {
  const some = [...all.slice(0, 2), ...all.slice(forms.length, forms.length + 3)];
  const labelled = all.filter(([prefix]) => prefix === "token: " || prefix === "API_KEY=");
  return [
    ...some.map((form) => [form, 1] as const),
    ...[...some.slice(0, 1), ...labelled].map((form) => [form, far] as const),
    ...all.filter(([prefix]) => prefix === "API_KEY=").map((form) => [form, exported] as const),
  ];
}

function triples(runner: Runner, base: Run, all: readonly Form[]): readonly Triple[] {
  return textPaths(runner, base).flatMap((path) =>
    [...all.map((form) => [form, 0] as const), ...ownLine(all)].flatMap(([form, way]) => {
      const [prefix, ...secrets] = form;
      const words = secrets.map((secret) => `${prefix}${secret}`);
      const text = textAt(base.input.event, path);
      const withWord = (word: string): Input | null => {
        const added = harmless(path.join("."), text, word);
        const value =
          way === far
            ? farFrom(text, word, added)
            : way === exported
              ? commandWith(path.join("."), text, word)
              : (added[way] ?? `${text} ${word}`);
        const event = value === undefined ? null : validEvent(withValue(base.input.event, path, value));
        return event && { ...base.input, origin: "made", label: `${base.input.label}; with a secret`, event };
      };
      const inputs = words.flatMap((word) => withWord(word) ?? []);
      return inputs.length === words.length
        ? [
            {
              path: path.join("."),
              // What quotes its surroundings too does not pick secrets.
              original: way === far ? between.trim() : text,
              said: base.output,
              // What a hook looks for by a pattern of its own need be no secret.
              ordinary: forms.includes(form) ? withWord(ordinaryOf(prefix, secrets[0] ?? "")) : null,
              secrets: words,
              inputs,
            },
          ]
        : [];
    }),
  );
}

export function differences(
  runs: readonly Run[],
  secrets: readonly string[],
  path: string,
): readonly Draft[] {
  const [first, ...others] = runs;
  if (!first?.answer.ok || first.output === null) return [];
  const unquoted = (output: string, secret: string, other: string): string =>
    withoutPieces(
      withoutPieces(withoutMasked(output, secret).replaceAll(secret, "•"), secret, quotedWithPrefix, other),
      withoutShared(secret, secrets),
      quoted,
      other,
    );
  for (const [at, other] of others.entries()) {
    if (!other.answer.ok || other.output === null || effectWords(other.effect) !== effectWords(first.effect))
      continue;
    const said = unquoted(first.output, secrets[0] ?? "", other.output);
    if (other.output === first.output || unquoted(other.output, secrets[at + 1] ?? "", first.output) === said)
      continue;
    return [
      draft(
        "leak-difference",
        `the output depends on a secret in \`${path}\` and does not just quote it`,
        [
          { label: `before (${secrets[0]})`, text: guestText(first.output, 400) },
          { label: `after (${secrets[at + 1]})`, text: guestText(other.output, 400) },
          { label: "event", text: guestText(first.args[0], 400) },
        ],
        // What is only kept is seen by the hook alone; what it says of it is looked for too.
        { severity: sayings(first) === sayings(other) ? "medium" : "high" },
      ),
    ];
  }
  return [];
}

/** What a run says to others: its texts but those that it keeps. */
function sayings(run: Run): string {
  return JSON.stringify([...textsOf(run).values()].filter(({ action }) => action !== "set_state"));
}

/** The first characters that people know a secret by, before the sign that replaces the rest. */
const masked = /(?<![\w-])[\w-]{1,4}(?=\u2026|\.{3}|\*{3})/g;

function withoutMasked(text: string, secret: string): string {
  return text.replaceAll(masked, (part) => (secret.startsWith(part) ? "•" : part));
}

/**
 * A text with every piece of a secret in it replaced, however its letters are written. What the other text has too was
 * not quoted from this secret.
 */
function withoutPieces(text: string, secret: string, shortest: number, otherText: string): string {
  const [lower, wanted, other] = [text.toLowerCase(), secret.toLowerCase(), otherText.toLowerCase()];
  let out = "";
  for (let at = 0; at < text.length;) {
    let length = shortest - 1;
    while (at + length < text.length && wanted.includes(lower.slice(at, at + length + 1))) length++;
    if (length < shortest || other.includes(lower.slice(at, at + length))) length = 0;
    out += length > 0 ? "•" : text[at];
    at += Math.max(1, length);
  }
  return out.replaceAll(/•+/g, "•");
}
