import { Problem } from "../problem.ts";
import type { Route } from "./route.ts";

/** Longest parameter of a path, in characters. */
const maxParameterChars = 128;

/** What a request is for. */
export interface Match {
  readonly route: Route;
  /** Decoded, by name. */
  readonly params: { readonly [name: string]: string };
}

interface Pattern {
  readonly segments: readonly string[];
  /** By method. */
  readonly routes: Map<string, Route>;
}

const none: Match["params"] = Object.freeze({});

/** Finds the route of a request: the methods and paths of the table, compared literally and case-sensitively. */
export class Router {
  /** Paths without parameters. */
  readonly #literal = new Map<string, Map<string, Route>>();
  /** By the number of segments. */
  readonly #patterns = new Map<number, Pattern[]>();

  constructor(routes: readonly Route[]) {
    for (const route of routes) this.#methodsOf(route.path).set(route.method, route);
  }

  /**
   * @param path without the query.
   * @throws {Problem} `not-found`, `method-not-allowed`, `bad-request` where a parameter cannot be decoded
   */
  match(method: string, path: string): Match {
    const literal = this.#literal.get(path);
    if (literal) return { route: routeOf(literal, method), params: none };
    const segments = path.split("/");
    const pattern = this.#patterns.get(segments.length)?.find((one) => fits(one.segments, segments));
    if (!pattern) throw new Problem(decoded(path) === null ? "bad-request" : "not-found");
    const params: { [name: string]: string } = {};
    for (const [at, segment] of pattern.segments.entries()) {
      if (isParameter(segment)) params[segment.slice(1, -1)] = parameter(segments[at] as string);
    }
    return { route: routeOf(pattern.routes, method), params };
  }

  #methodsOf(path: string): Map<string, Route> {
    const segments = path.split("/");
    if (!segments.some(isParameter)) {
      let routes = this.#literal.get(path);
      if (!routes) this.#literal.set(path, (routes = new Map()));
      return routes;
    }
    const alike = this.#patterns.get(segments.length) ?? [];
    this.#patterns.set(segments.length, alike);
    let pattern = alike.find((one) => one.segments.join("/") === path);
    if (!pattern) alike.push((pattern = { segments, routes: new Map() }));
    return pattern.routes;
  }
}

function routeOf(routes: ReadonlyMap<string, Route>, method: string): Route {
  const route = routes.get(method);
  if (!route) throw new Problem("method-not-allowed");
  return route;
}

function isParameter(segment: string): boolean {
  return segment.startsWith("{");
}

function fits(pattern: readonly string[], segments: readonly string[]): boolean {
  return pattern.every((one, at) => (isParameter(one) ? segments[at] !== "" : one === segments[at]));
}

function parameter(text: string): string {
  const value = decoded(text);
  if (value === null || value.length > maxParameterChars) throw new Problem("bad-request");
  return value;
}

/** @returns `null` where there are escapes that are no UTF-8. */
function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
