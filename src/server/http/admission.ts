import type { IncomingHttpHeaders } from "node:http";
import type { Socket } from "node:net";
import type { Principal } from "../credentials.ts";
import type { ServerParts } from "../parts.ts";
import { Problem } from "../problem.ts";
import { mediaTypeOf } from "./body.ts";
import type { Route } from "./route.ts";

/** Without credentials every request is an operator's, and the default tenant's. */
const anyone: Principal = Object.freeze({
  id: "anyone",
  tenant: "default",
  scopes: new Set(["decide", "packs", "audit"] as const),
});

/** Who asks, by the header `Authorization`; `null` where that is nobody we know. */
export function askerOf(
  { settings, credentials }: ServerParts,
  authorization: string | undefined,
  socket: Socket,
): Principal | null | Promise<Principal | null> {
  return settings.isOpen ? anyone : credentials.check(authorization, socket);
}

/**
 * Lets a request in.
 *
 * @param params of its path.
 * @returns the media type of its body; empty where the route takes none.
 * @throws {Problem} `unauthorized`, `forbidden`, `wrong-media-type`
 */
export function admit(
  { settings }: ServerParts,
  route: Route,
  principal: Principal | null,
  params: { readonly tenant?: string },
  headers: IncomingHttpHeaders,
): string {
  if (!principal) throw new Problem("unauthorized");
  if (!settings.isOpen && !isAllowed(route, principal, params)) throw new Problem("forbidden");
  if (!route.body) return "";
  const mediaType = mediaTypeOf(route, headers);
  if (mediaType === null) throw new Problem("wrong-media-type");
  return mediaType;
}

function isAllowed({ needs }: Route, principal: Principal, params: { readonly tenant?: string }): boolean {
  // Operators look after tenants, and never speak for them.
  if (principal.tenant === null) return needs !== "decide";
  if (needs === "operator" || needs === "nothing") return false;
  return principal.scopes.has(needs) && (params.tenant === undefined || params.tenant === principal.tenant);
}
