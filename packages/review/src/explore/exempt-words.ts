import { valueAt } from "@hookwarden/testing/mutate";
import { isOrdinary } from "../inputs/corpus.ts";
import { acts, opens } from "../run/effect.ts";
import { mapConcurrently, type Run, type Runner } from "../run/runner.ts";
import type { AnswerChange } from "./answer-change.ts";
import { neutralWord, type Slot, slotsOf } from "./slots.ts";

const max = { bases: 2, words: 60, shortest: 5 } as const;

/** Texts that nearly match: with something appended, with something in front, and with another last letter. */
function near(word: string): readonly string[] {
  return [
    `${word} ${neutralWord}`,
    `${neutralWord} ${word}`,
    `${word.slice(0, -1)}${word.endsWith("q") ? "z" : "q"}`,
  ];
}

/**
 * Sets texts to whole texts of the code, and to the same with something more: where only the exact text is let go, and
 * any other text that says nothing is let go too, the hook has an exception for it. A list of what is permitted has none:
 * it holds other texts.
 */
export async function exemptWords(
  runner: Runner,
  bases: readonly Run[],
  words: readonly string[],
): Promise<readonly AnswerChange[]> {
  const found: AnswerChange[] = [];
  for (const base of bases.slice(0, max.bases))
    for (const slot of slotsOf(base.input, runner.seen).filter(({ kind }) => kind === "text")) {
      const placed = async (text: string): Promise<Run | null> => {
        const input = slot.set(text);
        const label = `${base.input.label}; ${slot.path} set to a text of the code`;
        return input && runner.run({ ...input, origin: "made", label });
      };
      const control = await placed(neutralWord);
      if (!control || acts(control.effect)) continue;
      const tried = words
        .filter((word) => word.length >= max.shortest && !isOrdinary(word))
        .slice(0, max.words);
      const pairs = await mapConcurrently(
        tried,
        async (word) => {
          const after = await placed(word);
          if (!after || acts(after.effect)) return [];
          const all: { from: string; to: string; before: Run; after: Run }[] = [];
          for (const from of near(word)) {
            const before = await placed(from);
            if (before && opens(before.effect, after.effect)) all.push({ from, to: word, before, after });
          }
          // One alone may complete what the hook looks for.
          return all.length > 1 ? all.slice(0, 1) : [];
        },
        runner.signal,
      );
      for (const turn of pairs.flat())
        found.push({ slot, ...turn, opens: true, harmless: true, grade: "exempt" });
    }
  return found.slice(0, 6);
}

/** Fields in which the first part of a path can be a host. */
const addresses = /(?:^|\.)(?:url|uri|host)$/;
/** A folder's name that is not seen, and one that looks like another. */
const unlike = ["\u200b", "\u0430\u0435\u043e", "\u00e9\u00e8\u00ea\u00eb\u00fc"];

/**
 * Inserts another folder into paths that are held: if any name is held but one, the hook makes an exception for that
 * one. With the way back behind it, the path leads to what is held: that is a door where the folder alone is none.
 *
 * @param words names of folders: those in the code, and those that its patterns match.
 */
export async function exemptFolders(
  runner: Runner,
  bases: readonly Run[],
  words: readonly string[],
): Promise<readonly AnswerChange[]> {
  const names = [...new Set([...words.flatMap((word) => word.split("/")), ...unlike])].filter(
    (word) => !/[\s\\]|^\.*$/.test(word),
  );
  const roots = [...new Set(words)].filter((word) => /^\/[^\s\\:]+$/.test(word));
  const found: AnswerChange[] = [];
  for (const base of bases.slice(0, max.bases))
    for (const slot of slotsOf(base.input, runner.seen)) {
      if (slot.kind !== "place" || slot.path === "cwd" || !acts(base.effect)) continue;
      const value = String(slot.value);
      if (/^\w+:/.test(value)) continue;
      const at = value.lastIndexOf("/") + 1;
      const within = (name: string, back = ""): string =>
        `${value.slice(0, at)}${name}/${back}${value.slice(at)}`;
      const beneath = (root: string): string => {
        const folders = root.split("/").filter(Boolean);
        return `/${folders.join("/")}/${"../".repeat(folders.length)}${value.replace(/^\/+/, "")}`;
      };
      const few = names.slice(0, max.words);
      const plain = await exemptNames(runner, { base, slot, few, placed: (name) => within(name) });
      const exempt = new Set(plain.filter(({ after }) => !isInside(after, slot)).map(({ to }) => to));
      const back = addresses.test(slot.path)
        ? []
        : await exemptNames(runner, { base, slot, few, placed: (name) => within(name, "../") });
      const rooted = value.startsWith("/")
        ? await exemptNames(runner, { base, slot, few: roots.slice(0, max.words), placed: beneath })
        : [];
      found.push(
        ...plain.filter(({ to }) => exempt.has(to)).map((turn) => ({ ...turn, grade: "exempt" as const })),
        ...back.map((turn) => ({
          ...turn,
          to: `${turn.to}/../`,
          grade: exempt.has(turn.to) && folderName.test(turn.to) ? ("exempt" as const) : ("magic" as const),
        })),
        ...rooted.map((turn) => ({ ...turn, grade: "exempt" as const })),
      );
    }
  return found.toSorted((a, b) => Number(b.grade === "magic") - Number(a.grade === "magic")).slice(0, 6);
}

/** A name that people give folders, and that hooks rightly leave out. */
const folderName = /^[A-Za-z][\w.-]*$/;

interface Placing {
  readonly base: Run;
  readonly slot: Slot;
  /** The names that are tried. */
  readonly few: readonly string[];
  placed(name: string): string;
}

/** The names that let a path go in which any other one is held. */
async function exemptNames(
  runner: Runner,
  { base, slot, few, placed }: Placing,
): Promise<readonly AnswerChange[]> {
  const withName = async (name: string): Promise<Run | null> => {
    const input = slot.set(placed(name));
    const label = `${base.input.label}; a folder more in ${slot.path}`;
    return input && runner.run({ ...input, origin: "made", label });
  };
  const before = await withName(neutralWord);
  if (!before || !acts(before.effect)) return [];
  const runs = await mapConcurrently(few, withName, runner.signal);
  return runs.flatMap((after, at): AnswerChange[] => {
    if (!after || !opens(before.effect, after.effect)) return [];
    return [{ slot, from: neutralWord, to: few[at] as string, before, after, opens: true, harmless: true }];
  });
}

/** Whether the path leads into the working directory, outside of which a hook may hold everything. */
function isInside({ input: { event } }: Run, { path }: Slot): boolean {
  const folder = `${String(event["cwd"]).replace(/\/+$/, "")}/`;
  return folder !== "/" && String(valueAt(event, path.split("."))).startsWith(folder);
}
