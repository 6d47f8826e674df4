/**
 * Asks the server. The operator's key is sent as a header with every request, never as a cookie, so that no other page
 * can ask in the operator's name. It stays in this tab: in memory, and in `sessionStorage` where that was asked for.
 */

const place = "hookwarden-key";
const base = "/v1/admin/";
let key = readKept();

function readKept() {
  try {
    return sessionStorage.getItem(place);
  } catch {
    return null;
  }
}

export function hasKey() {
  return key !== null;
}

export function setKey(text, keep) {
  key = text;
  try {
    if (keep) sessionStorage.setItem(place, text);
    else sessionStorage.removeItem(place);
  } catch {
    // Storage may be forbidden; then the key lives as long as the page.
  }
}

export function forgetKey() {
  key = null;
  try {
    sessionStorage.removeItem(place);
  } catch {
    // As above.
  }
}

/** What the server refused, with its code. */
export class Refused extends Error {
  constructor(status, { code, message, pointer }, requestId) {
    super([code, message, pointer].filter(Boolean).join(" · "));
    this.status = status;
    this.code = code;
    this.requestId = requestId;
  }
}

async function ask(path, options = {}) {
  const response = await fetch(path.startsWith("/") ? path : base + path, {
    ...options,
    headers: {
      accept: "application/json",
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...options.headers,
    },
    cache: "no-store",
    credentials: "omit",
    redirect: "error",
    referrerPolicy: "no-referrer",
  });
  if (response.ok) return response;
  let problem = {};
  try {
    problem = await response.json();
  } catch {
    // An unreadable problem is identified by its status alone.
  }
  const text = (value, most) => (typeof value === "string" ? value.slice(0, most) : "");
  const shown = {
    code: text(problem?.code, 60) || `status ${response.status}`,
    message: text(problem?.message, 400),
    pointer: text(problem?.pointer, 200),
  };
  throw new Refused(response.status, shown, response.headers.get("x-request-id"));
}

export async function get(path) {
  return (await ask(path)).json();
}

/** Sends JSON. */
async function send(method, path, body) {
  const headers = { "content-type": "application/json" };
  return (await ask(path, { method, headers, body: JSON.stringify(body) })).json();
}

export const post = (path, body) => send("POST", path, body);
export const put = (path, body) => send("PUT", path, body);

export async function remove(path) {
  await ask(path, { method: "DELETE" });
}

/** Opens the stream of what happens. @returns the body as it comes. */
export async function stream(path, signal) {
  const response = await ask(path, { signal, headers: { accept: "text/event-stream" } });
  return response.body;
}
