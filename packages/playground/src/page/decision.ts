import type { Action, AttributedText, Decision, TraceEntry } from "hookwarden/broker";
import { errorTable, placeText } from "hookwarden/errors";
import type { Completions } from "../completions.ts";
import type { Answer, Problem, Step } from "../protocol.ts";
import { h } from "./dom.ts";
import { sanitizeText } from "./sanitize-text.ts";

/** How a verdict is shown: what it is to the agent. */
const tones: ReadonlyMap<string, string> = new Map([
  ["continue", "good"],
  ["allow", "good"],
  ["ask", "warn"],
  ["retry", "warn"],
  ["drop_chunk", "bad"],
  ["skip", "bad"],
  ["deny", "bad"],
  ["block", "bad"],
  ["halt", "bad"],
]);
const outcomeTones: ReadonlyMap<string, string> = new Map([
  ["honoured", "good"],
  ["refused", "bad"],
  ["faulted", "bad"],
  ["discarded", "warn"],
  ["monitored", "warn"],
]);

/** Draws an answer: the decision of one of its events, or why there is none. */
export class DecisionView {
  readonly #parent: HTMLElement;
  readonly #means: ReadonlyMap<string, string>;
  #answer: Answer | null = null;
  #chosen = 0;

  constructor(parent: HTMLElement, { actions }: Completions) {
    this.#parent = parent;
    this.#means = new Map(actions.map(({ name, means }) => [name, means]));
  }

  /** While a new answer is on its way, the old one is shown as such. */
  wait(): void {
    this.#parent.dataset["stale"] = "true";
  }

  show(answer: Answer): void {
    const { steps } = answer;
    if (this.#answer?.steps.length !== steps.length) this.#chosen = Math.max(0, steps.length - 1);
    this.#answer = answer;
    delete this.#parent.dataset["stale"];
    this.#draw();
  }

  #draw(): void {
    const answer = this.#answer;
    if (!answer) return;
    const { steps, problem } = answer;
    const step = steps[this.#chosen];
    this.#parent.replaceChildren(
      ...(steps.length > 1 ? [this.#strip(steps)] : []),
      ...(problem ? [problemCard(problem, steps.length)] : []),
      ...(step ? [this.#card(step), ...details(step, answer.ready)] : []),
    );
  }

  #strip(steps: readonly Step[]): HTMLElement {
    const strip = h("div", { class: "strip", role: "group", "aria-label": "Events" });
    for (const [index, { decision }] of steps.entries()) {
      const chosen = index === this.#chosen;
      const button = h(
        "button",
        {
          type: "button",
          class: `step ${tones.get(decision.verdict) ?? ""}`,
          "aria-pressed": String(chosen),
        },
        h("span", { class: "step-number" }, `${index + 1}`),
        decision.verdict,
      );
      button.addEventListener("click", () => {
        this.#chosen = index;
        this.#draw();
        this.#parent.querySelectorAll<HTMLElement>(".step")[index]?.focus();
      });
      strip.append(button);
    }
    return strip;
  }

  #card({ decision }: Step): HTMLElement {
    const { verdict, reason, feedback, decided_by, hook_event_name } = decision;
    const words = reason ?? feedback;
    return h(
      "div",
      { class: `verdict ${tones.get(verdict) ?? ""}` },
      h(
        "p",
        { class: "verdict-line" },
        h("strong", { class: "verdict-word" }, verdict),
        h("span", { class: "verdict-event" }, `at ${hook_event_name}`),
      ),
      h("p", { class: "verdict-means" }, ...withCode(sentence(this.#means.get(verdict) ?? ""))),
      words === null ? null : h("blockquote", {}, ...sanitizeText(words)),
      decided_by === null
        ? null
        : h("p", { class: "by" }, "decided by ", h("code", {}, ...sanitizeText(decided_by))),
    );
  }
}

function problemCard({ code, message, place, about }: Problem, decided: number): HTMLElement {
  const row = Object.hasOwn(errorTable, code) ? errorTable[code as keyof typeof errorTable] : null;
  const where = placeText(place);
  const title = decided > 0 ? `Event ${decided + 1} is no event that can be decided` : titles[about];
  return h(
    "div",
    { class: "verdict problem" },
    h("p", { class: "verdict-line" }, h("strong", { class: "problem-title" }, title)),
    where === "" ? null : h("p", { class: "by" }, h("code", {}, ...sanitizeText(where))),
    h("p", {}, ...quotedWords(sentence(message))),
    row === null ? null : h("p", { class: "verdict-means" }, ...withCode(row.fix)),
    h("p", { class: "by" }, h("code", {}, code)),
  );
}

const titles: { readonly [about in Problem["about"]]: string } = {
  pack: "The hook cannot be loaded",
  events: "This is no event that can be decided",
  state: "The state cannot be used",
  page: "The page failed",
};

function details({ decision, states }: Step, ready: boolean): readonly HTMLElement[] {
  const { changes, additions, trace } = decision;
  const sections: HTMLElement[] = [];
  const changed = Object.entries(changes);
  if (changed.length > 0) {
    sections.push(
      section(
        "Changes",
        ...changed.map(([field, value]) => h("div", { class: "part" }, h("h4", {}, field), json(value))),
      ),
    );
  }
  const added = [
    ...(additions.augment ? additions.augment.parts.map((part) => quoted("augment", part)) : []),
    ...additions.messages.map((part) =>
      quoted(`inject, role ${part.role}${part.durable ? ", durable" : ""}`, part),
    ),
    ...additions.context.map((part) => quoted("add_context", part)),
    ...additions.notices.map((part) => quoted("notify, for people only", part)),
  ];
  if (added.length > 0) sections.push(section("Additions", ...added));
  sections.push(section("Trace", h("ol", { class: "trace" }, ...trace.map(traceRow))));
  const kept = Object.entries(states);
  if (kept.length > 0) {
    sections.push(
      section(
        "State afterwards",
        ...kept.map(([hook, text]) =>
          h(
            "div",
            { class: "part" },
            h("h4", {}, ...sanitizeText(hook)),
            text === null ? h("p", { class: "dim" }, "none") : json(JSON.parse(text)),
          ),
        ),
      ),
    );
  }
  const raw = h("details", { class: "raw" }, h("summary", {}, "The whole decision as JSON"), json(decision));
  if (!ready) {
    raw.append(
      h(
        "p",
        { class: "dim note" },
        "An edited script is put together in the page: its steps can differ a little from those that the command line counts. Its answers do not.",
      ),
    );
  }
  return [...sections, raw];
}

function section(title: string, ...children: readonly HTMLElement[]): HTMLElement {
  return h("section", { class: "block" }, h("h3", {}, title), ...children);
}

function quoted(what: string, { hook, text }: AttributedText): HTMLElement {
  return h(
    "div",
    { class: "part" },
    h("h4", {}, `${what}, by `, h("code", {}, ...sanitizeText(hook))),
    h("blockquote", {}, ...sanitizeText(text)),
  );
}

function traceRow(entry: TraceEntry): HTMLElement {
  const { hook, outcome, actions, refused, fault, recheck, note, logs, overwritten } = entry;
  const ran = entry.duration_us > 0 || entry.steps !== null;
  return h(
    "li",
    { class: `trace-row ${outcomeTones.get(outcome) ?? "quiet"}` },
    h(
      "p",
      { class: "trace-head" },
      h("code", { class: "trace-hook" }, ...sanitizeText(hook)),
      h("span", { class: "outcome" }, recheck ? `${outcome}, second run` : outcome),
      ran ? h("span", { class: "cost" }, costOf(entry)) : null,
    ),
    ...actions.map((action) => actionRow(action)),
    ...refused.map(({ action, code, message }) =>
      h(
        "p",
        { class: "refusal" },
        h("code", {}, ...sanitizeText(action)),
        ` refused (${code}): `,
        ...sanitizeText(message),
      ),
    ),
    fault
      ? h(
          "p",
          { class: "refusal" },
          h("code", {}, fault.code),
          " ",
          ...sanitizeText(fault.message + (fault.at ? ` at ${placeText(fault.at)}` : "")),
        )
      : null,
    note === undefined ? null : h("p", { class: "dim" }, ...sanitizeText(note)),
    overwritten === undefined
      ? null
      : h("p", { class: "dim" }, `overwritten later: ${overwritten.join(", ")}`),
    logs.length === 0
      ? null
      : h(
          "pre",
          { class: "logs", tabindex: "0", "aria-label": "Console output" },
          ...logs.flatMap(({ level, text }) => [`${level}: `, ...sanitizeText(text), "\n"]),
        ),
  );
}

function actionRow({ action, ...payload }: Action): HTMLElement {
  const empty = Object.keys(payload).length === 0;
  return h(
    "div",
    { class: "action" },
    h("code", { class: "action-name" }, action),
    empty ? null : json(payload),
  );
}

function costOf({ steps, duration_us, memory_bytes }: TraceEntry): string {
  const parts = [
    steps === null ? null : `${steps.toLocaleString("en")} steps`,
    duration_us >= 1_000 ? `${(duration_us / 1_000).toFixed(1)} ms` : `${duration_us} µs`,
    memory_bytes > 0 ? `${Math.ceil(memory_bytes / 1_024).toLocaleString("en")} KiB` : null,
  ];
  return parts.filter((part) => part !== null).join(" · ");
}

function json(value: unknown): HTMLElement {
  return h(
    "pre",
    { class: "json", tabindex: "0", "aria-label": "JSON" },
    ...sanitizeText(JSON.stringify(value, null, 2)),
  );
}

/** A message, whose quotations of what a stranger wrote stand in backticks. */
function quotedWords(text: string): readonly (Node | string)[] {
  return text
    .split("`")
    .flatMap((part, index) =>
      index % 2 === 0 ? sanitizeText(part) : [h("code", {}, ...sanitizeText(part))],
    );
}

/** A text of ours, with what stands in backticks as code. */
function withCode(text: string): readonly (Node | string)[] {
  return text.split("`").map((part, index) => (index % 2 === 0 ? part : h("code", {}, part)));
}

function sentence(text: string): string {
  if (text === "") return "";
  const end = /[.?!]$/.test(text) ? "" : ".";
  return text[0]?.toUpperCase() + text.slice(1) + end;
}

/** What the page's title says of an answer. */
export function titleOf({ steps, problem }: Answer): string {
  const decision: Decision | undefined = steps.at(-1)?.decision;
  return problem ? "problem" : (decision?.verdict ?? "");
}
