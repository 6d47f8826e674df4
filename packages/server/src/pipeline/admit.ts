import type { IncomingHttpHeaders } from "node:http";
import type { Principal } from "../principal.ts";
import type { ServerContext } from "../context.ts";
import { Problem } from "../problem.ts";
import { enforce } from "../tenancy/enforce.ts";
import { mediaTypeOf } from "../http/body.ts";
import type { Route } from "../http/route.ts";

/** What admission depends on. */
export interface Admission {
  readonly route: Route;
  /** `null`: without a valid credential. */
  readonly principal: Principal | null;
  /** Of its path. */
  readonly params: { readonly tenant?: string };
  readonly headers: IncomingHttpHeaders;
}

/**
 * The second stage, before a body is read: whether the credential is for the route, and within the limits of its tenant.
 *
 * @returns the media type of its body; empty where the route takes none.
 * @throws {Problem} `unauthorized`, `forbidden`, `wrong-media-type`, and what `enforce` refuses
 */
export function admit(context: ServerContext, { route, principal, params, headers }: Admission): string {
  if (!principal) throw new Problem("unauthorized");
  if (!context.settings.isOpen && !isAllowed(route, principal, params)) throw new Problem("forbidden");
  // Operators are not bound by the limits of the tenants that they look after.
  const tenant = principal.tenant === null ? undefined : context.registry.get(principal.tenant);
  if (tenant) enforce(route.use, "request", tenant);
  if (!route.body) return "";
  const mediaType = mediaTypeOf(route, headers);
  if (mediaType === null) throw new Problem("wrong-media-type");
  return mediaType;
}

/** How long an answer goes on without another look at its credential, in milliseconds. */
const recheckMs = 1_000;

/**
 * Whether a request would still be let in, for answers that take long. Asked of the store at most once a second, and at
 * once where keys have changed.
 */
export function stillAdmitted(
  context: ServerContext,
  { route, principal, params }: Omit<Admission, "headers">,
  authorization: string | undefined,
): () => boolean | Promise<boolean> {
  if (context.settings.isOpen) return () => true;
  const { credentials, registry } = context;
  let { generation } = credentials;
  let looked = Date.now();
  const isSame = (now: Principal | null): boolean =>
    now !== null &&
    now.id === principal?.id &&
    now.tenant === principal.tenant &&
    isAllowed(route, now, params);
  return () => {
    if (principal !== null && principal.tenant !== null) {
      const tenant = registry.get(principal.tenant);
      if (!tenant || tenant.record.disabled) return false;
    }
    if (generation === credentials.generation && Date.now() - looked < recheckMs) return true;
    ({ generation } = credentials);
    looked = Date.now();
    const found = credentials.check(authorization);
    return found instanceof Promise ? found.then(isSame, () => false) : isSame(found);
  };
}

function isAllowed({ needs }: Route, principal: Principal, params: { readonly tenant?: string }): boolean {
  // Operators look after tenants, and never speak for them.
  if (principal.tenant === null) return needs !== "decide";
  if (needs === "operator" || needs === "nothing") return false;
  return principal.scopes.has(needs) && (params.tenant === undefined || params.tenant === principal.tenant);
}
