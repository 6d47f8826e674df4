import { fieldsOfFacts } from "@hookwarden/testing/mutate";
import type { Input } from "../run/input.ts";
import { acts, effectWords, opens } from "../run/effect.ts";
import { mapConcurrently, type Run, type Runner, type InstrumentedRun } from "../run/runner.ts";
import type { Comparison } from "../instrumented/recording.ts";
import type { AnswerChange } from "./answer-change.ts";
import { isOrdinary } from "../inputs/corpus.ts";
import { type Candidate, candidatesOf } from "./candidates.ts";
import { inTurn } from "./in-turn.ts";
import { neutralWord, type Slot, slotsOf } from "./slots.ts";

/** Comparisons and branches whose course depends on something that is no part of what is done. */
export interface Dependence {
  readonly slot: Pick<Slot, "kind" | "path">;
  /** Comparisons whose operands changed. */
  readonly pairs: readonly { readonly before: Comparison | null; readonly after: Comparison }[];
  /** Branches that were taken in one run only. */
  readonly branches: readonly number[];
  readonly input: Input;
}

export interface Exploration {
  readonly runs: readonly InstrumentedRun[];
  readonly turns: readonly AnswerChange[];
  readonly dependences: readonly Dependence[];
}

/** Children of one run that are tried at a time. */
const maxChildren = 24;

/**
 * Looks for what turns a hook's answer: starts from the given inputs, sees what the program compares, and makes inputs
 * for which the comparisons end otherwise; what reaches new code is gone on from. The same input gives the same runs.
 *
 * @param budget most runs.
 * @param isFirst whether a comparison comes before others: those of the hook's own code do.
 */
export async function explore(
  runner: Runner,
  seeds: readonly Input[],
  isFirst: (pair: Comparison) => boolean,
  budget: number,
): Promise<Exploration> {
  const state = new Explorer(runner, isFirst);
  const first = await mapConcurrently(seeds, (input) => runner.runInstrumented(input, true), runner.signal);
  // Runs whose children are tried, in turn: those that nothing new has led to, and those that it has, the latest first.
  const known = first.filter((run) => run !== null);
  const news: InstrumentedRun[] = [];
  for (const run of known) state.note(run);
  const dependences: Dependence[] = [];
  for (const run of known.slice(0, 8)) dependences.push(...(await dependencesOf(runner, run)));
  let left = budget;
  for (let turn = 0; left > 0 && !runner.signal.aborted; turn++) {
    const parent = (turn % 2 === 0 ? news.shift() : undefined) ?? known.shift() ?? news.shift();
    if (!parent) break;
    const fresh = state.childrenOf(parent, Math.min(maxChildren, left));
    left -= fresh.length;
    if (fresh.length === maxChildren) known.push(parent);
    const children = await mapConcurrently(
      fresh,
      ({ input }) => runner.runInstrumented(input, true),
      runner.signal,
    );
    const found: InstrumentedRun[] = [];
    for (const [index, child] of children.entries()) {
      if (!child) continue;
      const candidate = fresh[index] as Child;
      if (state.note(child)) found.push(child);
      await state.answerChanges(candidate, parent, child);
    }
    // What is new is nearer to the next door; what holds may be opened there.
    found.sort((a, b) => Number(acts(b.effect)) - Number(acts(a.effect)));
    news.unshift(...found.slice(0, 12));
  }
  for (const run of state.news.slice(0, 12)) dependences.push(...(await dependencesOf(runner, run)));
  return { runs: state.runs, turns: state.turns, dependences };
}

/** A candidate with the input that it makes. */
interface Child extends Candidate {
  readonly input: Input;
}

class Explorer {
  readonly runs: InstrumentedRun[] = [];
  readonly news: InstrumentedRun[] = [];
  readonly turns: AnswerChange[] = [];
  readonly #runner: Runner;
  readonly #isFirst: (pair: Comparison) => boolean;
  readonly #covered = new Set<number | string>();
  readonly #tried = new Set<string>();

  constructor(runner: Runner, isFirst: (pair: Comparison) => boolean) {
    this.#runner = runner;
    this.#isFirst = isFirst;
  }

  /** Takes a run. @returns whether it went where none has gone before. */
  note(run: InstrumentedRun): boolean {
    this.runs.push(run);
    const { watched } = run;
    if (!watched) return false;
    const before = this.#covered.size;
    for (const branch of watched.cover) this.#covered.add(branch);
    for (const pair of watched.pairs) {
      if (pair.op === "key") continue;
      const place = pair.site === 0 ? `b${pair.branch}` : pair.site;
      this.#covered.add(`${place} ${pair.op} ${outcome(pair)}`);
      // One place compares with many constants where the code is a table or an interpreter.
      const met = outcome(pair) === "true" && pair.op !== "re" ? constantIn(pair, run) : null;
      if (met !== null) this.#covered.add(`${place} ${pair.op} met ${met}`);
    }
    const grew = this.#covered.size > before;
    if (grew && run.input.origin === "made") this.news.push(run);
    return grew;
  }

  /** Inputs near a run that were not tried yet, at most so many. */
  childrenOf(parent: InstrumentedRun, count: number): readonly Child[] {
    // What was not read cannot matter yet; it may where another change has led further.
    const reads = parent.watched?.reads ?? [];
    const seen = new Set(reads.map(({ of, path }) => `${of} ${path.join(".")}`));
    const behind = fieldsOfFacts(reads.flatMap(({ of, path }) => (of === "event" ? [path] : [])));
    const slots = slotsOf(parent.input, this.#runner.seen).filter((slot) => {
      if (slot.kind === "tenant") return seen.has("context tenant");
      if (slot.kind === "time")
        return (parent.watched?.clock ?? 0) > 0 || seen.has("context time") || seen.has("event time");
      if (slot.kind === "state" || slot.kind === "config" || slot.kind === "chance")
        return slot.kind === "state";
      if (behind.includes(slot.path.split(".")[0] ?? "")) return true;
      return seen.has(`event ${slot.path.replaceAll(/(?<=\.)\d+(?=\.|$)/g, "*")}`);
    });
    const configured = this.#runner.hook.configJson;
    const all = candidatesOf(
      parent,
      slots,
      (pair) => this.#isFirst(pair),
      (text) => isOrdinary(text) || (text.length > 3 && configured.includes(text.replace(/^[./]+/, ""))),
    );
    const bySlot = [...Map.groupBy(all, ({ slot }) => slot.path).values()];
    const children: Child[] = [];
    for (const candidate of inTurn(bySlot)) {
      if (children.length >= count) break;
      const input = this.#made(parent, candidate);
      if (input) children.push({ ...candidate, input });
    }
    return children;
  }

  #made({ input: base }: InstrumentedRun, { slot, to, spliced }: Candidate): Input | null {
    const input = slot.set(to);
    if (!input) return null;
    const key = keyOf(input);
    if (this.#tried.has(key)) return null;
    this.#tried.add(key);
    return {
      ...input,
      ...(spliced && { spliced }),
      origin: "made",
      label: `${base.label}; ${slot.path} set to what the code compares with`.slice(-400),
    };
  }

  async answerChanges(
    { slot, to, harmless, word }: Child,
    parent: InstrumentedRun,
    child: InstrumentedRun,
  ): Promise<void> {
    if (!parent.watched || !child.watched) return;
    if (effectWords(parent.effect) === effectWords(child.effect)) return;
    // With its own program, and what is kept compared with nothing kept.
    const base = slot.kind === "state" ? { ...child.input, state: null } : parent.input;
    const [before, after] = [await this.#runner.run(base), await this.#runner.run(child.input)];
    if (!before || !after || effectWords(before.effect) === effectWords(after.effect)) return;
    this.turns.push({
      ...(word !== undefined && (await this.#opensByAnyWord(slot, String(to), word, before))
        ? { word: "plain" as const }
        : {}),
      slot,
      from: String(slot.value),
      to: String(to),
      before,
      after,
      opens: opens(before.effect, after.effect),
      harmless,
    });
  }

  /** Whether any other word in its place opens too: then the hook looks at the ends of a text only. */
  async #opensByAnyWord(slot: Slot, text: string, word: string, before: Run): Promise<boolean> {
    const input = slot.set(text.replace(word, () => neutralWord));
    const control = input && (await this.#runner.run(input));
    return control !== null && opens(before.effect, control.effect);
  }
}

/** The constant of the code that a comparison has met: the part of the other operand, or what equals it. */
function constantIn({ op, a, b }: Comparison, { input }: InstrumentedRun): string | null {
  const constant = op === "in" ? b : a === b ? b : null;
  if (typeof constant !== "string" || constant.length < 2 || constant.length > 80) return null;
  return input.origin === "made" ? constant : null;
}

function outcome({ op, a, b }: Comparison): string {
  if (op === "in") return String(typeof a === "string" && typeof b === "string" && a.includes(b));
  if (op === "<") return Number(a) < Number(b) ? "<" : a === b ? "=" : ">";
  return String(a === b);
}

function keyOf({ event, tenant, state, decisionId, config }: Input): string {
  return JSON.stringify([event, tenant, state, decisionId, config]);
}

/** Sets each thing that says nothing of what is done to something else, and sees what in the program notices. */
async function dependencesOf(runner: Runner, run: InstrumentedRun): Promise<readonly Dependence[]> {
  const { watched, input } = run;
  if (!watched) return [];
  const read = new Set(watched.reads.map(({ of, path }) => `${of} ${path.join(".")}`));
  const found: Dependence[] = [];
  const compare = async (slot: Pick<Slot, "kind" | "path">, changed: Input | null): Promise<void> => {
    const other = changed && (await runner.runInstrumented(changed, true));
    if (!other?.watched) return;
    const now = other.watched;
    const keys = new Map(
      watched.pairs.map((pair) => [`${pair.site} ${pair.op} ${JSON.stringify([pair.a, pair.b])}`, pair]),
    );
    const pairs = now.pairs
      .filter((pair) => !keys.has(`${pair.site} ${pair.op} ${JSON.stringify([pair.a, pair.b])}`))
      .map((after) => ({
        after,
        before:
          watched.pairs.find(({ site, branch }) => site === after.site && branch === after.branch) ?? null,
      }));
    const taken = new Set(watched.cover);
    const later = new Set(now.cover);
    const branches = [
      ...now.cover.filter((id) => !taken.has(id)),
      ...watched.cover.filter((id) => !later.has(id)),
    ];
    if (pairs.length > 0 || branches.length > 0) found.push({ slot, pairs, branches, input });
  };
  for (const slot of slotsOf(input, runner.seen)) {
    if (slot.kind === "tenant" && !read.has("context tenant")) continue;
    if (slot.kind === "chance" && watched.chance === 0) continue;
    if (slot.kind === "time" && watched.clock === 0 && !read.has("context time") && !read.has("event time"))
      continue;
    if (slot.kind === "id" && !read.has(`event ${slot.path}`)) continue;
    if (!["tenant", "chance", "time", "id"].includes(slot.kind)) continue;
    await compare(slot, slot.set(neutral(slot)));
  }
  return found;
}

/** Another value of the same kind, which is unlikely to be compared with. */
function neutral({ kind, value, path }: Slot): string {
  if (kind === "time")
    return new Date(Date.parse(String(value)) + 412 * 86_400_000 + 25_123_000).toISOString();
  const text = String(value);
  const other = [...`zq${path}`]
    .map((letter) => letter.charCodeAt(0))
    .reduce((sum, code) => (sum * 31 + code) % 9_999_991, 7);
  return `zq-${other.toString(36)}-${text.length}`;
}
