import { describe, expect, it } from "vitest";
import type { Route } from "../src/http/route.ts";
import { Router } from "../src/http/router.ts";
import { routes } from "../src/routes/index.ts";

const router = new Router(routes);

function codeOf(method: string, path: string): string {
  try {
    const { route, params } = router.match(method, path);
    return `${route.id} ${JSON.stringify(params)}`;
  } catch (error) {
    return (error as { code: string }).code;
  }
}

describe("the router", () => {
  it("finds each route of the table by its own path, and no other", () => {
    for (const { id, method, path } of routes) {
      const filled = path.replaceAll(/\{(\w+)\}/g, "p-$1");
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, `p-${name}`]);
      expect(codeOf(method, filled)).toBe(`${id} ${JSON.stringify(Object.fromEntries(names))}`);
      expect(codeOf("PATCH", filled)).toBe("method-not-allowed");
      expect(codeOf("HEAD", filled)).toBe("method-not-allowed");
      expect(codeOf(method, `${filled}/`)).toBe("not-found");
      expect(codeOf(method, filled.toUpperCase())).toBe("not-found");
    }
  });

  // A proxy that compares paths literally must not be passed by another spelling of the same path.
  it.each(["/v1/%64ecisions", "//v1/decisions", "/v1/./decisions", "/v1/x/../decisions", "/v1\\decisions"])(
    "takes no other spelling of a path: %s",
    (path) => expect(codeOf("POST", path)).toBe("not-found"),
  );

  it("decodes parameters once, after the path has been split", () => {
    expect(codeOf("GET", "/v1/tenants/a%2Fb/packs")).toBe('getPacks {"tenant":"a/b"}');
    expect(codeOf("GET", "/v1/tenants/a%252Fb/packs")).toBe('getPacks {"tenant":"a%2Fb"}');
    expect(codeOf("GET", "/v1/tenants//packs")).toBe("not-found");
    expect(codeOf("GET", "/v1/tenants/%ff/packs")).toBe("bad-request");
    expect(codeOf("GET", `/v1/tenants/${"a".repeat(129)}/packs`)).toBe("bad-request");
  });

  it("prefers a literal path to one with parameters", () => {
    const route = (path: string): Route => ({ ...(routes[0] as Route), path, id: path });
    const both = new Router([route("/a/{b}"), route("/a/c")]);
    expect(both.match("POST", "/a/c").route.path).toBe("/a/c");
    expect(both.match("POST", "/a/d").route.path).toBe("/a/{b}");
  });
});
