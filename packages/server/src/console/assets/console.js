import { forgetKey, get, hasKey, Refused, remove, setKey } from "./api.js";
import { h, icon, mark } from "./dom.js";
import { Live } from "./live.js";
import { empty } from "./parts.js";
import {
  faultsPage,
  hooksPage,
  livePage,
  overviewPage,
  quarantinePage,
  tenantPage,
  tenantsPage,
} from "./pages.js";

const everyMs = 2_000;
const points = 60;
const name = (tenant) => encodeURIComponent(tenant);

/** Every page: what it asks the server for, and how it is shown. */
const pages = {
  overview: {
    title: "Overview",
    load: async () => ({ ...(await get("faults?limit=6")), ...(await get("nodes")) }),
    show: overviewPage,
  },
  live: { title: "Live", load: async () => ({}), show: livePage },
  tenants: { title: "Tenants", load: () => get("tenants"), show: tenantsPage },
  hooks: { title: "Hooks", load: () => get("hooks"), show: hooksPage },
  faults: { title: "Faults", load: () => get("faults?limit=200"), show: faultsPage },
  quarantine: { title: "Quarantine", load: () => get("quarantine"), show: quarantinePage },
};
/** The page of one tenant, below that of all. */
const tenantRow = {
  title: "Tenant",
  load: async (tenant) => ({
    tenant: await get(`tenants/${name(tenant)}`),
    ...(await get(`hooks?tenant=${name(tenant)}`)),
  }),
  show: tenantPage,
};

const app = document.getElementById("app");
const live = new Live();
const rates = { decisions: [], faults: [] };
const state = {
  page: "overview",
  of: null,
  data: null,
  error: null,
  filter: { kind: "all", text: "" },
  quarantined: 0,
};
let last = null;
let main = null;
let asked = 0;
let drawing = 0;
let frame = null;

function route() {
  const [page, of] = location.hash.replace(/^#\/?/, "").split("/");
  state.page = Object.hasOwn(pages, page) ? page : "overview";
  state.of = page === "tenants" && of ? decode(of) : null;
  state.data = null;
  state.error = null;
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

function row() {
  return state.of === null ? pages[state.page] : tenantRow;
}

async function refresh() {
  const turn = ++asked;
  try {
    const [data, overview] = await Promise.all([row().load(state.of), get("overview")]);
    if (turn !== asked) return;
    note(overview);
    state.data = { ...data, overview };
    state.error = null;
  } catch (error) {
    if (turn !== asked) return;
    if (error instanceof Refused && (error.status === 401 || error.status === 403))
      return signOut("The server does not accept this key.");
    state.error = error;
  }
  draw();
}

/** Turns counts into rates. */
function note(overview) {
  const now = performance.now();
  state.quarantined = overview.quarantined;
  state.node = overview.node;
  // Over a moment, a rate is chance.
  if (last && now - last.now < everyMs / 2) return;
  if (last) {
    const seconds = (now - last.now) / 1_000;
    for (const what of ["decisions", "faults"]) {
      // A server that was started again counts from nothing.
      rates[what].push(Math.max(0, overview[what] - last[what]) / seconds);
      if (rates[what].length > points) rates[what].shift();
    }
  }
  last = { now, decisions: overview.decisions, faults: overview.faults };
}

/** Draws what has changed, at most once a frame, and leaves alone what somebody is typing in or reading. */
function draw() {
  if (drawing || !main) return;
  drawing = requestAnimationFrame(() => {
    drawing = 0;
    if (!main) return;
    frame?.();
    if (document.querySelector("dialog[open]")) return;
    const focused = document.activeElement;
    const id = main.contains(focused)
      ? focused.id || focused.dataset.id || focused.getAttribute("href")
      : null;
    const selection =
      focused instanceof HTMLInputElement ? [focused.selectionStart, focused.selectionEnd] : null;
    main.replaceChildren(...content());
    main.setAttribute("aria-busy", String(state.data === null && !state.error));
    if (id !== null) refocus(id, selection);
  });
}

function refocus(id, selection) {
  for (const element of main.querySelectorAll("[id], [data-id], a[href]")) {
    if (element.id !== id && element.dataset.id !== id && element.getAttribute("href") !== id) continue;
    element.focus({ preventScroll: true });
    if (selection && element instanceof HTMLInputElement) element.setSelectionRange(...selection);
    return;
  }
}

function content() {
  if (state.error && !state.data) {
    const { message, requestId } = state.error;
    return [
      h("h1", { tabindex: "-1" }, row().title),
      empty(
        "The server did not answer.",
        `${message}${requestId ? `, request ${requestId}` : ""}. It is asked again by itself.`,
      ),
    ];
  }
  if (!state.data) return [h("h1", { tabindex: "-1" }, row().title), h("p", { class: "note" }, "Loading…")];
  return row()
    .show({ ...state, live, rates }, { lift, setFilter })
    .flat();
}

function setFilter(filter) {
  state.filter = filter;
  draw();
}

async function lift(entry) {
  try {
    await remove(`quarantine/${encodeURIComponent(entry.id)}`);
    say("The quarantine is lifted.");
  } catch (error) {
    say(
      `The quarantine could not be lifted: ${error instanceof Refused ? error.code : "the server did not answer"}.`,
    );
  }
  await refresh();
}

function say(text) {
  const box = document.getElementById("said");
  if (box) box.textContent = text;
  box?.classList.add("shown");
  setTimeout(() => box?.classList.remove("shown"), 5_000);
}

/** The frame around the pages: name, pages, state of the connection. */
function open() {
  route();
  const badge = h("span", { class: "badge" });
  const links = Object.entries(pages).map(([page, { title }]) =>
    h(
      "a",
      { href: `#/${page}`, "data-page": page },
      icon(page),
      h("span", {}, title),
      page === "quarantine" ? badge : null,
    ),
  );
  const status = h("span", { class: "status", role: "status" });
  const node = h("span", { class: "node" });
  main = h("main", { id: "main" });
  frame = () => {
    for (const link of links) {
      if (link.dataset.page === state.page) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    badge.textContent = state.quarantined > 0 ? String(state.quarantined) : "";
    const word = state.error ? "no answer" : live.state === "live" ? "live" : "connecting";
    if (status.textContent !== word) {
      status.textContent = word;
      status.className = `status ${word === "live" ? "good" : "warn"}`;
    }
    node.textContent = typeof state.node === "string" ? state.node.slice(0, 64) : "";
    document.title = `${row().title} · hookwarden`;
  };
  app.replaceChildren(
    h(
      "a",
      { class: "skip", href: "#main", onclick: (event) => (event.preventDefault(), focusHeading()) },
      "To the content",
    ),
    h(
      "header",
      {},
      h("a", { class: "brand", href: "#/overview" }, mark(), h("span", {}, "hookwarden")),
      node,
      h("span", { class: "space" }),
      status,
      themeButton(),
      h(
        "button",
        {
          type: "button",
          class: "button quiet",
          title: "Forget the key",
          "aria-label": "Forget the key and sign out",
          onclick: () => signOut(""),
        },
        icon("lock"),
      ),
    ),
    h("nav", { "aria-label": "Pages" }, links),
    main,
    h("div", { id: "said", role: "status" }),
  );
  live.start();
  draw();
  void refresh();
}

function focusHeading() {
  main?.querySelector("h1")?.focus();
}

const themes = ["auto", "light", "dark"];

function theme() {
  try {
    const kept = localStorage.getItem("hookwarden-theme");
    return themes.includes(kept) ? kept : "auto";
  } catch {
    return "auto";
  }
}

function themeButton() {
  const button = h("button", { type: "button", class: "button quiet" });
  const show = () => {
    const now = theme();
    document.documentElement.dataset.theme = now;
    button.replaceChildren(icon({ auto: "auto", light: "sun", dark: "moon" }[now]));
    button.setAttribute("aria-label", `Colours: ${now}`);
    button.title = `Colours: ${now}`;
  };
  button.addEventListener("click", () => {
    try {
      localStorage.setItem("hookwarden-theme", themes[(themes.indexOf(theme()) + 1) % themes.length]);
    } catch {
      return;
    }
    show();
  });
  show();
  return button;
}

function signOut(why) {
  forgetKey();
  live.stop();
  asked++;
  main = null;
  frame = null;
  last = null;
  rates.decisions.length = 0;
  rates.faults.length = 0;
  document.title = "hookwarden console";
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
        if (!/^[\x21-\x7e]{1,4096}$/.test(text)) return signOut("This cannot be a key.");
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

addEventListener("hashchange", () => {
  if (!main) return;
  route();
  draw();
  void refresh().then(() => requestAnimationFrame(() => requestAnimationFrame(focusHeading)));
});
live.addEventListener("change", () => {
  if (state.page === "live" || state.page === "overview" || live.state !== "live") draw();
});
setInterval(() => {
  if (main && document.visibilityState === "visible" && !(state.page === "live" && live.paused))
    void refresh();
}, everyMs);

document.documentElement.dataset.theme = theme();
if (hasKey()) open();
// A server on a developer's own machine may ask for no key.
else get("overview").then(open, () => signOut(""));
