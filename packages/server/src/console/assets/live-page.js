import { h, icon } from "./dom.js";
import { count } from "./format.js";
import { empty, heading } from "./parts.js";
import { decisionLine, faultLine, otherLine } from "./lines.js";

/** Most lines of the live page. */
const mostLines = 150;
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
    filterBar(filter, setFilter),
    found.length === 0
      ? empty("Nothing to show yet.", "Events appear here while this page is open.")
      : h(
          "ol",
          { class: "lines panel" },
          found.map((event) => (lines[event.type] ?? otherLine)(event)),
        ),
  ];
}

function filterBar(filter, setFilter) {
  const kinds = [
    ["all", "Everything"],
    ["stops", "Stops"],
    ["faults", "Faults"],
  ];
  return h(
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
  );
}
