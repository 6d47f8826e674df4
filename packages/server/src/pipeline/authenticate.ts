import type { ServerContext } from "../context.ts";
import type { Principal } from "../principal.ts";
import type { Exchange } from "../http/exchange.ts";

/** Without credentials every request is an operator's, and the default tenant's. */
const anyone: Principal = Object.freeze({
  id: "anyone",
  tenant: "default",
  scopes: new Set(["decide", "packs", "audit", "approve"] as const),
});

/**
 * The first stage: whose credential the header `Authorization` holds.
 *
 * @returns `null` where it is no valid credential: at once where it is known, else later.
 */
export function authenticate(
  { settings, credentials }: ServerContext,
  { request }: Exchange,
): Principal | null | Promise<Principal | null> {
  return settings.isOpen ? anyone : credentials.check(request.headers.authorization, request.socket);
}
