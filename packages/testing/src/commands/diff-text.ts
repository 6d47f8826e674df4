import type { Group, Loosening, PackDiff } from "../diff/index.ts";
import { formatEventRanges } from "../diff/event-ranges.ts";
import { plural, excerpt, safeJson, paragraph, type Terminal } from "hookwarden/cli";

/** Most places that are named in full. */
const maxPlaces = 40;
/** Longest event or value that is shown, in characters. */
const longest = 300;

/** The report for people: loosenings first, then what else differs. */
export function diffText(diff: PackDiff, terminal: Terminal): string {
  const { groups, powers, loosenings, newLoosenings } = diff;
  const lines = [hooksOf(diff, terminal), ...powersOf(diff, terminal)];
  for (const group of groups) lines.push(...groupLines(group, terminal));
  const accepted = loosenings.length - newLoosenings;
  const also = accepted > 0 ? `; ${accepted} accepted` : "";
  const looked = `${plural(diff.events, "recorded event")}${diff.explored > 0 ? ` and ${diff.explored} near them` : ""}`;
  const nothing = groups.length === 0 && powers.length === 0 && loosenings.length === 0;
  const text = `${looked}: ${nothing ? "no difference" : newLoosenings > 0 ? plural(newLoosenings, "new loosening") + also : `no new loosening${also}`}`;
  lines.push("", paragraph(terminal, 0, { text, style: newLoosenings > 0 ? "red" : "green" }));
  return lines.join("\n");
}

function hooksOf({ hooks: { added, removed, changed, same } }: PackDiff, terminal: Terminal): string {
  const parts = [
    ...(changed.length > 0 ? [`changed: ${changed.join(", ")}`] : []),
    ...(added.length > 0 ? [`added: ${added.join(", ")}`] : []),
    ...(removed.length > 0 ? [`removed: ${removed.join(", ")}`] : []),
    `${same.length} the same`,
  ];
  return paragraph(terminal, 0, `hooks: ${parts.join("; ")}`);
}

function powersOf({ powers, loosenings }: PackDiff, terminal: Terminal): readonly string[] {
  const accepted = new Set(loosenings.filter((one) => one.accepted && one.kind === "power").map(keyOf));
  return powers.map(({ hook, what, opens }) => {
    const mark = !opens
      ? ""
      : accepted.has(keyOf({ hook, what }))
        ? " (loosening, accepted)"
        : " (loosening)";
    const text = `${hook ?? "the pack"}: ${what}${mark}`;
    return paragraph(terminal, 0, opens ? { text, style: "red" } : text);
  });
}

function keyOf({ hook, what }: Pick<Loosening, "hook" | "what">): string {
  return JSON.stringify([hook, what]);
}

function groupLines(group: Group, terminal: Terminal): readonly string[] {
  const { hook, event, kind, change, opens, count, places, example } = group;
  const title = `${hook ?? "the pack"} · ${event} · ${kind}: ${change} · ${plural(count, "event")}${opens ? " (loosening)" : ""}`;
  return [
    "",
    paragraph(terminal, 0, { text: title, style: opens ? "red" : "bold" }),
    paragraph(terminal, 2, { text: formatEventRanges(places, opens ? maxPlaces : 5), style: "dim" }),
    paragraph(terminal, 2, `smallest: ${excerpt(safeJson(example.event.fields), longest)}`),
    paragraph(terminal, 2, `old: ${value(example.old)}`),
    paragraph(terminal, 2, `new: ${value(example.new)}`),
  ];
}

function value(of: unknown): string {
  return of === undefined || of === null ? "nothing" : excerpt(safeJson(of), longest);
}
