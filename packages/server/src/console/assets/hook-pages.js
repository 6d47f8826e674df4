import { h } from "./dom.js";
import { inert } from "./inert.js";
import { count, digest, distance, millis, moment } from "./format.js";
import { bar, chip, confirm, empty, heading, table } from "./parts.js";
import { faultLine, tenantLink } from "./lines.js";

export function hooksTable(hooks, withTenant) {
  const most = Math.max(1, ...hooks.map(({ cpu_ms }) => cpu_ms));
  const columns = [
    {
      title: "Hook",
      cell: (row) => [
        h("span", { class: "hook" }, inert(row.hook, 80)),
        " ",
        row.quarantined ? chip("quarantined", "bad") : null,
      ],
    },
    withTenant && { title: "Tenant", cell: (row) => tenantLink(row.tenant) },
    { title: "Version", cell: (row) => inert(row.version, 40) },
    { title: "Calls", number: true, cell: (row) => count(row.calls) },
    {
      title: "Faults",
      number: true,
      cell: (row) => (row.faults > 0 ? h("span", { class: "tone-bad" }, count(row.faults)) : "0"),
    },
    {
      title: "Time",
      number: true,
      cell: (row) => h("span", { class: "with-bar" }, bar(row.cpu_ms / most), millis(row.cpu_ms)),
    },
    { title: "Each", number: true, cell: (row) => (row.calls > 0 ? millis(row.cpu_ms / row.calls) : "–") },
    { title: "Digest", cell: (row) => h("code", {}, digest(row.digest)) },
  ].filter(Boolean);
  return hooks.length === 0 ? empty("There are no hooks.") : table("Hooks", columns, hooks);
}

/** All hooks, those that took most time first. */
export function hooksPage({ data: { hooks } }) {
  const sorted = [...hooks].sort((one, other) => other.cpu_ms - one.cpu_ms);
  return [
    heading("Hooks", `${count(hooks.length)} loaded; those that took most time first`),
    h("div", { class: "panel flush" }, hooksTable(sorted, true)),
  ];
}

/** What hooks did wrong. */
export function faultsPage({ data: { faults } }) {
  return [
    heading("Faults", "Crashes, timeouts, bad output and actions that were not allowed, newest first"),
    faults.length === 0
      ? empty("No hook has failed.")
      : h(
          "ol",
          { class: "lines panel" },
          faults.map((fault) => faultLine(fault)),
        ),
  ];
}

/** Hooks that are not run until they have waited long enough. */
export function quarantinePage({ data: { quarantine, faults } }, { lift }) {
  const ask = async (entry) => {
    const content = [
      h(
        "p",
        {},
        h("span", { class: "hook" }, inert(entry.hook, 80)),
        " of ",
        inert(entry.tenant, 64),
        " runs again from the next event on.",
      ),
      h("p", { class: "note" }, "If it fails again, it comes back here for longer."),
    ];
    if (await confirm("Lift the quarantine?", content, "Lift")) await lift(entry);
  };
  return [
    heading(
      "Quarantine",
      "Hooks that failed repeatedly. They do not run until the time shown; meanwhile their failure policy decides.",
    ),
    quarantine.length === 0
      ? empty("No hook is quarantined.", "A hook comes here when it fails many times in a row.")
      : h(
          "ul",
          { class: "cards" },
          quarantine.map((entry) =>
            h(
              "li",
              { class: "panel card" },
              h(
                "div",
                { class: "card-head" },
                h("span", { class: "hook" }, inert(entry.hook, 80)),
                chip(entry.fault, "bad"),
              ),
              h(
                "dl",
                { class: "facts" },
                h("div", {}, h("dt", {}, "Tenant"), h("dd", {}, tenantLink(entry.tenant))),
                h("div", {}, h("dt", {}, "Since"), h("dd", {}, moment(entry.since))),
                h("div", {}, h("dt", {}, "Runs again in"), h("dd", {}, distance(entry.until))),
                h("div", {}, h("dt", {}, "Times in a row"), h("dd", {}, count(entry.times))),
              ),
              reasons(entry, faults),
              h(
                "button",
                { type: "button", class: "button", "data-id": entry.id, onclick: () => void ask(entry) },
                "Lift quarantine",
              ),
            ),
          ),
        ),
  ];
}

/** The last failures of a quarantined hook. */
function reasons(entry, faults) {
  const own = faults.filter(({ tenant, hook }) => tenant === entry.tenant && hook === entry.hook).slice(0, 3);
  if (own.length === 0) return null;
  return h(
    "details",
    { "data-id": `why-${entry.id}` },
    h("summary", {}, "Why it is here"),
    h(
      "ol",
      { class: "lines" },
      own.map((fault) => faultLine(fault)),
    ),
  );
}
