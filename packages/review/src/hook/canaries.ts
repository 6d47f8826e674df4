import { leavesOf, withValue } from "@hookwarden/testing/mutate";
import type { Pattern } from "../program/words.ts";
import { draft, type Draft } from "../draft.ts";
import { harmless, isCommand } from "../explore/slots.ts";
import { guestText } from "../guest-text.ts";
import { effectWords } from "../run/effect.ts";
import { type Input, validEvent } from "../run/input.ts";
import { mapConcurrently, type Run, type Runner } from "../run/runner.ts";
import { touches } from "../run/touched.ts";
import { inAddress, textAt, textsOf } from "./leaks.ts";
import { type Form, forms, ordinaryOf, ordinaryWord, secretsOf } from "./secret-forms.ts";

/** Events that secrets are put into, and texts of one. */
const max = { bases: 8, leaves: 3, kept: 4 } as const;
/** Shortest piece of a secret that counts as quoted. */
const quoted = 3;
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
): Promise<readonly Draft[]> {
  const events = [...new Map(bases.map((base) => [base.event, base])).values()];
  for (const { state, secret, path, input } of kept.slice(0, max.kept))
    for (const base of events) {
      const after = await runner.run({
        ...base.input,
        state,
        label: `${base.input.label}; after ${input.label}`,
      });
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
            ),
          ];
    }
  return [];
}

export interface Triple {
  /** The text that the secrets were added to. */
  readonly original: string;
  /** What the hook said before they were. */
  readonly said: string | null;
  /** The event with ordinary words in place of a secret. */
  readonly ordinary: Input | null;
  readonly path: string;
  readonly secrets: readonly string[];
  readonly inputs: readonly Input[];
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
  const leaves = leavesOf(base.input.event, runner.seen)
    .filter(({ value, path }) => typeof value === "string" && touches(base, path.join(".")))
    .slice(-max.leaves);
  return leaves.flatMap(({ path }) =>
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
              original: text,
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
  const unquoted = (output: string, at: number): string => {
    const secret = secrets[at] ?? "";
    return withoutPieces(
      withoutPieces(output, secret, quotedWithPrefix),
      withoutShared(secret, secrets),
      quoted,
    );
  };
  const said = unquoted(first.output, 0);
  for (const [at, other] of others.entries()) {
    if (!other.answer.ok || other.output === null || effectWords(other.effect) !== effectWords(first.effect))
      continue;
    if (other.output === first.output || unquoted(other.output, at + 1) === said) continue;
    return [
      draft("leak-difference", `the output depends on a secret in \`${path}\` and does not just quote it`, [
        { label: `before (${secrets[0]})`, text: guestText(first.output, 400) },
        { label: `after (${secrets[at + 1]})`, text: guestText(other.output, 400) },
        { label: "event", text: guestText(first.args[0], 400) },
      ]),
    ];
  }
  return [];
}

/** A secret without the beginning and the end that all of a form have. */
function withoutShared(secret: string, all: readonly string[]): string {
  let [from, to] = [0, 0];
  while (from < secret.length && all.every((one) => one[from] === secret[from])) from++;
  while (to < secret.length - from && all.every((one) => one.at(-1 - to) === secret.at(-1 - to))) to++;
  return secret.slice(from, secret.length - to);
}

/** A text with every piece of a secret in it replaced, however its letters are written. */
function withoutPieces(text: string, secret: string, shortest: number): string {
  const [lower, wanted] = [text.toLowerCase(), secret.toLowerCase()];
  let out = "";
  for (let at = 0; at < text.length;) {
    let length = 0;
    for (let size = shortest; at + size <= text.length && wanted.includes(lower.slice(at, at + size)); size++)
      length = size;
    out += length > 0 ? "•" : text[at];
    at += Math.max(1, length);
  }
  return out.replaceAll(/•+/g, "•");
}

/** Shortest secret that a text must not repeat, and that a rewrite must not copy to another field. */
const wholeSecret = 14;
const copiedSecret = 8;

const secretNames = /authori[sz]ation|bearer|token|secret|passw|api[_-]?key|credential|cookie|private/i;

/** Texts that repeat a secret: alone, taken out of the text that it stood in, or because it is one. */
async function extracted(
  runner: Runner,
  [first]: readonly Run[],
  { secrets, path, original, ordinary }: Triple,
): Promise<readonly Draft[]> {
  const secret = withoutShared(secrets[0] ?? "", secrets);
  if (!first || secret.length < copiedSecret) return [];
  const repeating = [...textsOf(first).values()].filter(({ text }) => text.includes(secret));
  for (const { text, action, rewrites } of repeating)
    if (rewrites !== null && rewrites !== path && action !== "set_state")
      return [
        draft("leak-field", `\`${action}\` copies a secret from \`${path}\` to \`${rewrites}\``, [
          { label: rewrites, text: guestText(text, 400) },
          { label: "event", text: guestText(first.args[0], 400) },
        ]),
      ];
  for (const { text, action, rewrites } of textsOf(first).values())
    if (rewrites !== path && !text.includes(secret) && isInPieces(text, secret))
      return [
        draft("leak-encoded", `\`${action}\` contains a secret from \`${path}\` in pieces`, [
          { label: action, text: guestText(text, 400) },
          { label: "event", text: guestText(first.args[0], 400) },
        ]),
      ];
  const asked = textAt(first.input.event, path.split("."));
  for (const { text, action, rewrites } of repeating)
    // What runs a command twice copies all of it.
    if (rewrites === path && timesIn(text, secret) > timesIn(asked, secret) && timesIn(text, asked) < 2)
      return [
        draft("leak-field", `\`${action}\` copies a secret to another place in \`${path}\``, [
          { label: "before", text: guestText(asked, 400) },
          { label: "after", text: guestText(text, 400) },
        ]),
      ];
  const said = repeating.find(({ rewrites, action }) => rewrites === null && action !== "set_state");
  if (secret.length < wholeSecret || !said) return [];
  const { text, action } = said;
  const control = ordinary && (await runner.run(ordinary));
  const saysOrdinary =
    control && [...textsOf(control).values()].some((one) => one.text.includes(ordinaryWord));
  if (control && !saysOrdinary)
    return [
      draft(
        "leak-bulk",
        `\`${action}\` repeats a secret from \`${path}\`, where it does not repeat other words`,
        [
          { label: "before (ordinary words)", text: guestText(control.output ?? "(nothing)", 400) },
          { label: "after (a secret)", text: guestText(text, 400) },
          { label: "event", text: guestText(first.args[0], 400) },
        ],
      ),
    ];
  if (original.length < quoted || text.includes(original.slice(0, 40))) return [];
  // A pattern of the hook's own that names a secret looks for one.
  const severity = ordinary === null && secretNames.test(secrets[0] ?? "") ? "high" : "medium";
  return [
    draft(
      "leak-bulk",
      `\`${action}\` repeats a secret from \`${path}\``,
      [{ label: action, text: guestText(text, 400) }],
      { severity },
    ),
  ];
}

/** Whether nearly all of a secret stands in a text, each piece for itself: what is masked is not. */
function isInPieces(text: string, secret: string): boolean {
  let [covered, pieces] = [0, 0];
  for (let at = 0; at < secret.length;) {
    let length = 0;
    while (at + length < secret.length && text.includes(secret.slice(at, at + length + 1))) length++;
    if (length > quoted) [covered, pieces] = [covered + length, pieces + 1];
    at += Math.max(1, length);
  }
  return pieces > 1 && covered > secret.length * 0.8;
}

function timesIn(text: string, piece: string): number {
  return piece === "" ? 0 : text.split(piece).length - 1;
}

/** Whether a query begins with a part of the event that leads to the secret: clients encode its spaces. */
function inQuery(text: string, secret: string, event: string): boolean {
  return [...text.matchAll(/[a-z][a-z0-9+.-]{1,12}:[^\s?]{1,200}\?(?:[\w.-]{1,40}=)?([^\n]{1,2000})/gi)].some(
    ([, tail = ""]) => {
      const at = tail.indexOf(secret);
      return at > 0 && event.includes(tail.slice(0, at + secret.length));
    },
  );
}

export function addresses(runs: readonly Run[], secrets: readonly string[], path: string): readonly Draft[] {
  const [first] = runs;
  const secret = withoutShared(secrets[0] ?? "", secrets);
  if (!first || secret.length < quoted || inAddress(first.args[0], secret)) return [];
  for (const { text, action } of textsOf(first).values())
    if (inAddress(text, secret) || inQuery(text, secret, first.args[0]))
      return [
        draft("leak-address", `\`${action}\` writes a URL that contains a secret from \`${path}\``, [
          { label: action, text: guestText(text, 400) },
        ]),
      ];
  return [];
}
