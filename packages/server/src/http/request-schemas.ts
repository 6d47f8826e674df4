import type { Route, Schema } from "./route.ts";

/**
 * Whether a route takes its body as it comes: events are read and checked where they are decided, once, and by the
 * catalogue.
 */
function takesEvents({ body, needs }: Route): boolean {
  return body?.limit === "batchBytes" && needs === "decide";
}

/** Name of the schema of a route's body in a media type. */
export function bodySchemaName({ id }: Route, mediaType: string): string {
  return `${id} ${mediaType}`;
}

/** Name of the schema of one of its parameters in the query. */
export function querySchemaName({ id }: Route, parameter: string): string {
  return `${id} ?${parameter}`;
}

/** What requests for a route are held to, by name. */
export function requestSchemas(route: Route): ReadonlyMap<string, Schema> {
  const schemas = new Map<string, Schema>();
  for (const [type, schema] of Object.entries(route.body?.types ?? {})) {
    if (schema && !takesEvents(route)) schemas.set(bodySchemaName(route, type), schema);
  }
  for (const [name, { schema }] of Object.entries(route.query ?? {})) {
    schemas.set(querySchemaName(route, name), schema);
  }
  return schemas;
}
