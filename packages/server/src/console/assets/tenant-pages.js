import { h, icon } from "./dom.js";
import { inert } from "./inert.js";
import { count, digest, micros, millis, moment } from "./format.js";
import { chip, confirm, empty, gauge, heading, latency, panel, table, tile } from "./parts.js";
import { degradedChip, degradedPanel } from "./degraded.js";
import { rolloutText, share, tenantLink } from "./lines.js";
import { hooksTable } from "./hook-pages.js";

/** Who the tenants are, and how they fare. */
export function tenantsPage({ data: { tenants } }) {
  const columns = [
    {
      title: "Tenant",
      cell: (row) => [
        tenantLink(row.tenant),
        " ",
        row.disabled ? chip("disabled", "bad") : null,
        degradedChip(row),
      ],
    },
    { title: "Pack", cell: (row) => rolloutText(row.rollout) },
    { title: "Hooks", number: true, cell: (row) => count(row.hooks) },
    { title: "Decisions", number: true, cell: (row) => count(row.decisions) },
    {
      title: "Faults",
      number: true,
      cell: (row) => (row.faults > 0 ? h("span", { class: "tone-bad" }, count(row.faults)) : "0"),
    },
    { title: "Refused", number: true, cell: (row) => count(row.refused) },
    { title: "p99", number: true, cell: (row) => micros(row.latency.p99_us) },
    {
      title: "Lane",
      cell: (row) => [
        chip(row.lane, row.lane === "slow" ? "warn" : "plain"),
        row.quarantined > 0 ? [" ", chip(`${row.quarantined} quarantined`, "bad")] : null,
      ],
    },
  ];
  return [
    heading("Tenants", `${count(tenants.length)} on this server`),
    tenants.length === 0
      ? empty("There are no tenants yet.")
      : h("div", { class: "panel flush" }, table("Tenants", columns, tenants)),
  ];
}

/** One tenant. */
export function tenantPage({ data: { tenant, hooks, packs } }, { degrade, rollback }) {
  const { effective } = tenant;
  return [
    h("a", { class: "back", href: "#/tenants" }, icon("back"), "Tenants"),
    heading(
      inert(tenant.tenant, 80),
      `Since ${moment(tenant.created)}`,
      tenant.disabled ? chip("disabled", "bad") : null,
      degradedChip(tenant),
    ),
    h(
      "dl",
      { class: "tiles" },
      tile("Decisions", count(tenant.decisions)),
      tile(
        "Faults",
        count(tenant.faults),
        share(tenant.faults, tenant.decisions),
        tenant.faults > 0 ? "warn" : "",
      ),
      tile("Refused", count(tenant.refused)),
      tile("Quarantined", count(tenant.quarantined), "hooks", tenant.quarantined > 0 ? "bad" : ""),
    ),
    h(
      "div",
      { class: "columns" },
      panel(
        "Use of limits",
        gauge("Decisions under way", tenant.in_flight, effective.concurrency, count),
        gauge("Waiting", tenant.waiting, effective.queued, count),
        gauge("Time of hooks this minute", tenant.cpu_ms, effective.cpuMsPerMinute, millis),
        gauge("Hooks", tenant.hooks, effective.residentHooks, count),
      ),
      panel("Latency, last minute", latency(tenant.latency)),
    ),
    panel(
      "Pack",
      h(
        "dl",
        { class: "facts" },
        h("div", {}, h("dt", {}, "Serves"), h("dd", {}, rolloutText(tenant.rollout))),
        h("div", {}, h("dt", {}, "Digest"), h("dd", {}, h("code", {}, digest(tenant.pack)))),
        h("div", {}, h("dt", {}, "Signed bundles only"), h("dd", {}, tenant.signedOnly ? "yes" : "no")),
        h("div", {}, h("dt", {}, "Requests a second"), h("dd", {}, count(effective.requestsPerSecond))),
      ),
    ),
    trialPanel(packs.candidate),
    degradedPanel(tenant, degrade),
    revisionsPanel(tenant, packs, rollback),
    h("section", { class: "panel flush" }, h("h2", {}, "Hooks"), hooksTable(hooks, false)),
  ];
}

/** How the pack on trial differs from the one that serves. */
function trialPanel(candidate) {
  if (!candidate) return [];
  const { sampled, same, stricter, looser, changed, faults, skipped } = candidate;
  const rows = [
    ["Compared", sampled],
    ["Same verdict", same],
    ["Stricter", stricter],
    ["Looser", looser],
    ["Other changes", changed],
    ["Faults", faults],
    ["Skipped", skipped],
  ];
  return panel(
    `Trial of revision ${candidate.revision} on ${candidate.percent} % of events`,
    h(
      "dl",
      { class: "facts" },
      rows.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, count(value)))),
    ),
    looser > 0
      ? h("p", { class: "note" }, "Looser: the trial would have allowed what the serving pack stopped.")
      : null,
  );
}

/** Stored revisions; one that served before can serve again. */
function revisionsPanel(tenant, { revisions, history }, rollback) {
  const served = new Set(history.map(({ active }) => active));
  const ask = async (row) => {
    const content = h("p", {}, `Revision ${row.revision} decides from the next event on.`);
    if (await confirm("Roll back?", content, "Roll back")) await rollback(tenant.tenant, row.revision);
  };
  const columns = [
    { title: "Revision", cell: (row) => `${row.revision}` },
    { title: "Version", cell: (row) => [inert(row.name, 60), " ", inert(row.version, 40)] },
    { title: "Uploaded", cell: (row) => moment(row.created) },
    { title: "Signed by", cell: (row) => (row.signedBy === null ? "–" : inert(row.signedBy, 60)) },
    { title: "Hooks", number: true, cell: (row) => count(row.hooks) },
    {
      title: "Serves",
      cell: (row) =>
        row.revision === tenant.rollout.active
          ? chip("serves", "good")
          : served.has(row.revision)
            ? h(
                "button",
                {
                  type: "button",
                  class: "button",
                  "data-id": `rollback-${row.revision}`,
                  onclick: () => void ask(row),
                },
                "Roll back…",
              )
            : "–",
    },
  ];
  return h(
    "section",
    { class: "panel flush" },
    h("h2", {}, "Revisions"),
    revisions.length === 0
      ? empty("No pack was uploaded yet.", "Upload one with PUT /v1/tenants/{tenant}/packs.")
      : table("Revisions", columns, revisions),
  );
}
