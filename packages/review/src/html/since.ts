import { markup, type Markup, words } from "@hookwarden/testing/html";
import type { SinceLastTime } from "../report.ts";
import { codes, count, guestBlock } from "./texts.ts";

/** Changes since the last reviewed version; loosenings are red. */
export function since(changes: SinceLastTime | null): Markup | null {
  if (!changes) return null;
  const { old, hooks, powers, groups, loosenings, explored } = changes;
  const before = [old.name, old.version].filter((part) => part !== null).join(" ") || old.pack.slice(0, 19);
  const rows = [
    ["added", hooks.added],
    ["removed", hooks.removed],
    ["changed", hooks.changed],
  ] as const;
  return markup`<section aria-labelledby="since">
    <h2 id="since">Changes since the last review</h2>
    <p>
      Compared with <strong>${before}</strong>, over the recorded
      events${explored > 0 ? ` and ${count(explored, "event")} near them` : ""}.
    </p>
    <p class="${loosenings > 0 ? "grown" : "good-line"}">
      ${loosenings > 0 ? `${count(loosenings, "loosening")}: events that were stopped before now pass, or powers were added.` : "No loosenings over these events."}
    </p>
    ${changes.sources.map(
      ({ hook, lines }) =>
        markup`<details class="more">
          <summary>Changed lines of <code>${hook}</code></summary>
          ${guestBlock(lines, `changed lines of ${hook}`)}
        </details>`,
    )}
    <ul class="plain">
      ${rows.map(([what, names]) => (names.length > 0 ? markup`<li>${what}: ${codes(names)}</li>` : null))}
    </ul>
    ${powers.length === 0 ? null : grownPowers(powers)} ${groups.length === 0 ? null : differences(groups)}
  </section>`;
}

function grownPowers(powers: SinceLastTime["powers"]): Markup {
  const sorted = powers.toSorted((a, b) => Number(b.opens) - Number(a.opens));
  return markup`<h3>Powers</h3>
    <ul class="plain powers-diff">
      ${sorted.map(
        ({ hook, what, opens }) =>
          markup`<li class="${opens ? "grown" : "shrunk"}">
            <span class="sign" aria-hidden="true">${opens ? "▲" : "▽"}</span>
            <span
              >${subject(hook)}: ${words(what)}${opens ? markup` <strong>grown</strong>` : null}</span
            >
          </li>`,
      )}
    </ul>`;
}

function differences(groups: SinceLastTime["groups"]): Markup {
  return markup`<h3>Decisions that differ</h3>
    ${groups.map(
      ({ hook, event, kind, change, opens, count: times, example }) =>
        markup`<details class="fold ${opens ? "opens" : ""}">
          <summary>
            <span class="${opens ? "grown" : ""}"
              >${subject(hook)}, ${event}, ${kind}: ${words(change)}</span
            >
            <span class="quiet">${count(times, "event")}</span>
          </summary>
          <h4>Smallest example</h4>
          ${guestBlock(example.event, "event")}
          <div class="pair">
            <div>
              <h4>Before</h4>
              ${guestBlock(example.old, "before")}
            </div>
            <div>
              <h4>Now</h4>
              ${guestBlock(example.new, "now")}
            </div>
          </div>
        </details>`,
    )}`;
}

function subject(hook: string | null): Markup | string {
  return hook === null ? "the pack" : markup`<code>${hook}</code>`;
}
