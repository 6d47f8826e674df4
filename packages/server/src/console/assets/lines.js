import { h } from "./dom.js";
import { inert } from "./inert.js";
import { count, micros, moment } from "./format.js";
import { chip, verdict } from "./parts.js";

/** A link to the page of a tenant. */
export const tenantLink = (name) =>
  h("a", { href: `#/tenants/${encodeURIComponent(name)}` }, inert(name, 80));

export function rolloutText({ generation, active, candidate }) {
  if (active === null || active === undefined) return chip("no pack", "warn");
  const parts = [
    h("span", {}, `revision ${active}`),
    h("span", { class: "note" }, ` generation ${generation}`),
  ];
  if (candidate) parts.push(" ", chip(`r${candidate.revision} on ${candidate.percent} %`, "plain"));
  return parts;
}

export function share(part, whole) {
  return whole > 0 ? `${((part / whole) * 100).toFixed(part / whole < 0.01 ? 2 : 1)} % of decisions` : "";
}

export function decisionLine(event) {
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

export function faultLine(fault) {
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

export function otherLine(event) {
  if (event.type === "skipped")
    return h(
      "li",
      { class: "line other" },
      h("time", { datetime: event.at }, moment(event.at)),
      chip("skipped", "plain"),
      h("span", { class: "what" }, `${count(event.events)} events came too fast to be shown`),
    );
  if (event.type === "approval")
    return h(
      "li",
      { class: "line other" },
      h("time", { datetime: event.at }, moment(event.at)),
      chip(event.state, event.state === "pending" ? "warn" : event.state === "approved" ? "good" : "bad"),
      h("span", { class: "what" }, h("a", { href: "#/approvals" }, "approval")),
      h("span", { class: "whose" }, inert(event.tenant, 64)),
    );
  if (event.type === "degraded")
    return h(
      "li",
      { class: "line other" },
      h("time", { datetime: event.at }, moment(event.at)),
      chip(
        event.state === "begun" ? "degraded" : "degraded mode ended",
        event.state === "begun" ? "warn" : "good",
      ),
      h("span", { class: "what" }, inert(event.reason, 300)),
      h("span", { class: "whose" }, inert(event.tenant, 64)),
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
