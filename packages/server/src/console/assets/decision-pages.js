import { h, icon } from "./dom.js";
import { digest, micros, moment } from "./format.js";
import { inert } from "./inert.js";
import { chip, empty, heading, panel, table, verdict } from "./parts.js";

const verdicts = ["", "deny", "block", "halt", "ask", "allow", "retry", "skip", "continue"];
const part = encodeURIComponent;
/** What is being typed: the page is drawn again meanwhile. */
const drafts = {};

function field(label, control) {
  return h("label", { class: "field" }, h("span", {}, label), control);
}

function select(id, values, chosen, onchange) {
  return h(
    "select",
    { id, onchange: (event) => onchange(event.target.value) },
    values.map((value) => h("option", { value, selected: value === chosen }, value === "" ? "any" : value)),
  );
}

/** Finds decisions of one tenant. The filters are in the address, so that a view can be shared. */
export function decisionsPage({ data, query }, { setQuery }) {
  const { tenants, decisions, more } = data;
  const names = tenants.map(({ tenant }) => tenant);
  const tenant = query.tenant ?? names[0] ?? "";
  const text = (id, label) =>
    field(
      label,
      h("input", {
        id,
        type: "search",
        value: drafts[id] ?? query[id] ?? "",
        autocomplete: "off",
        spellcheck: "false",
        oninput: (event) => (drafts[id] = event.target.value),
        onchange: (event) => {
          delete drafts[id];
          setQuery({ [id]: event.target.value });
        },
      }),
    );
  return [
    heading("Decisions", "From the audit, newest first"),
    h(
      "div",
      { class: "filters" },
      field(
        "Tenant",
        select("tenant", names, tenant, (value) => setQuery({ tenant: value })),
      ),
      field(
        "Verdict",
        select("verdict", verdicts, query.verdict ?? "", (value) => setQuery({ verdict: value })),
      ),
      text("hook", "Hook"),
      text("text", "Text"),
    ),
    decisions.length === 0
      ? empty(
          "No decisions found.",
          more ? "Only the newest 5,000 records were searched." : "Change the filters, or send an event.",
        )
      : h("div", { class: "panel flush" }, table("Decisions", columnsOf(tenant), decisions)),
  ];
}

function columnsOf(tenant) {
  return [
    {
      title: "Time",
      cell: (row) =>
        h("a", { href: `#/decisions/${part(tenant)}/${part(row.node)}/${row.n}` }, moment(row.time)),
    },
    { title: "Verdict", cell: (row) => verdict(row.verdict) },
    {
      title: "Event",
      cell: (row) => [
        inert(row.event, 60),
        row.tool === null ? null : [" ", h("code", {}, inert(row.tool, 80))],
      ],
    },
    { title: "Decided by", cell: (row) => (row.decided_by === null ? "–" : inert(row.decided_by, 80)) },
    { title: "Reason", cell: (row) => (row.reason === null ? "" : inert(row.reason, 160)) },
    {
      title: "Faults",
      number: true,
      cell: (row) => (row.faults > 0 ? chip(String(row.faults), "bad") : "0"),
    },
  ];
}

function callRow(entry) {
  const { hook, outcome, fault } = entry;
  return h(
    "li",
    { class: "line other" },
    h("span", { class: "hook" }, inert(hook ?? "", 80)),
    chip(fault ? fault.code : (entry.action ?? outcome ?? "ran"), fault ? "bad" : "plain"),
    h("span", { class: "took" }, micros(entry.duration_us)),
    fault
      ? h(
          "span",
          { class: "why" },
          inert(fault.message, 600),
          fault.at
            ? [" at ", h("code", {}, inert(`${fault.at.file}:${fault.at.line}:${fault.at.column}`, 600))]
            : null,
        )
      : null,
  );
}

/** One decision with its trace. */
export function decisionPage({ data: { record } }) {
  const { decision, event, time } = record;
  const trace = decision.trace ?? [];
  return [
    h("a", { class: "back", href: "#/decisions" }, icon("back"), "Decisions"),
    heading(
      inert(decision.hook_event_name, 60),
      [moment(time), " · ", inert(decision.decision_id, 128)],
      verdict(decision.verdict),
    ),
    decision.reason
      ? h("p", {}, inert(decision.decided_by ?? "", 80), ": ", inert(decision.reason, 2_000))
      : null,
    panel(
      "Trace",
      trace.length === 0
        ? empty("No hook was called.", "None is subscribed to this event, or its matcher did not fit.")
        : h("ol", { class: "lines" }, trace.map(callRow)),
    ),
    panel("Event", h("pre", { class: "json", tabindex: "0" }, inert(JSON.stringify(event, null, 2), 50_000))),
    panel(
      "Record",
      h(
        "dl",
        { class: "facts" },
        h("div", {}, h("dt", {}, "Pack"), h("dd", {}, h("code", {}, digest(decision.pack)))),
        h(
          "div",
          {},
          h("dt", {}, "Replayable"),
          h("dd", {}, record.replayable ? "yes" : `no: ${record.why ?? ""}`),
        ),
      ),
    ),
  ];
}
