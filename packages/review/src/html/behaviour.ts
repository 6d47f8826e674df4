import { markup, type Markup } from "@hookwarden/testing/html";
import type { BehaviourSection, Condition, EmittedText, HookReview, Trigger } from "../report.ts";
import { actionBars } from "./action-bars.ts";
import { count, guest, guestBlock, list, table, thousands } from "./texts.ts";

/** Rows shown before the rest is folded. */
const maxRows = 12;

export function behaviour({ behaviour: section }: HookReview): Markup {
  const { events, conditions, clusters, texts, triggers, state } = section;
  return markup`${actionBars(events)}
    ${
      triggers.length > 0
        ? markup`<h4>Inputs that changed the verdict</h4>
            <p class="quiet">One input was changed at a time.</p>
            ${triggerTable(triggers)}`
        : null
    }
    <h4>Decision boundaries</h4>
    ${
      conditions.length > 0
        ? markup`<p class="quiet">Closest pairs of events with different verdicts.</p>
            ${folded(conditions, conditionTable)}`
        : markup`<p class="quiet">All events received the same verdict.</p>`
    }
    <h4>Outputs</h4>
    ${
      clusters.length === 0
        ? markup`<p class="quiet">The hook returned no output.</p>`
        : folded(clusters, (some) =>
            table(
              "Outputs by their shape",
              ["event", "verdict", "times", "shape", "example"],
              some.map(({ event, verdict, count: times, shape, example }) => [
                markup`<code>${event}</code>`,
                verdictWord(verdict),
                thousands(times),
                markup`<code class="wrap">${guest(shape)}</code>`,
                markup`<details class="inline">
                  <summary>show</summary>
                  ${guestBlock(example, "example")}
                </details>`,
              ]),
              "wide",
            ),
          )
    }
    <h4>Texts for the model and for people</h4>
    ${texts.length === 0 ? markup`<p class="quiet">The hook wrote no text.</p>` : folded(texts, textTable)}
    ${determinism(section)}
    <h4>State</h4>
    ${
      state
        ? markup`<p>
              Written ${count(state.writes, "time")}, ${thousands(state.largestBytes)} bytes at
              most.${state.keeps.length > 0 ? markup` It stores data from <code>${state.keeps.join(", ")}</code>.` : null}
            </p>
            ${state.examples.slice(0, 3).map((example) => guestBlock(example, "state"))}`
        : markup`<p class="quiet">The hook keeps no state.</p>`
    }`;
}

/** The verdicts that hold an agent back. */
const holding: ReadonlySet<string> = new Set(["deny", "block", "halt", "skip", "drop_chunk"]);

export function verdictWord(verdict: string): Markup {
  const tone = holding.has(verdict) ? "holds" : verdict === "ask" || verdict === "retry" ? "asks" : "passes";
  return markup`<span class="verdict-word ${tone}">${verdict}</span>`;
}

function triggerTable(triggers: readonly Trigger[]): Markup {
  return folded(triggers, (some) =>
    table(
      "Triggers",
      ["kind", "what changed", "from", "to", "answer", "effect"],
      some.map(({ kind, event, path, from, to, before, after, opens }) => [
        kind,
        markup`<code>${path}</code> <span class="quiet">${event}</span>`,
        markup`<code class="wrap">${guest(from)}</code>`,
        markup`<code class="wrap">${guest(to)}</code>`,
        markup`${verdictWord(before)} → ${verdictWord(after)}`,
        opens ? markup`<strong class="text-high">opens</strong>` : null,
      ]),
      "wide",
    ),
  );
}

function conditionTable(conditions: readonly Condition[]): Markup {
  return table(
    "Conditions",
    ["where", "one event", "closest event", "distance"],
    conditions.map(({ event, path, a, b, distance }) => [
      markup`<code>${path ?? "several fields"}</code> <span class="quiet">${event}</span>`,
      markup`${verdictWord(a.verdict)} <code class="wrap">${guest(a.shown)}</code>
        <span class="quiet">${a.origin}</span>`,
      markup`${verdictWord(b.verdict)} <code class="wrap">${guest(b.shown)}</code>
        <span class="quiet">${b.origin}</span>`,
      count(distance, "character"),
    ]),
    "wide",
  );
}

function textTable(texts: readonly EmittedText[]): Markup {
  return table(
    "Texts",
    ["to", "by", "text", "times", "carries"],
    texts.map(({ to, action, text, count: times, carries }) => [
      to,
      markup`<code>${action}</code>`,
      markup`<span class="guest-line">${guest(text)}</span>`,
      thousands(times),
      carries.length === 0
        ? markup`<span class="quiet">nothing</span>`
        : carries.map(
            ({ path, as, characters }) =>
              markup`<span class="${as === "verbatim" || as === "case" ? "" : "text-high"}"
                ><code>${path}</code> ${as}, ${count(characters, "character")}</span
              > `,
          ),
    ]),
    "wide",
  );
}

function determinism({ determinism: { repeated, shuffled, engines, watched } }: BehaviourSection): Markup {
  const rows = [
    ["Repeated calls", repeated],
    ["Calls in another order", shuffled],
    ["On the other engine", engines],
    ["With reads recorded", watched],
  ] as const;
  return markup`<h4>Determinism</h4>
    ${list(
      rows.map(([what, result]) =>
        result === null
          ? markup`${what}: <span class="quiet">not run: the engine is not installed</span>`
          : result.different > 0
            ? markup`${what}:
                <strong class="text-high"
                  >${count(result.different, "answer differs", "answers differ")}</strong
                >
                of ${thousands(result.checked)}`
            : markup`${what}: identical in all ${thousands(result.checked)} calls`,
      ),
      "",
    )}`;
}

function folded<Row>(rows: readonly Row[], draw: (some: readonly Row[]) => Markup): Markup {
  if (rows.length <= maxRows) return draw(rows);
  return markup`${draw(rows.slice(0, maxRows))}
    <details class="more">
      <summary>${rows.length - maxRows} more</summary>
      ${draw(rows.slice(maxRows))}
    </details>`;
}
