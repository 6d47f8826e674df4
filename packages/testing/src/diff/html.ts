import { escape, Markup, words as inWords } from "../html/markup.ts";
import { page } from "../html/page.ts";
import type { PackDiff, PackName } from "./diff.ts";
import type { Group } from "./group.ts";
import type { Loosening } from "./loosening.ts";
import { formatEventRanges } from "./event-ranges.ts";

const style = `
:root { color-scheme: light dark; --line: light-dark(#d5d9e0, #3a3f4b); --soft: light-dark(#f5f6f8, #1e2128);
  --bad: light-dark(#b3261e, #ff8a80); --good: light-dark(#1b6e3c, #7bd69b); --dim: light-dark(#59606d, #a0a7b4); }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; padding: 1rem; max-width: 60rem;
  background: light-dark(#fff, #15171c); color: light-dark(#1a1d23, #e6e8ec); }
h1 { font-size: 1.5rem; margin: 0 0 .5rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
code, pre { font: .85em/1.45 ui-monospace, monospace; }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: 6px; padding: .6rem;
  margin: .3rem 0; white-space: pre-wrap; overflow-wrap: anywhere; }
.dim { color: var(--dim); } .bad { color: var(--bad); font-weight: 600; } .good { color: var(--good); font-weight: 600; }
ul { padding-left: 1.2rem; } li, p, summary { overflow-wrap: anywhere; }
details { border: 1px solid var(--line); border-radius: 6px; padding: .4rem .7rem; margin: .5rem 0; }
summary { cursor: pointer; }
`;

/** Most loosenings that are listed one by one; the JSON has all. */
const maxLoosenings = 500;
/** Longest example, in characters of JSON. */
const maxExampleLength = 4_000;

/**
 * The report as one HTML file, without scripts and without anything from elsewhere: its policy forbids both, whatever
 * a hook or an event has put into a text.
 */
export function diffHtml(diff: PackDiff): string {
  const body = `<main>
<h1>Behaviour diff</h1>
<p>${named(diff.old)} → ${named(diff.new)}<br>
<span class="dim">${diff.events} recorded events${diff.explored > 0 ? `, ${diff.explored} near them` : ""}</span></p>
${verdict(diff)}
${loosenings(diff.loosenings)}
${hooks(diff)}
${powers(diff)}
${groups(diff.groups)}
</main>`;
  return page({ title: "Behaviour diff", style, body: new Markup(body) });
}

function verdict({ newLoosenings, loosenings: all, groups: changes, powers: gained }: PackDiff): string {
  const accepted = all.length - newLoosenings;
  const also = accepted > 0 ? ` ${accepted} accepted.` : "";
  if (newLoosenings > 0) return `<p class="bad">${count(newLoosenings, "new loosening")}.${also}</p>`;
  const same = changes.length === 0 && gained.length === 0;
  return `<p class="good">${same ? "No difference in behaviour." : `No new loosening.${also}`}</p>`;
}

function loosenings(all: readonly Loosening[]): string {
  if (all.length === 0) return "";
  const rows = all.slice(0, maxLoosenings).map(({ hook, what, event, accepted }) => {
    const place = event ? ` <span class="dim">${escape(event.place)}</span>` : "";
    const mark = accepted ? ` <span class="good">accepted</span>` : "";
    return `<li>${subject(hook)}: ${words(what)}${place}${mark}</li>`;
  });
  const more = all.length - rows.length;
  return `<h2>Loosenings</h2>
<ul>
${rows.join("\n")}
</ul>${more > 0 ? `\n<p class="dim">and ${more} more</p>` : ""}`;
}

function hooks({ hooks: { added, removed, changed, same } }: PackDiff): string {
  const row = (title: string, names: readonly string[]): string =>
    names.length === 0
      ? ""
      : `<li>${title}: ${names.map((name) => `<code>${escape(name)}</code>`).join(", ")}</li>\n`;
  return `<h2>Hooks</h2>
<ul>
${row("added", added)}${row("removed", removed)}${row("changed", changed)}${row("the same", same)}</ul>`;
}

function powers({ powers: all }: PackDiff): string {
  if (all.length === 0) return "";
  const rows = all.map(
    ({ hook, what, opens }) => `<li${opens ? ` class="bad"` : ""}>${subject(hook)}: ${words(what)}</li>`,
  );
  return `<h2>Powers</h2>
<ul>
${rows.join("\n")}
</ul>`;
}

function groups(all: readonly Group[]): string {
  if (all.length === 0) return "";
  const rows = all.map(({ hook, event, kind, change, opens, count: times, places, example }) => {
    const title = `${subject(hook)}, ${escape(event)}, ${kind}: ${words(change)}`;
    return `<details>
<summary${opens ? ` class="bad"` : ""}>${title} <span class="dim">${count(times, "event")}</span></summary>
<p class="dim">${escape(formatEventRanges(places, 20))}</p>
<p>Smallest example: ${escape(example.event.place)}</p>
<pre>${shown(example.event.fields)}</pre>
<p>Old</p>
<pre>${shown(example.old)}</pre>
<p>New</p>
<pre>${shown(example.new)}</pre>
</details>`;
  });
  return `<h2>Differences</h2>
${rows.join("\n")}`;
}

function named({ name, version, digest }: PackName): string {
  const title = [name, version].filter((part) => part !== null).join(" ");
  return `${escape(title === "" ? "pack" : title)} <code class="dim">${escape(digest.slice(0, 19))}</code>`;
}

function subject(hook: string | null): string {
  return hook === null ? "the pack" : `<code>${escape(hook)}</code>`;
}

/** Our own words with names in backticks. */
function words(text: string): string {
  return inWords(text).text;
}

function shown(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value, null, 2);
  return escape(text.length > maxExampleLength ? `${text.slice(0, maxExampleLength)}…` : text);
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
