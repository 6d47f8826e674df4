import { h, svg } from "./dom.js";
import { inert } from "./inert.js";
import { micros } from "./format.js";

/** How each verdict looks. Its word stands beside the colour. */
const tones = {
  continue: "plain",
  allow: "good",
  ask: "warn",
  retry: "warn",
  skip: "warn",
  drop_chunk: "warn",
  deny: "bad",
  block: "bad",
  halt: "bad",
};

export function chip(word, tone) {
  return h("span", { class: `chip ${tone}` }, inert(word, 40));
}

export function verdict(word) {
  return chip(word, Object.hasOwn(tones, word) ? tones[word] : "plain");
}

/** A heading that takes the focus when its page is shown. */
export function heading(title, note, ...beside) {
  return h(
    "div",
    { class: "heading" },
    h("div", {}, h("h1", { tabindex: "-1" }, title), note ? h("p", { class: "note" }, note) : null),
    beside.length > 0 ? h("div", { class: "beside" }, beside) : null,
  );
}

export function panel(title, ...content) {
  return h("section", { class: "panel" }, h("h2", {}, title), content);
}

export function tile(label, value, note, tone) {
  return h(
    "div",
    { class: `tile${tone ? ` ${tone}` : ""}` },
    h("dt", {}, label),
    h("dd", {}, h("span", { class: "figure" }, value), note ? h("span", { class: "note" }, note) : null),
  );
}

export function empty(text, note) {
  return h("div", { class: "empty" }, h("p", {}, text), note ? h("p", { class: "note" }, note) : null);
}

/**
 * A table that turns into cards where there is no room for it.
 *
 * @param columns `{ title, number?, cell(row) }`
 */
export function table(label, columns, rows) {
  const head = columns.map(({ title, number }) =>
    h("th", { role: "columnheader", scope: "col", class: number ? "number" : null }, title),
  );
  return h(
    "div",
    { class: "table-box", tabindex: "0", role: "region", "aria-label": label },
    h(
      "table",
      { role: "table", "aria-label": label },
      h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, head)),
      h(
        "tbody",
        { role: "rowgroup" },
        rows.map((row) =>
          h(
            "tr",
            { role: "row" },
            columns.map(({ title, number, cell }, at) =>
              h(
                "td",
                {
                  role: "cell",
                  "data-label": title,
                  class: `${number ? "number" : ""}${at === 0 ? " lead" : ""}`,
                },
                cell(row),
              ),
            ),
          ),
        ),
      ),
    ),
  );
}

/** Percentiles as bars on one scale: the square root keeps short ones to be seen beside a long one. */
export function latency(view) {
  const rows = [
    ["p50", view.p50_us],
    ["p90", view.p90_us],
    ["p99", view.p99_us],
    ["max", view.max_us],
  ];
  const top = Math.sqrt(Math.max(1, ...rows.map(([, us]) => us)));
  return h(
    "dl",
    { class: "bars" },
    rows.map(([name, us]) =>
      h(
        "div",
        {},
        h("dt", {}, name),
        h("dd", {}, bar(Math.sqrt(us) / top), h("span", { class: "value" }, micros(us))),
      ),
    ),
  );
}

/** @param share 0 to 1. */
export function bar(share, tone = "") {
  const width = Math.max(0, Math.min(100, share * 100));
  return svg(
    "svg",
    { class: `bar ${tone}`, viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("rect", { class: "track", width: 100, height: 8 }),
    svg("rect", { class: "fill", width: width.toFixed(1), height: 8 }),
  );
}

/** What is used of a limit, in words and as a bar. */
export function gauge(label, used, limit, show) {
  const share = limit > 0 ? used / limit : 0;
  const tone = share >= 0.9 ? "bad" : share >= 0.7 ? "warn" : "";
  return h(
    "div",
    { class: "gauge" },
    h("span", { class: "label" }, label),
    h("span", { class: "value" }, `${show(used)} of ${show(limit)}`),
    bar(share, tone),
  );
}

/** The course of some numbers, newest at the right, with a second one in another colour. */
export function course(values, others, label) {
  const [width, height] = [300, 64];
  const top = Math.max(1, ...values, ...others);
  const slots = 60;
  const at = (list) =>
    list.map((value, index) => {
      const x = width - (list.length - 1 - index) * (width / (slots - 1));
      return `${x.toFixed(1)},${(height - 2 - (value / top) * (height - 8)).toFixed(1)}`;
    });
  const line = at(values);
  const first = line[0]?.split(",")[0] ?? width;
  return svg(
    "svg",
    {
      class: "course",
      viewBox: `0 0 ${width} ${height}`,
      preserveAspectRatio: "none",
      role: "img",
      "aria-label": label,
    },
    svg("line", { class: "ground", x1: 0, x2: width, y1: height - 1, y2: height - 1 }),
    line.length > 1 &&
      svg("polygon", { class: "area", points: `${first},${height} ${line.join(" ")} ${width},${height}` }),
    line.length > 1 && svg("polyline", { class: "line", points: line.join(" ") }),
    others.some((value) => value > 0) && svg("polyline", { class: "line bad", points: at(others).join(" ") }),
  );
}

/** Asks before something is done. @returns a promise of whether to go on. */
export function confirm(title, content, action) {
  return new Promise((resolve) => {
    const close = (answer) => {
      dialog.close();
      dialog.remove();
      resolve(answer);
    };
    const dialog = h(
      "dialog",
      { "aria-labelledby": "confirm-title", oncancel: (event) => (event.preventDefault(), close(false)) },
      h("h2", { id: "confirm-title" }, title),
      content,
      h(
        "div",
        { class: "actions" },
        h("button", { type: "button", class: "button", onclick: () => close(false) }, "Cancel"),
        h("button", { type: "button", class: "button primary", onclick: () => close(true) }, action),
      ),
    );
    document.body.append(dialog);
    dialog.showModal();
  });
}
