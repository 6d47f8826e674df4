import { forgetKey, get, hasKey, post, put, Refused, remove } from "./api.js";
import { h, icon, mark } from "./dom.js";
import { Live } from "./live.js";
import { empty } from "./parts.js";
import { details, pages } from "./page-table.js";
import { showSignIn } from "./sign-in.js";
import { theme, themeButton } from "./theme.js";

const everyMs = 2_000;
const points = 60;
const name = encodeURIComponent;

const app = document.getElementById("app");
const live = new Live();
const rates = { decisions: [], faults: [] };
const state = {
  page: "overview",
  of: null,
  query: {},
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
  const [path, search = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [page, ...of] = path.split("/");
  state.page = Object.hasOwn(pages, page) ? page : "overview";
  state.of = Object.hasOwn(details, page) && of[0] ? of.map(decode) : null;
  state.query = Object.fromEntries(new URLSearchParams(search));
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
  return state.of === null ? pages[state.page] : details[state.page];
}

async function refresh() {
  const turn = ++asked;
  try {
    const [data, overview] = await Promise.all([row().load(state.of, state.query), get("overview")]);
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
    const opened = [...main.querySelectorAll("details[open]")].map((one) => one.dataset.id);
    main.replaceChildren(...content());
    for (const one of main.querySelectorAll("details")) one.open = opened.includes(one.dataset.id);
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
    .show({ ...state, live, rates }, { answer, degrade, lift, rollback, setFilter, setQuery })
    .flat();
}

function setFilter(filter) {
  state.filter = filter;
  draw();
}

/** Puts filters into the address. */
function setQuery(change) {
  const query = new URLSearchParams();
  for (const [id, value] of Object.entries({ ...state.query, ...change })) if (value) query.set(id, value);
  location.hash = `#/${state.page}${query.size > 0 ? `?${query}` : ""}`;
}

/** Does something, and says how it went. */
async function attempt(work, done) {
  try {
    await work();
    say(done);
  } catch (error) {
    say(error instanceof Refused ? `It was refused: ${error.message}` : "The server did not answer.");
  }
  await refresh();
}

function lift(entry) {
  return attempt(() => remove(`quarantine/${name(entry.id)}`), "The quarantine is lifted.");
}

function rollback(tenant, revision) {
  const path = `/v1/tenants/${name(tenant)}/packs/rollback`;
  return attempt(() => post(path, { revision }), `Revision ${revision} serves again.`);
}

/** @param window `null`: end the one that is open */
function degrade(tenant, window) {
  const path = `tenants/${name(tenant)}/degraded`;
  return window
    ? attempt(() => put(path, window), "The tenant is in degraded mode.")
    : attempt(() => remove(path), "Degraded mode is off.");
}

function answer({ tenant, id, input }, decision) {
  const path = `/v1/tenants/${name(tenant)}/approvals/${name(id)}`;
  const done = decision === "approve" ? "The step is allowed." : "The step is denied.";
  return attempt(() => post(path, { answer: decision, input }), done);
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
  app.replaceChildren(...shell({ node, status, links }));
  live.start();
  draw();
  void refresh();
}

/** What stands around every page. */
function shell({ node, status, links }) {
  return [
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
  ];
}

function focusHeading() {
  main?.querySelector("h1")?.focus();
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
  showSignIn(app, { why, again: signOut, open });
}

addEventListener("hashchange", () => {
  if (!main) return;
  const before = [state.page, state.of].join();
  route();
  draw();
  const isSame = before === [state.page, state.of].join();
  // Other filters on the same page leave the focus where it is.
  void refresh().then(() => isSame || requestAnimationFrame(() => requestAnimationFrame(focusHeading)));
});
live.addEventListener("change", () => {
  if (state.page === "live" || state.page === "overview" || live.state !== "live") draw();
  if (state.page === "approvals" && live.events[0]?.type === "approval") void refresh();
});
setInterval(() => {
  if (main && document.visibilityState === "visible" && !(state.page === "live" && live.paused))
    void refresh();
}, everyMs);

document.documentElement.dataset.theme = theme();
if (hasKey()) open();
// A server on a developer's own machine may ask for no key.
else get("overview").then(open, () => signOut(""));
