import { setKey } from "./api.js";
import { h, mark } from "./dom.js";
import { themeButton } from "./theme.js";

/**
 * Shows the form that asks for a key.
 *
 * @param why what was wrong with the last one.
 */
export function showSignIn(app, { why, again, open }) {
  const key = h("input", {
    id: "key",
    type: "password",
    name: "key",
    autocomplete: "off",
    spellcheck: "false",
    required: true,
    "aria-describedby": "key-note",
  });
  const keep = h("input", { id: "keep", type: "checkbox", checked: true });
  const form = h(
    "form",
    {
      class: "panel",
      onsubmit: (event) => {
        event.preventDefault();
        const text = key.value.trim();
        // What cannot stand in a header is no key.
        if (!/^[\x21-\x7e]{1,4096}$/.test(text)) return again("This cannot be a key.");
        setKey(text, keep.checked);
        open();
      },
    },
    h("label", { for: "key" }, "Operator key"),
    key,
    h("p", { id: "key-note", class: "note" }, "It stays in this tab, and is sent to this server only."),
    h("div", { class: "check" }, keep, h("label", { for: "keep" }, "Keep it until the tab is closed")),
    why ? h("p", { class: "wrong", role: "alert" }, why) : null,
    h("button", { type: "submit", class: "button primary" }, "Open the console"),
  );
  app.replaceChildren(
    h(
      "main",
      { class: "sign-in" },
      h("div", { class: "brand" }, mark(), h("h1", {}, "hookwarden console")),
      form,
      h("div", { class: "corner" }, themeButton()),
    ),
  );
  key.focus();
}
