import { h, icon } from "./dom.js";
import { inert } from "./inert.js";
import { bytes, count, digest, distance, micros, millis, moment } from "./format.js";
import {
  bar,
  chip,
  confirm,
  course,
  empty,
  gauge,
  heading,
  latency,
  panel,
  table,
  tile,
  verdict,
} from "./parts.js";

/** Most lines of the live page. */
const mostLines = 150;
const tenantLink = (name) => h("a", { href: `#/tenants/${encodeURIComponent(name)}` }, inert(name, 80));

function rolloutText({ generation, active, candidate }) {
  if (active === null || active === undefined) return chip("no pack", "warn");
  const parts = [
    h("span", {}, `revision ${active}`),
    h("span", { class: "note" }, ` generation ${generation}`),
  ];
  if (candidate) parts.push(" ", chip(`r${candidate.revision} on ${candidate.percent} %`, "plain"));
  return parts;
}

/** The server at a glance. */
export function overviewPage({ data: { overview, faults, nodes }, live, rates }) {
  const now = rates.decisions.at(-1) ?? 0;
  return [
    heading("Overview", [
      "Node ",
      inert(overview.node, 64),
      `, version ${overview.version}, engine ${overview.engine}, up for ${distance(overview.started)}`,
    ]),
    h(
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
      tile("In flight", count(overview.in_flight), `${count(overview.waiting)} waiting`),
      tile("Tenants", count(overview.tenants)),
      tile("Memory", bytes(overview.rss_bytes), "of this process"),
    ),
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

function share(part, whole) {
  return whole > 0 ? `${((part / whole) * 100).toFixed(part / whole < 0.01 ? 2 : 1)} % of decisions` : "";
}

function recent(live) {
  const decisions = live.events.filter(({ type }) => type === "decision").slice(0, 6);
  if (decisions.length === 0) return empty("Nothing has been decided since this page was opened.");
  return h("ol", { class: "lines" }, decisions.map(decisionLine));
}

function decisionLine(event) {
  return h(
    "li",
    { class: "line decision" },
    h("time", { datetime: event.at }, moment(event.at)),
    verdict(event.verdict),
    h(
      "span",
      { class: "what" },
      h("strong", {}, inert(event.event, 60)),
      event.tool === null || event.tool === undefined ? null : [" ", h("code", {}, inert(event.tool, 80))],
    ),
    h("span", { class: "whose" }, inert(event.tenant, 64)),
    h("span", { class: "took" }, micros(event.duration_us)),
    event.reason || event.decided_by || event.faults > 0
      ? h(
          "span",
          { class: "why" },
          event.decided_by ? h("span", { class: "hook" }, inert(event.decided_by, 80)) : null,
          event.reason ? inert(event.reason, 600) : null,
          event.faults > 0 ? chip(`${event.faults} fault${event.faults === 1 ? "" : "s"}`, "bad") : null,
        )
      : null,
  );
}

function faultLine(fault) {
  return h(
    "li",
    { class: "line fault" },
    h("time", { datetime: fault.at }, moment(fault.at)),
    chip(fault.code, "bad"),
    h(
      "span",
      { class: "what" },
      h("span", { class: "hook" }, inert(fault.hook, 80)),
      " at ",
      inert(fault.event, 60),
    ),
    h("span", { class: "whose" }, inert(fault.tenant, 64)),
    h(
      "span",
      { class: "why" },
      inert(fault.message, 600),
      fault.place
        ? [" at ", h("code", {}, inert(`${fault.place.file}:${fault.place.line}:${fault.place.column}`, 600))]
        : null,
    ),
  );
}

function otherLine(event) {
  if (event.type === "skipped")
    return h(
      "li",
      { class: "line other" },
      h("time", { datetime: event.at }, moment(event.at)),
      chip("skipped", "plain"),
      h("span", { class: "what" }, `${count(event.events)} events came too fast to be shown`),
    );
  if (event.type === "rollout")
    return h(
      "li",
      { class: "line other" },
      h("time", { datetime: event.at }, moment(event.at)),
      chip("rollout", "good"),
      h("span", { class: "what" }, rolloutText(event)),
      h("span", { class: "whose" }, inert(event.tenant, 64)),
    );
  return h(
    "li",
    { class: "line other" },
    h("time", { datetime: event.at }, moment(event.at)),
    event.lifted ? chip("lifted", "good") : chip("quarantine", "bad"),
    h("span", { class: "what" }, h("span", { class: "hook" }, inert(event.hook, 80))),
    h("span", { class: "whose" }, inert(event.tenant, 64)),
  );
}

const lines = { decision: decisionLine, fault: faultLine };

/** What happens, as it happens. */
export function livePage({ live, filter }, { setFilter }) {
  const words = filter.text.trim().toLowerCase();
  const fits = (event) =>
    (filter.kind === "all" ||
      (filter.kind === "stops" && ["deny", "block", "halt", "skip", "drop_chunk"].includes(event.verdict)) ||
      (filter.kind === "faults" && (event.type === "fault" || event.faults > 0))) &&
    (words === "" ||
      [event.tenant, event.hook, event.decided_by, event.tool, event.event, event.reason, event.message].some(
        (text) =>
          String(text ?? "")
            .toLowerCase()
            .includes(words),
      ));
  const found = live.events.filter(fits).slice(0, mostLines);
  const kinds = [
    ["all", "Everything"],
    ["stops", "Stops"],
    ["faults", "Faults"],
  ];
  return [
    heading(
      "Live",
      live.paused ? `Paused; ${count(live.held)} more have come` : "Decisions and faults, newest first",
      h(
        "button",
        {
          type: "button",
          class: "button",
          id: "pause",
          "aria-pressed": String(live.paused),
          onclick: () => live.pause(!live.paused),
        },
        icon(live.paused ? "play" : "pause"),
        live.paused ? "Go on" : "Pause",
      ),
    ),
    h(
      "div",
      { class: "filters" },
      h(
        "div",
        { class: "switch", role: "group", "aria-label": "Show" },
        kinds.map(([kind, label]) =>
          h(
            "button",
            {
              type: "button",
              id: `kind-${kind}`,
              "aria-pressed": String(filter.kind === kind),
              onclick: () => setFilter({ ...filter, kind }),
            },
            label,
          ),
        ),
      ),
      h("input", {
        id: "filter",
        type: "search",
        value: filter.text,
        placeholder: "Tenant, hook, tool or words",
        "aria-label": "Only with these words",
        autocomplete: "off",
        spellcheck: "false",
        oninput: (event) => setFilter({ ...filter, text: event.target.value }),
      }),
    ),
    found.length === 0
      ? empty("Nothing to show yet.", "Events appear here while this page is open.")
      : h(
          "ol",
          { class: "lines panel" },
          found.map((event) => (lines[event.type] ?? otherLine)(event)),
        ),
  ];
}

/** Who the tenants are, and how they fare. */
export function tenantsPage({ data: { tenants } }) {
  const columns = [
    {
      title: "Tenant",
      cell: (row) => [tenantLink(row.tenant), " ", row.disabled ? chip("disabled", "bad") : null],
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
export function tenantPage({ data: { tenant, hooks } }) {
  const { effective } = tenant;
  return [
    h("a", { class: "back", href: "#/tenants" }, icon("back"), "Tenants"),
    heading(
      inert(tenant.tenant, 80),
      `Since ${moment(tenant.created)}`,
      tenant.disabled ? chip("disabled", "bad") : null,
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
    h("section", { class: "panel flush" }, h("h2", {}, "Hooks"), hooksTable(hooks, false)),
  ];
}

function hooksTable(hooks, withTenant) {
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
export function quarantinePage({ data: { quarantine } }, { lift }) {
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
      "Hooks that failed again and again. Until their time is over they are not run, and their failure policy counts.",
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
