import { factRows, unknownReasons } from "hookwarden/facts";
import { mapConcurrently, type Run, type Runner } from "../run/runner.ts";
import { effectWords, opens } from "../run/effect.ts";
import type { AnswerChange } from "./answer-change.ts";

const maxBases = 3;
/** Reasons that the author of an event can cause for a fact that could be derived. */
const reasons = Object.keys(unknownReasons).filter((reason) => reason.startsWith("too-"));

/** Decides held events with each fact unknown, and with facts that say as little as a fact can. */
export async function varyFacts(runner: Runner, held: readonly Run[]): Promise<readonly AnswerChange[]> {
  const names = [
    ...new Set(
      runner.hook.reads.flatMap((read) => (read.startsWith("facts.") ? [read.split(".")[1] ?? ""] : [])),
    ),
  ];
  const variants = held.slice(0, maxBases).flatMap((base) =>
    names.flatMap((name) =>
      [...reasons.map((why) => ({ ok: false, why })), emptied(factOf(base, name))].flatMap((fact) =>
        fact === null
          ? []
          : [
              {
                base,
                name,
                fact,
                input: {
                  ...base.input,
                  origin: "made" as const,
                  label: `${base.input.label}; facts.${name} as ${JSON.stringify(fact).slice(0, 60)}`,
                  facts: withUsers(name, fact, names),
                },
              },
            ],
      ),
    ),
  );
  const runs = await mapConcurrently(variants, ({ input }) => runner.run(input), runner.signal);
  return runs.flatMap((after, at): AnswerChange[] => {
    const { base, name, fact } = variants[at] as (typeof variants)[number];
    if (!after || effectWords(after.effect) === effectWords(base.effect)) return [];
    return [
      {
        slot: { kind: "fact", path: `facts.${name}` },
        from: "(as derived)",
        to: JSON.stringify(fact),
        before: base,
        after,
        opens: opens(base.effect, after.effect),
        harmless: true,
      },
    ];
  });
}

/** A fact, and where it is not known those of others that are derived from it. */
function withUsers(name: string, fact: Fact, others: readonly string[]): { readonly [name: string]: Fact } {
  const users =
    fact["ok"] === true ? [] : others.filter((other) => factRows.get(other)?.uses?.includes(name));
  return Object.fromEntries([name, ...users].map((one) => [one, fact]));
}

type Fact = { readonly [member: string]: unknown };

function factOf({ args }: Run, name: string): Fact | null {
  const { facts } = JSON.parse(args[0]) as { readonly facts?: { readonly [name: string]: Fact } };
  return facts?.[name] ?? null;
}

/**
 * A fact that is known and names nothing: what a text is that only the running shell can read. `null` for a fact that is
 * always complete.
 */
function emptied(fact: Fact | null): Fact | null {
  if (fact === null || fact["ok"] !== true || !Object.hasOwn(fact, "complete")) return null;
  return Object.fromEntries(
    Object.entries(fact).map(([member, value]) => [
      member,
      member === "ok" ? true : Array.isArray(value) ? [] : typeof value === "boolean" ? false : value,
    ]),
  );
}
