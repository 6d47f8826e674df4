import type { IncomingHttpHeaders } from "node:http";
import { JsonError, quote, readJsonBytes } from "@hookwarden/sandbox/json";
import { describeError } from "hookwarden/broker";
import type { ValidationError } from "hookwarden/catalogue";
import { validateRequest } from "../generated/validators.js";
import { Problem } from "../problem.ts";
import { bodySchemaName, querySchemaName, requestSchemas } from "./request-schemas.ts";
import type { Route, RouteCall } from "./route.ts";

/** Depth and keys of JSON in requests that are no events. */
const jsonLimits = { maxDepth: 64, maxKeys: 100_000, maxKeyLength: 1_024 } as const;
const forbiddenKeys: ReadonlySet<string> = new Set(["__proto__"]);

type Validate = ((value: unknown) => boolean) & { readonly errors?: readonly ValidationError[] | null };

/** Compiled when hookwarden was built. Nothing is put right silently: neither types, nor members that should not be there. */
function validatorOf(name: string): Validate {
  const validate = validateRequest.get(name);
  if (!validate) throw new Error(`there is no validator for \`${name}\`; run \`npm run generate\``);
  return validate;
}

/** The media type of a request; `null` for one that none of the route's is. */
export function mediaTypeOf(route: Route, headers: IncomingHttpHeaders): string | null {
  const { "content-type": given = "", "content-encoding": encoding = "identity" } = headers;
  // A compressed body would be another one behind the limits than before them.
  if (encoding !== "identity") return null;
  if (given === "application/json") return Object.hasOwn(route.body!.types, given) ? given : null;
  const parts = /^([a-z]+\/[a-z0-9.+-]+)(?:\s*;\s*charset="?utf-8"?)?$/i.exec(given);
  const type = parts?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(route.body!.types, type) ? type : null;
}

/** Reads bodies as a route says: JSON strictly, and held to the schema; events and other types as bytes. */
export function bodyReader(route: Route): (bytes: Uint8Array, mediaType: string) => unknown {
  const validators = new Map<string, Validate>();
  const schemas = requestSchemas(route);
  for (const type of Object.keys(route.body?.types ?? {})) {
    const name = bodySchemaName(route, type);
    if (schemas.has(name)) validators.set(type, validatorOf(name));
  }
  return (bytes, mediaType) => {
    const validate = validators.get(mediaType);
    if (!validate) return bytes;
    const value = parse(bytes);
    if (validate(value)) return value;
    const { pointer, problem } = describeError(validate.errors?.[0]);
    const what = pointer === "" ? "the body" : quote(pointer);
    throw new Problem("bad-request", undefined, { message: `${what} ${problem}`, pointer });
  };
}

function parse(bytes: Uint8Array): unknown {
  try {
    return readJsonBytes(bytes, { ...jsonLimits, forbiddenKeys });
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const { line, column, pointer } = error;
    throw new Problem("bad-request", undefined, {
      message: `the body ${error.message}`,
      line,
      column,
      pointer,
    });
  }
}

/** Reads the query: each parameter once, none that the route does not know, in the type of its schema. */
export function queryReader(route: Route): (search: string) => RouteCall["query"] {
  const known = new Map(
    Object.entries(route.query ?? {}).map(([name, { schema }]) => [
      name,
      { schema, validate: validatorOf(querySchemaName(route, name)) },
    ]),
  );
  return (search) => {
    const query: { [name: string]: string | number | boolean } = {};
    if (search === "") return query;
    for (const [name, text] of new URLSearchParams(search)) {
      const parameter = known.get(name);
      if (!parameter) badQuery(`there is no parameter ${quote(name)}`);
      if (Object.hasOwn(query, name)) badQuery(`the parameter ${quote(name)} is there twice`);
      const value =
        parameter.schema["type"] === "integer" ? (/^\d{1,15}$/.test(text) ? Number(text) : NaN) : text;
      if (!parameter.validate(value)) {
        const { problem } = describeError(parameter.validate.errors?.[0]);
        badQuery(`the parameter ${quote(name)} ${problem}`);
      }
      query[name] = value;
    }
    return query;
  };
}

function badQuery(message: string): never {
  throw new Problem("bad-request", undefined, { message });
}
