import { opens } from "../run/effect.ts";
import { type InstrumentedRun, mapConcurrently, type Run, type Runner } from "../run/runner.ts";
import type { AnswerChange } from "./answer-change.ts";
import { harmless, isCommand, neutralWord, type Slot, touchedSlots } from "./slots.ts";
import { made } from "./variant.ts";

const max = { bases: 2, slots: 2, runs: 240, units: 16, alike: 3 } as const;
/** Stands behind what is being spelled, so that the code asks what comes next. */
const filler = "Q";

/** What is put together, and where: letters to a word, or words to a line. */
interface Spelling {
  readonly unit: RegExp;
  readonly joiner: "" | " ";
  /** The text with the word added where it changes nothing about what is done. */
  readonly place: (path: string, text: string, word: string) => string | undefined;
}

const behind: Spelling["place"] = (path, text, word) => harmless(path, text, word)[0];
const inFront: Spelling["place"] = (path, text, word) =>
  isCommand(path) ? `: ${word} && ${text}` : harmless(path, text, word)[1];
/** Letters and words that take no text apart. */
const [letter, word] = [/^[\w@!%+:.,-]$/, /^[\w@!%+:.,/=-]{2,24}$/];
const spellings: readonly Spelling[] = [
  { unit: letter, joiner: "", place: behind },
  { unit: word, joiner: " ", place: inFront },
  { unit: word, joiner: " ", place: behind },
];

/**
 * Spells words and lines where they change nothing about what is done, one letter or word after the other, led by what the
 * code compares the next one with: what a trie or a state machine takes is no text of the code.
 */
export async function spellWords(runner: Runner, held: readonly Run[]): Promise<readonly AnswerChange[]> {
  const turns: AnswerChange[] = [];
  for (const base of held.slice(0, max.bases)) {
    const slots = touchedSlots(runner, base).filter(
      ({ kind, path, value }) =>
        kind === "text" && typeof value === "string" && harmless(path, value, filler).length > 0,
    );
    for (const slot of slots.slice(0, max.slots))
      for (const spelling of spellings) {
        const turn = await new Speller(runner, base, slot, spelling).turn();
        if (turn) turns.push(turn);
      }
  }
  return turns;
}

/** What was spelled so far, and what the code compares the next letter or word with. */
interface Prefix {
  readonly units: readonly string[];
  readonly next: readonly string[];
}

class Speller {
  readonly #runner: Runner;
  readonly #base: Run;
  readonly #slot: Slot;
  readonly #spelling: Spelling;

  constructor(runner: Runner, base: Run, slot: Slot, spelling: Spelling) {
    this.#runner = runner;
    this.#base = base;
    this.#slot = slot;
    this.#spelling = spelling;
  }

  /** What was spelled that lets the step go; `null` for nothing. */
  async turn(): Promise<AnswerChange | null> {
    const start = await this.#prefix([]);
    if (!start || start.next.length === 0 || (await this.#opened([neutralWord]))) return null;
    const first = new Set(start.next);
    const alike = new Map<string, number>();
    const queue = [start];
    let left: number = max.runs;
    for (let prefix = queue.pop(); prefix && left > 0; prefix = queue.pop()) {
      const { units, next } = prefix;
      left -= next.length;
      const longer = await mapConcurrently(
        next.map((one) => [...units, one]),
        async (all) => ({ all, after: await this.#opened(all), prefix: await this.#prefix(all) }),
        this.#runner.signal,
      );
      for (const { all, after, prefix: reached } of longer) {
        // What a single word opens is asked for elsewhere.
        if (after && all.length > 1) return this.#turn(all, after);
        if (after || !reached || all.length >= max.units) continue;
        // Where the code asks for the same as at the start, it has not gone on from there.
        const fresh = reached.next.filter((one) => !first.has(one));
        const times = alike.get(fresh.join(" ")) ?? 0;
        alike.set(fresh.join(" "), times + 1);
        if (fresh.length > 0 && times < max.alike) queue.push(reached);
      }
    }
    return null;
  }

  #input(units: readonly string[]): Run["input"] | null {
    const { path, value, set } = this.#slot;
    const text = this.#spelling.place(path, String(value), units.join(this.#spelling.joiner));
    const input = text === undefined ? null : set(text);
    return input && made(input, this.#base, `spelled in ${path}`);
  }

  async #opened(units: readonly string[]): Promise<Run | null> {
    const input = this.#input(units);
    const run = input && (await this.#runner.run(input));
    return run && opens(this.#base.effect, run.effect) ? run : null;
  }

  async #prefix(units: readonly string[]): Promise<Prefix | null> {
    const input = this.#input([...units, filler]);
    const run = input && (await this.#runner.runInstrumented(input, true));
    return run ? { units, next: askedNext(run, this.#spelling.unit) } : null;
  }

  #turn(units: readonly string[], after: Run): AnswerChange {
    return {
      slot: this.#slot,
      from: String(this.#slot.value),
      to: units.join(this.#spelling.joiner),
      before: this.#base,
      after,
      opens: true,
      harmless: true,
      grade: "magic",
      word: "text",
    };
  }
}

/** What the code compares the filler with. */
function askedNext({ watched }: InstrumentedRun, unit: RegExp): readonly string[] {
  const found = new Set<string>();
  for (const { op, a, b } of watched?.pairs ?? []) {
    if (op !== "==" && op !== "of") continue;
    const other = a === filler ? b : b === filler ? a : null;
    if (typeof other === "string" && unit.test(other)) found.add(other);
  }
  return [...found];
}
