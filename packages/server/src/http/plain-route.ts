import type { ServerParts } from "../parts.ts";
import { Problem } from "../problem.ts";
import { admit, askerOf, stillAdmitted } from "./admission.ts";
import type { BrowserGuard } from "./guard.ts";
import type { PlainRoute, TextReply } from "./plain-connection.ts";
import { refusalOf, replyOf } from "./reply.ts";
import type { Route } from "./route.ts";

/** Longest body of a plain request, in bytes: most events are far shorter. It is read before it is known whose it is. */
const mostBytes = 32_768;

/** A route for plain requests: one without parameters, whose bodies are taken as they come, and whose answers are text. */
export function plainRouteOf(
  parts: ServerParts,
  route: Route,
  guard: BrowserGuard,
  requestId: () => string,
): PlainRoute {
  return {
    line: `${route.method} ${route.path} HTTP/1.1`,
    bodyBytes: Math.min(mostBytes, parts.settings.limits[route.body!.limit]),
    async answer({ headers, body, socket }) {
      const asked = { requestId: requestId(), tenant: null as string | null };
      try {
        guard.check(headers);
        if (!parts.isReady()) throw new Problem("shutting-down", 1);
        const found = askerOf(parts, headers["authorization"], socket);
        const principal = found instanceof Promise ? await found : found;
        const mediaType = admit(parts, { route, principal, params: {}, headers });
        asked.tenant = principal!.tenant;
        const reply = await route.handle(parts, {
          principal: principal!,
          params: {},
          query: {},
          body,
          mediaType,
          requestId: asked.requestId,
          gone: () => socket.destroyed,
          holds: stillAdmitted(parts, { route, principal, params: {} }, headers["authorization"]),
          traceparent: headers["traceparent"],
          header: (name) => headers[name],
        });
        return replyOf(parts, asked, reply) as TextReply;
      } catch (error) {
        return refusalOf(parts, asked, error) as TextReply;
      }
    },
  };
}
