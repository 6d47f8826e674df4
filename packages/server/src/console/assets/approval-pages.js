import { h } from "./dom.js";
import { digest, distance, moment } from "./format.js";
import { inert } from "./inert.js";
import { chip, confirm, empty, heading } from "./parts.js";

const tones = { pending: "warn", approved: "good", denied: "bad", expired: "plain" };

function facts(approval) {
  const rows = [
    ["Tenant", inert(approval.tenant, 64)],
    ["Asked", moment(approval.created)],
    approval.state === "pending"
      ? ["Expires in", distance(approval.expires)]
      : ["Closed", moment(approval.answeredAt)],
    ["Input", h("code", {}, digest(approval.input))],
  ];
  return h(
    "dl",
    { class: "facts" },
    rows.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))),
  );
}

function eventText(approval) {
  return h("pre", { class: "json", tabindex: "0" }, inert(JSON.stringify(approval.event, null, 2), 20_000));
}

function card(approval, answer) {
  const what = approval.event?.tool_name ?? approval.event?.hook_event_name ?? "event";
  const ask = async (decision) => {
    const title = decision === "approve" ? "Allow this step?" : "Deny this step?";
    const content = [facts(approval), eventText(approval)];
    if (await confirm(title, content, decision === "approve" ? "Allow" : "Deny"))
      await answer(approval, decision);
  };
  const buttons =
    approval.state !== "pending"
      ? null
      : h(
          "div",
          { class: "actions" },
          ["deny", "approve"].map((decision) =>
            h(
              "button",
              {
                type: "button",
                class: decision === "approve" ? "button primary" : "button",
                "data-id": `${decision}-${approval.id}`,
                onclick: () => void ask(decision),
              },
              decision === "approve" ? "Allow…" : "Deny…",
            ),
          ),
        );
  return h(
    "li",
    { class: "panel card" },
    h(
      "div",
      { class: "card-head" },
      h("strong", {}, inert(what, 80)),
      chip(approval.state, tones[approval.state]),
    ),
    approval.reasons.map(({ hook, text }) =>
      h("p", {}, h("span", { class: "hook" }, inert(hook ?? "", 80)), ": ", inert(text, 600)),
    ),
    facts(approval),
    h(
      "details",
      { "data-id": `event-${approval.id}` },
      h("summary", {}, "The event as the hook saw it"),
      eventText(approval),
    ),
    approval.note ? h("p", { class: "note" }, inert(approval.note, 1_000)) : null,
    buttons,
  );
}

/** Steps that wait for a person, and those that were answered lately. */
export function approvalsPage({ data: { approvals } }, { answer }) {
  const pending = approvals.filter(({ state }) => state === "pending");
  const closed = approvals.filter(({ state }) => state !== "pending");
  const list = (all) =>
    h(
      "ul",
      { class: "cards" },
      all.map((one) => card(one, answer)),
    );
  return [
    heading("Approvals", "Steps for which a hook asked a person. Without an answer in time they are denied."),
    pending.length === 0
      ? empty(
          "Nothing waits for approval.",
          "A host opens an approval with the header `hookwarden-approval` when a decision may be `ask`.",
        )
      : list(pending),
    closed.length === 0 ? [] : [h("h2", {}, "Answered"), list(closed)],
  ];
}
