import { markup, Markup, type Part, escape } from "@hookwarden/testing/html";
import type { Severity } from "../codes.ts";
import type { CodePlace, GuestText, ReviewSubject } from "../report.ts";

/** What of a guest's text was written out, because it could not have been seen. */
const written = /\\u\{([0-9a-f]{1,6})\}/g;

/** A stranger's text: escaped, with invisible characters marked, and its original length if it was cut. */
export function guest({ text, cutFrom }: GuestText): Markup {
  const inert = escape(text).replace(written, `<span class="hidden">\\u{$1}</span>`);
  const rest =
    cutFrom === null ? "" : `<span class="cut"> … truncated from ${thousands(cutFrom)} characters</span>`;
  return new Markup(inert + rest);
}

/** A stranger's text as a block. */
export function guestBlock(text: GuestText, label: string): Markup {
  return markup`<pre class="guest" tabindex="0" role="region" aria-label="${label}">${guest(text)}</pre>`;
}

export function named({ name, version, kind }: ReviewSubject): string {
  return [name ?? `a ${kind}`, version].filter((part) => part !== null).join(" ");
}

export function thousands(number: number): string {
  return number.toLocaleString("en");
}

export function count(number: number, noun: string, plural = `${noun}s`): string {
  return `${thousands(number)} ${number === 1 ? noun : plural}`;
}

/** Bytes as people say them. */
export function bytes(number: number): string {
  if (number < 1_024) return `${number} B`;
  const [value, unit] = number < 1_048_576 ? [number / 1_024, "KiB"] : [number / 1_048_576, "MiB"];
  return `${value < 10 ? Number(value.toFixed(1)) : Math.round(value)} ${unit}`;
}

/** A lower-case sentence as a whole one. */
export function sentence(text: string): string {
  return text === "" ? "" : text.charAt(0).toUpperCase() + text.slice(1) + (/[.?!]$/.test(text) ? "" : ".");
}

/** Where something stands, as people look it up: the file where it is known, else the program. */
export function place({ line, column, module, moduleLine }: CodePlace): string {
  return module !== null && moduleLine !== null
    ? `${module.replace(/^(?:pack|modules):/, "")}:${moduleLine}`
    : `program:${line}:${column}`;
}

export function badge(severity: Severity): Markup {
  return markup`<span class="badge ${severity}">${severity}</span>`;
}

export function list(items: readonly Part[], nothing: string): Markup {
  return items.length === 0
    ? markup`<p class="quiet">${nothing}</p>`
    : markup`<ul>
        ${items.map((item) => markup`<li>${item}</li>`)}
      </ul>`;
}

export function codes(names: readonly string[]): Markup {
  return markup`${names.map((name, index) => [index > 0 ? ", " : "", markup`<code>${name}</code>`])}`;
}

/** A table that scrolls by itself where it is wider than the page, also by the keyboard. */
export function table(
  label: string,
  head: readonly Part[],
  rows: readonly (readonly Part[])[],
  kind = "",
): Markup {
  return markup`<div class="scroll" tabindex="0" role="region" aria-label="${label}">
    <table class="${kind}">
      <thead>
        <tr>
          ${head.map((cell) => markup`<th scope="col">${cell}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            markup`<tr>
              ${row.map((cell, index) => markup`<td data-label="${headText(head[index])}"><div>${cell}</div></td>`)}
            </tr> `,
        )}
      </tbody>
    </table>
  </div>`;
}

function headText(part: Part): string {
  return typeof part === "string" ? part : "";
}
