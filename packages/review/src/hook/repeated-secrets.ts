import { draft, type Draft } from "../draft.ts";
import { guestText } from "../guest-text.ts";
import type { Input } from "../run/input.ts";
import type { Run, Runner } from "../run/runner.ts";
import { inAddress, isSamePlace, textAt, textsOf } from "./leaks.ts";
import { ordinaryWord } from "./secret-forms.ts";

/** One event with three secrets of the same form. */
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

/** Shortest piece of a secret that counts as quoted. */
export const quoted = 3;

/** A secret without the beginning and the end that all of a form have. */
export function withoutShared(secret: string, all: readonly string[]): string {
  let [from, to] = [0, 0];
  while (from < secret.length && all.every((one) => one[from] === secret[from])) from++;
  while (to < secret.length - from && all.every((one) => one.at(-1 - to) === secret.at(-1 - to))) to++;
  return secret.slice(from, secret.length - to);
}

/** Shortest secret that a text must not repeat, and that a rewrite must not copy to another field. */
const wholeSecret = 14;
export const copiedSecret = 8;

/** What names a secret, in a text or in a pattern. */
export const secretNames =
  /authori[sz]ation|bearer|token|secret|passw|api[_-]?key|credential|cookie|private/i;

/** Actions whose text answers the model, and fields that it has written. */
const answers: ReadonlySet<string> = new Set(["deny", "ask", "block", "halt", "retry"]);
const ownWords = /^(?:tool_input|last_assistant_message|message)(?:\.|$)/;

/** Texts that repeat a secret: alone, taken out of the text that it stood in, or because it is one. */
export async function extracted(
  runner: Runner,
  [first]: readonly Run[],
  { secrets, path, original, ordinary }: Triple,
): Promise<readonly Draft[]> {
  const secret = withoutShared(secrets[0] ?? "", secrets);
  if (!first || secret.length < copiedSecret) return [];
  const repeating = [...textsOf(first).values()].filter(({ text }) => text.includes(secret));
  for (const { text, action, rewrites } of repeating)
    if (rewrites !== null && !isSamePlace(rewrites, path) && action !== "set_state")
      return [
        draft("leak-field", `\`${action}\` copies a secret from \`${path}\` to \`${rewrites}\``, [
          { label: rewrites, text: guestText(text, 400) },
          { label: "event", text: guestText(first.args[0], 400) },
        ]),
      ];
  for (const { text, action, rewrites } of textsOf(first).values())
    if (
      (rewrites === null || !isSamePlace(rewrites, path)) &&
      !text.includes(secret) &&
      isInPieces(text, secret)
    )
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
  const isLookedFor = ordinary === null && secretNames.test(secrets[0] ?? "");
  // A refusal quotes to the model what the model has written.
  const isQuote = answers.has(action) && ownWords.test(path);
  const severity = isLookedFor ? "high" : isQuote ? "low" : "medium";
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
  let covered = 0;
  const pieces: string[] = [];
  for (let at = 0; at < secret.length;) {
    let length = 0;
    while (at + length < secret.length && text.includes(secret.slice(at, at + length + 1))) length++;
    if (length > quoted) {
      covered += length;
      pieces.push(secret.slice(at, at + length).replaceAll(/^\W+|\W+$/g, ""));
    }
    at += Math.max(1, length);
  }
  // The same piece again is one secret twice.
  const different = pieces.filter((one) => !pieces.some((other) => other !== one && other.includes(one)));
  return new Set(different).size > 1 && covered > secret.length * 0.8;
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
