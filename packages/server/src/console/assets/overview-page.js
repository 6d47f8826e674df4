import { h } from "./dom.js";
import { inert } from "./inert.js";
import { bytes, count, distance } from "./format.js";
import { chip, course, empty, heading, latency, panel, table, tile } from "./parts.js";
import { decisionLine, faultLine, share } from "./lines.js";

/** The server at a glance. */
export function overviewPage({ data: { overview, faults, nodes }, live, rates }) {
  const now = rates.decisions.at(-1) ?? 0;
  return [
    heading("Overview", [
      "Node ",
      inert(overview.node, 64),
      `, version ${overview.version}, engine ${overview.engine}, up for ${distance(overview.started)}`,
    ]),
    tiles(overview, now),
    h(
      "div",
      { class: "columns" },
      panel(
        "Decisions a second",
        course(rates.decisions, rates.faults, `Decisions a second over two minutes, now ${Math.round(now)}`),
        h(
          "p",
          { class: "legend" },
          h("span", { class: "key" }, "decisions"),
          h("span", { class: "key bad" }, "faults"),
          h("span", { class: "note" }, `peak ${count(Math.max(0, ...rates.decisions))}`),
        ),
      ),
      panel("Latency, last minute", latency(overview.latency)),
    ),
    nodes.length === 0 ? [] : nodesPanel(nodes),
    h(
      "div",
      { class: "columns" },
      h(
        "section",
        { class: "panel" },
        h("h2", {}, "Latest decisions", h("a", { class: "more", href: "#/live" }, "all")),
        recent(live),
      ),
      h(
        "section",
        { class: "panel" },
        h("h2", {}, "Latest faults", h("a", { class: "more", href: "#/faults" }, "all")),
        faults.length === 0
          ? empty("No hook has failed.")
          : h(
              "ol",
              { class: "lines" },
              faults.slice(0, 6).map((fault) => faultLine(fault)),
            ),
      ),
    ),
  ];
}

/** The servers of the fleet, and which of them have not come as far as another one. */
function nodesPanel(nodes) {
  const newest = new Map();
  for (const { serving } of nodes)
    for (const [tenant, generation] of Object.entries(serving))
      newest.set(tenant, Math.max(newest.get(tenant) ?? 0, generation));
  const behind = ({ serving }) =>
    Object.entries(serving).filter(([tenant, generation]) => generation < newest.get(tenant)).length;
  const columns = [
    { title: "Node", cell: (row) => h("span", { class: "hook" }, inert(row.node, 64)) },
    { title: "Version", cell: (row) => inert(row.version, 40) },
    { title: "Up for", number: true, cell: (row) => distance(row.started) },
    { title: "Last heard of", number: true, cell: (row) => `${distance(row.at)} ago` },
    { title: "Tenants", number: true, cell: (row) => count(Object.keys(row.serving).length) },
    {
      title: "Packs",
      cell: (row) => {
        const late = behind(row);
        return late === 0 ? chip("up to date", "good") : chip(`${late} behind`, "warn");
      },
    },
  ];
  return h("section", { class: "panel flush" }, h("h2", {}, "Nodes"), table("Nodes", columns, nodes));
}

function recent(live) {
  const decisions = live.events.filter(({ type }) => type === "decision").slice(0, 6);
  if (decisions.length === 0) return empty("Nothing has been decided since this page was opened.");
  return h("ol", { class: "lines" }, decisions.map(decisionLine));
}

function tiles(overview, now) {
  return h(
    "dl",
    { class: "tiles" },
    tile("Decisions", count(overview.decisions), `${count(now)} a second now`),
    tile(
      "Faults",
      count(overview.faults),
      share(overview.faults, overview.decisions),
      overview.faults > 0 ? "warn" : "",
    ),
    tile("Quarantined", count(overview.quarantined), "hooks", overview.quarantined > 0 ? "bad" : ""),
    overview.degraded > 0 ? tile("Degraded", count(overview.degraded), "tenants", "warn") : [],
    tile("In flight", count(overview.in_flight), `${count(overview.waiting)} waiting`),
    tile("Tenants", count(overview.tenants)),
    tile("Memory", bytes(overview.rss_bytes), "of this process"),
  );
}
