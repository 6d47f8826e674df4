import { isLoosened } from "@hookwarden/testing/diff";
import { wordsOf } from "@hookwarden/testing/mutate";
import type { LoadedHook } from "hookwarden/pack";
import type { AnswerChange } from "../explore/answer-change.ts";
import { carryOn, permitted } from "../explore/carry-on.ts";
import { type Dependence, explore } from "../explore/explore.ts";
import { exemptFolders, exemptWords } from "../explore/exempt-words.ts";
import { gradeWords } from "../explore/grade-words.ts";
import { addWords } from "../explore/harmless-words.ts";
import { spellWords } from "../explore/spell-words.ts";
import { enriched, sweep } from "../explore/sweeps.ts";
import { joinCommands } from "../explore/join-commands.ts";
import { otherKeys } from "../explore/other-keys.ts";
import { varyContext } from "../explore/vary-context.ts";
import { varyFacts } from "../explore/vary-facts.ts";
import { varyState } from "../explore/vary-state.ts";
import type { Comparison } from "../instrumented/recording.ts";
import { type InstrumentedRun, mapConcurrently, type Run } from "../run/runner.ts";
import type { ReviewContext } from "./context.ts";
import { heldOf, type Observation } from "./observe.ts";

/** Runs of exploration. */
const explorations = { small: 400, large: 200 } as const;
/** Runs that turned the answer, or ended otherwise, that are repeated with the recorder. */
const maxRecorded = 120;

/** What a directed search for other answers has found. */
export interface Search {
  readonly held: readonly Run[];
  readonly turns: readonly AnswerChange[];
  readonly dependences: readonly Dependence[];
  readonly instrumented: readonly InstrumentedRun[];
  /** Runs on inputs that the search made. */
  readonly made: readonly Run[];
}

/** Looks for what turns the answers of a hook. The same context gives the same runs. */
export async function search(context: ReviewContext, { base, seeds }: Observation): Promise<Search> {
  const { runner, parts, text, words, size } = context;
  const { progress } = parts;
  progress("exploring");
  const isOwn = ({ site, branch }: Comparison): boolean =>
    text.isOwn(site > 0 ? (runner.full.sites[site]?.start ?? 0) : (runner.full.branches[branch]?.start ?? 0));
  const starts = seeds.map(({ input }) => input);
  const later = statesOf(base.runs)
    .slice(0, 2)
    .flatMap((state) => starts.slice(0, 1).map((input) => ({ ...input, state, origin: "made" as const })));
  const rich = starts.slice(0, 4).flatMap((input) => enriched(input, words, runner.seen));
  const explored = await explore(runner, [...starts, ...rich, ...later], isOwn, explorations[size]);
  for (const run of explored.runs) context.note(run);
  const made = explored.runs.filter(({ input }) => input.origin === "made");

  progress("adding words");
  const held = heldOf([...base.runs, ...made.filter(({ input }) => !input.spliced)]);
  const constants = comparedConstants(explored.runs);
  // Names of environment variables, as a command sets them.
  const variables = words.properties.filter((name) => /^[A-Z][A-Z0-9_]{2,}$/.test(name));
  const all = [
    ...new Set([
      ...variables.map((name) => `${name}=1`),
      ...constants,
      ...words.words,
      ...configWords(runner.hook),
    ]),
  ];
  const turns: AnswerChange[] = [...explored.turns, ...(await addWords(runner, held, all))];
  turns.push(...(await spellWords(runner, held)));
  const refused = [...base.runs, ...made].filter(
    ({ answer, effect }) => answer.ok && isLoosened(effect.verdict, "continue"),
  );
  turns.push(...(await joinCommands(runner, refused)));
  const bases = held.length > 0 ? held : base.runs.slice(0, 3);
  turns.push(...(await varyContext(runner, bases, parts.recorded.slice(0, 300), contextReads(context))));
  progress("varying fields");
  turns.push(...(await sweep(runner, bases, { ...words, words: all.slice(0, 60) })));
  turns.push(...(await otherKeys(runner, heldOf(base.runs))));
  turns.push(...(await exemptWords(runner, bases, words.words)));
  turns.push(
    ...(await exemptFolders(runner, bases, [
      ...comparedConstants(explored.runs, 1),
      ...matchedWords(explored.runs),
      ...words.words,
    ])),
  );
  turns.push(...(await varyFacts(runner, bases)));
  if (runner.hook.state !== null) {
    turns.push(...(await carryOn(runner, held, permitted(base.runs, words.words))));
    turns.push(
      ...(await varyState(runner, held, statesOf([...base.runs, ...made]), {
        numbers: words.numbers,
        words: [...new Set([...words.words, ...words.properties])].filter((word) => /^[\w-]+$/.test(word)),
      })),
    );
  }
  const graded = await gradeWords(runner, context.analysis, named(turns, [...base.runs, ...made]));
  await record(
    context,
    graded.map(({ after }) => after),
  );
  return { held, turns: graded, dependences: explored.dependences, instrumented: explored.runs, made };
}

/** The changes, those to a state named `as kept` that has only texts which the hook was seen to keep. */
function named(turns: readonly AnswerChange[], runs: readonly Run[]): readonly AnswerChange[] {
  const kept = new Set(runs.flatMap(({ answer }) => (answer.ok ? leavesOfJson(answer.state) : [])));
  return turns.map((turn) => {
    const { slot, after } = turn;
    const leaves = slot.kind === "state" ? leavesOfJson(after.input.state) : [];
    const isKept = leaves.length > 0 && leaves.every((leaf) => typeof leaf === "string" && kept.has(leaf));
    return isKept && !slot.path.includes("(")
      ? { ...turn, slot: { ...slot, path: "state (as kept)" } }
      : turn;
  });
}

function leavesOfJson(json: string | null): readonly unknown[] {
  const found: unknown[] = [];
  JSON.parse(json ?? "null", (_, value: unknown) => {
    if (typeof value !== "object") found.push(value);
    return value;
  });
  return found;
}

/** Repeats runs with the recorder, so that what they reached counts as reached. */
export async function record(context: ReviewContext, runs: readonly Run[]): Promise<void> {
  const inputs = runs.slice(0, maxRecorded).map(({ input }) => input);
  const again = await mapConcurrently(
    inputs,
    (input) => context.runner.runInstrumented(input, false),
    context.runner.signal,
  );
  for (const run of again) context.note(run);
}

function contextReads({ tree, runner }: ReviewContext): {
  readonly time: boolean;
  readonly chance: boolean;
  readonly state: boolean;
} {
  return {
    time: tree.readsContext("(clock)") || tree.readsContext("time") || tree.readsField("time"),
    chance: tree.readsContext("(chance)"),
    state: runner.hook.state !== null,
  };
}

function statesOf(runs: readonly Run[]): readonly string[] {
  return [
    ...new Set(
      runs.flatMap(({ answer, input }) => [
        ...(answer.ok && answer.state !== null ? [answer.state] : []),
        ...(input.state === null ? [] : [input.state]),
      ]),
    ),
  ].slice(0, 200);
}

/** Texts on one side of comparisons that came with no event. */
function comparedConstants(runs: readonly InstrumentedRun[], shortest = 3): readonly string[] {
  const found = new Set<string>();
  for (const { watched, args } of runs)
    for (const { op, a, b } of watched?.pairs ?? [])
      for (const operand of op === "key" || op === "re" ? [] : [b, a])
        if (
          typeof operand === "string" &&
          (operand.length >= shortest || /^[^\x00-\x7f]+$/.test(operand)) &&
          operand.length < 80 &&
          !args[0].includes(operand)
        )
          found.add(operand);
  return [...found].slice(0, 60);
}

/** What the patterns match that texts were tried on, those of packages included. */
function matchedWords(runs: readonly InstrumentedRun[]): readonly string[] {
  const patterns = new Set(
    runs.flatMap(
      ({ watched }) => watched?.pairs.flatMap(({ op, b }) => (op === "re" ? [String(b)] : [])) ?? [],
    ),
  );
  return [...patterns].slice(0, 40).flatMap((text) => {
    const [, source = "", flags = ""] = /^\/(.*)\/([a-z]*)$/s.exec(text) ?? [];
    return wordsOf(source, flags).slice(0, 2);
  });
}

function configWords(hook: LoadedHook): readonly string[] {
  return (hook.configJson.match(/"(?:[^"\\]|\\.){3,60}"/g) ?? [])
    .slice(0, 8)
    .map((text) => JSON.parse(text) as string);
}
