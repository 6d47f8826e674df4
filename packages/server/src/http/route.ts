import type { Principal } from "../principal.ts";
import type { ServerContext } from "../context.ts";
import type { HttpLimits } from "../limits.ts";
import type { ProblemDetail } from "../problem.ts";
import type { Use } from "../tenancy/uses.ts";

/** A JSON Schema, as OpenAPI 3.1 takes it. */
export type Schema = { readonly [keyword: string]: unknown };

/** What a credential must be for. `tenant` scopes hold within the tenant of the path; operators may go everywhere. */
export type Need = "nothing" | "decide" | "packs" | "audit" | "approve" | "operator";

/** One request that has passed the checks of its route. */
export interface RouteCall {
  readonly principal: Principal;
  /** Of the path, by name. */
  readonly params: { readonly [name: string]: string };
  /** Of the query, by name, in the types of their schemas. */
  readonly query: { readonly [name: string]: string | number | boolean | undefined };
  /** JSON that keeps to the schema; the lines of a stream; for other media types the bytes. */
  readonly body: unknown;
  readonly mediaType: string;
  readonly requestId: string;
  readonly gone: () => boolean;
  /** Whether the credential would be let in now: streams ask again and again. */
  readonly holds: () => boolean | Promise<boolean>;
  readonly traceparent: string | undefined;
  readonly header: (name: string) => string | undefined;
}

/** An answer: JSON, text, or a stream of text. */
export interface RouteAnswer {
  readonly status: number;
  readonly json?: unknown;
  readonly text?: string;
  /** Only with a status of 400 and above, where `text` is the code of the problem. */
  readonly detail?: ProblemDetail;
  readonly stream?: AsyncIterable<string>;
  /** Of `text` and `stream`. */
  readonly type?: string;
  readonly headers?: { readonly [name: string]: string };
}

/** One route: what it takes, what it answers, who may ask. Routing, checks and OpenAPI are made from it. */
export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** With parameters as in OpenAPI: `/v1/tenants/{tenant}/packs`. */
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  readonly needs: Need;
  /** What it does with a tenant: which of the tenant's limits hold for it. */
  readonly use: Use;
  readonly query?: { readonly [name: string]: { readonly schema: Schema; readonly means: string } };
  readonly headers?: { readonly [name: string]: string };
  readonly body?: {
    readonly limit: keyof HttpLimits;
    /** By media type; `null`: any bytes. */
    readonly types: { readonly [mediaType: string]: Schema | null };
    /** Media type of those that is read line by line: `limit` does not apply, each line is an event. */
    readonly lines?: string;
  };
  /** Of success: by status, the schema of its JSON, or the media type of what is no JSON; `null`: no body. */
  readonly answers: { readonly [status: string]: Schema | string | null };
  readonly handle: (context: ServerContext, call: RouteCall) => RouteAnswer | Promise<RouteAnswer>;
}

export function json(value: unknown, status = 200): RouteAnswer {
  return { status, json: value };
}
