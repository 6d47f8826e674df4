import { leavesOf, withValue } from "@hookwarden/testing/mutate";
import type { Pattern } from "../program/words.ts";
import { draft, type Draft } from "../draft.ts";
import { harmless, isCommand } from "../explore/slots.ts";
import { guestText } from "../guest-text.ts";
import { effectWords } from "../run/effect.ts";
import { type Input, validEvent } from "../run/input.ts";
import { mapConcurrently, type Run, type Runner } from "../run/runner.ts";
import { touches } from "../run/touched.ts";
import { textAt, textsOf } from "./leaks.ts";
import {
  addresses,
  copiedSecret,
  extracted,
  quoted,
  type Triple,
  withoutShared,
} from "./repeated-secrets.ts";
import { type Form, forms, ordinaryOf, secretsOf } from "./secret-forms.ts";

/** Events that secrets are put into, and texts of one. */
const max = { bases: 8, leaves: 3, kept: 4 } as const;
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
