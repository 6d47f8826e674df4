import { h } from "./dom.js";
import { distance, moment } from "./format.js";
import { inert } from "./inert.js";
import { chip, confirm, panel } from "./parts.js";

const maxMinutes = 240;

/** Shown wherever a tenant is in degraded mode. */
export function degradedChip({ degraded }) {
  return degraded ? chip("degraded", "warn") : null;
}

function field(id, label, attributes) {
  return h("p", { class: "field" }, h("label", { for: id }, label), h("input", { id, ...attributes }));
}

/** Opens, shows and ends the degraded mode of a tenant. */
export function degradedPanel(tenant, degrade) {
  const { degraded } = tenant;
  if (!degraded) {
    const open = async () => {
      const reason = field("degraded-reason", "Reason, shown to everyone who is asked", {
        maxlength: "300",
        autocomplete: "off",
      });
      const minutes = field("degraded-minutes", `Minutes, at most ${maxMinutes}`, {
        type: "number",
        min: "1",
        max: `${maxMinutes}`,
        value: "30",
      });
      const value = (of) => of.querySelector("input").value;
      if (await confirm("Open degraded mode?", [reason, minutes], "Open"))
        await degrade(tenant.tenant, { reason: value(reason), minutes: Number(value(minutes)) });
    };
    return panel(
      "Degraded mode",
      h(
        "p",
        {},
        "Off: an event at which a guard fails is denied. While it is on, a person is asked instead, if the request can open an approval.",
      ),
      h(
        "button",
        { type: "button", class: "button", "data-id": "degrade", onclick: () => void open() },
        "Open…",
      ),
    );
  }
  const end = async () => {
    const content = h("p", {}, "From the next event on, what a guard fails at is denied.");
    if (await confirm("End degraded mode?", content, "End")) await degrade(tenant.tenant, null);
  };
  const rows = [
    ["Reason", inert(degraded.reason, 300)],
    ["Since", moment(degraded.since)],
    ["Ends in", distance(degraded.until)],
    ["Opened by", h("code", {}, inert(degraded.by, 80))],
  ];
  return panel(
    "Degraded mode",
    h("p", {}, chip("on", "warn"), " A person is asked where a guard fails."),
    h(
      "dl",
      { class: "facts" },
      rows.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))),
    ),
    h(
      "button",
      { type: "button", class: "button", "data-id": "end-degraded", onclick: () => void end() },
      "End now",
    ),
  );
}
