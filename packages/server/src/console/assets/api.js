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
  constructor(status, code, requestId) {
    super(code);
    this.status = status;
    this.code = code;
    this.requestId = requestId;
  }
}

async function ask(path, options = {}) {
  const response = await fetch(base + path, {
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
  const code = typeof problem?.code === "string" ? problem.code.slice(0, 60) : `status ${response.status}`;
  throw new Refused(response.status, code, response.headers.get("x-request-id"));
}

export async function get(path) {
  return (await ask(path)).json();
}

export async function remove(path) {
  await ask(path, { method: "DELETE" });
}

/** Opens the stream of what happens. @returns the body as it comes. */
export async function stream(path, signal) {
  const response = await ask(path, { signal, headers: { accept: "text/event-stream" } });
  return response.body;
}
