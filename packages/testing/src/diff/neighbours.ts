import { HookwardenError } from "hookwarden/errors";
import { eventRows } from "hookwarden/catalogue";
import type { LoadedHook } from "hookwarden/pack";
import { type DiffEvent, diffEvent } from "./event.ts";
import type { BeforeAfter } from "./before-after.ts";
import { type Leaf, leavesOf, withValue } from "../mutate/event-leaves.ts";
import { matcherNames } from "../mutate/matcher-names.ts";
import { textMutations } from "../mutate/text-mutations.ts";
import { type Tokens, tokensOf, tokensOfJson } from "../mutate/tokens.ts";

/** A hook that is not the same in both versions, and the events to start from: the most telling ones first. */
export interface Subject {
  readonly hooks: BeforeAfter<LoadedHook>;
  readonly bases: readonly DiffEvent[];
}

/** A change to an event, not yet made. */
interface Draft {
  readonly base: DiffEvent;
  readonly how: string;
  readonly path: readonly string[];
  readonly value: unknown;
}

/** Most words of a text that are replaced one by one. */
const maxWords = 8;
/** Ways to put a token into a text as a whole; from here on it stands for one of the words. */
const wordWays = 4;
/** Lengths that texts are brought to, in characters. */
const lengths = { min: 8, max: 131_072 } as const;
const edgeNumbers = [0, 1, -1, 2 ** 31, Number.MAX_SAFE_INTEGER] as const;
const maxEventLength = 200_000;

/**
 * Events near the given ones, for hooks that changed: what stands in one version of a script and not in the other comes
 * first, then the two together with what stands in both, other spellings, numbers at their edges, and fields left out.
 * The same input gives the same events in the same order. Each has a session of its own.
 */
export function neighbours(subjects: readonly Subject[], count: number): readonly DiffEvent[] {
  const made = new Map<string, DiffEvent>();
  const streams = subjects.flatMap((subject) => streamsOf(subject));
  // In turn, so that no hook and no kind of change takes all the room.
  while (streams.length > 0 && made.size < count) {
    for (let at = 0; at < streams.length && made.size < count;) {
      const { value, done } = (streams[at] as Iterator<Draft, void>).next();
      if (done) {
        streams.splice(at, 1);
        continue;
      }
      at++;
      const fields = withValue(value.base.fields, value.path, value.value);
      const key = JSON.stringify({ ...fields, session_id: "" });
      if (made.has(key) || key.length > maxEventLength) continue;
      const event = eventOf(fields, value, made.size);
      if (event) made.set(key, event);
    }
  }
  return [...made.values()];
}

function eventOf(fields: object, { base, how, path }: Draft, index: number): DiffEvent | null {
  const id = `explore-${index}`;
  const place = `${base.place}, \`${path.join(".")}\`: ${how}`;
  try {
    return diffEvent({ ...fields, session_id: id }, "neighbour", place, id);
  } catch (error) {
    // No event any more: a field that must be there, or a text that is too long.
    if (error instanceof HookwardenError) return null;
    throw error;
  }
}

function streamsOf({ hooks, bases }: Subject): Iterator<Draft, void>[] {
  const reads = [...new Set([...hooks.old.reads, ...hooks.new.reads])];
  const old = allTokens(hooks.old);
  const next = allTokens(hooks.new);
  const { changed, shared } = sortTexts(old.texts, next.texts);
  const numbers = [...new Set([...old.numbers, ...next.numbers])];
  const around = bases.map((base) => ({ base, leaves: leavesOf(base.fields, reads) }));
  return [
    withTokens(around, changed, 0, wordWays),
    withTokens(around, changed, wordWays, wordWays + maxWords),
    withPairs(around, changed, shared),
    withSpellings(around),
    withTokens(around, shared, 0, wordWays + maxWords),
    withNames(bases, hooks),
    withNumbers(around, numbers),
    withoutFields(around),
  ];
}

/**
 * Separates texts that one version has more often than the other from those that both have alike. The latter in the order
 * of how near they stand to the first place that differs: what belongs together stands together.
 */
export function sortTexts(
  old: readonly string[],
  next: readonly string[],
): { readonly changed: readonly string[]; readonly shared: readonly string[] } {
  const balance = new Map<string, number>();
  for (const text of old) balance.set(text, (balance.get(text) ?? 0) + 1);
  for (const text of next) balance.set(text, (balance.get(text) ?? 0) - 1);
  const at = Math.max(
    0,
    old.findIndex((text, index) => text !== next[index]),
  );
  const near = old
    .map((text, index) => ({ text, gap: Math.abs(index - at) }))
    .sort((a, b) => a.gap - b.gap)
    .map(({ text }) => text);
  return {
    changed: [...balance].filter(([, more]) => more !== 0).map(([text]) => text),
    shared: [...new Set(near)].filter((text) => balance.get(text) === 0),
  };
}

type Around = readonly { readonly base: DiffEvent; readonly leaves: readonly Leaf[] }[];

function textsOf(
  leaves: readonly Leaf[],
): readonly { readonly path: readonly string[]; readonly value: string }[] {
  return leaves.filter((leaf): leaf is Leaf & { value: string } => typeof leaf.value === "string");
}

/** Every token in every text; the plainest way to put it there for all tokens first, then the next way. */
function* withTokens(
  around: Around,
  tokens: readonly string[],
  first: number,
  end: number,
): Generator<Draft, void> {
  for (let way = first; way < end; way++) {
    for (const { base, leaves } of around) {
      for (const { path, value } of textsOf(leaves)) {
        for (const token of tokens) {
          const placed = place(value, token, way);
          if (placed !== null) yield { base, path, how: "with a text of the script", value: placed };
        }
      }
    }
  }
}

function place(text: string, token: string, way: number): string | null {
  if (way === 0) return token;
  if (way === 1) return `${text} ${token}`;
  if (way === 2) return text.includes("/") ? text.replace(/[^/\s]*$/, () => token) : `${token} ${text}`;
  if (way === 3) return `${text}${token}`;
  const words = text.split(" ");
  const at = way - wordWays;
  return at < words.length ? words.with(at, token).join(" ") : null;
}

/** Two tokens together, as in `mkfs /dev/sda`; one of them stands in one version only. */
function* withPairs(
  around: Around,
  changed: readonly string[],
  shared: readonly string[],
): Generator<Draft, void> {
  const others = [...changed, ...shared];
  for (const other of others) {
    for (const token of changed) {
      if (token === other) continue;
      for (const { base, leaves } of around.slice(0, 2)) {
        const leaf = textsOf(leaves).at(-1);
        if (!leaf) continue;
        for (const value of [
          `${token} ${other}`,
          `${other} ${token}`,
          `${other}${token}`,
          `${other}/${token}`,
        ]) {
          yield { base, path: leaf.path, how: "with two texts of the script", value };
        }
      }
    }
  }
}

function* withSpellings(around: Around): Generator<Draft, void> {
  for (const { name, change } of textMutations) {
    for (const { base, leaves } of around) {
      for (const { path, value } of textsOf(leaves)) {
        const changed = change(value);
        if (changed !== null && changed !== value) yield { base, path, how: name, value: changed };
      }
    }
  }
}

/** Names of tools and the like, from the matchers of both versions. */
function* withNames(bases: readonly DiffEvent[], hooks: BeforeAfter<LoadedHook>): Generator<Draft, void> {
  const names = matcherNames([hooks.old, hooks.new]);
  for (const base of bases) {
    const field = eventRows.get(base.name)?.matches;
    if (field === undefined) continue;
    for (const value of names) yield { base, path: [field], how: "with a name of a matcher", value };
  }
}

function* withNumbers(around: Around, numbers: readonly number[]): Generator<Draft, void> {
  const near = (number: number): readonly number[] => [number, number - 1, number + 1];
  for (const { base, leaves } of around) {
    for (const { path, value } of leaves) {
      if (typeof value !== "number") continue;
      const edges = new Set([...near(value), ...edgeNumbers, ...numbers.flatMap(near)]);
      for (const edge of edges) yield { base, path, how: "a number at an edge", value: edge };
    }
  }
  const sizes = new Set(numbers.filter(Number.isSafeInteger).flatMap(near));
  for (const size of sizes) {
    if (size < lengths.min || size > lengths.max) continue;
    for (const { base, leaves } of around) {
      const leaf = textsOf(leaves).at(-1);
      if (!leaf || leaf.value === "") continue;
      yield { base, path: leaf.path, how: `${size} characters long`, value: sized(leaf.value, size) };
    }
  }
}

function sized(text: string, length: number): string {
  return text
    .repeat(Math.ceil(length / text.length))
    .slice(0, length)
    .toWellFormed();
}

function* withoutFields(around: Around): Generator<Draft, void> {
  for (const { base, leaves } of around) {
    const paths = new Map(
      leaves.flatMap(({ path }) => [[path[0], [path[0] as string]] as const, [path.join("."), path]]),
    );
    for (const path of paths.values()) yield { base, path, how: "left out", value: undefined };
  }
}

function allTokens(hook: LoadedHook): Tokens {
  const script = tokensOf(hook.program.source);
  const config = tokensOfJson(hook.configJson);
  return {
    texts: [...script.texts, ...config.texts],
    numbers: new Set([...script.numbers, ...config.numbers]),
  };
}
