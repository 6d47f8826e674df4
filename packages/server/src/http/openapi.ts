import { packageVersion } from "hookwarden/log";
import { problemType } from "../problem.ts";
import type { Route } from "./route.ts";
import { components, schemas } from "./schemas.ts";

/** The description of a server's routes as OpenAPI 3.1. */
export function openApi(routes: readonly Route[]): object {
  const paths: { [path: string]: { [method: string]: object } } = {};
  for (const route of routes) (paths[route.path] ??= {})[route.method.toLowerCase()] = operation(route);
  return {
    openapi: "3.1.0",
    info: {
      title: "hookwarden",
      version: packageVersion,
      license: { name: "MIT", identifier: "MIT" },
      description: "Runs hooks you did not write, for many tenants. See docs/server.md.",
    },
    servers: [{ url: "/" }],
    security: [{ bearer: [] }],
    paths,
    components: {
      schemas: components,
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "An API key (`hw_…`) or a JWT." },
      },
    },
  };
}

function operation({ id, summary, needs, path, query = {}, headers = {}, body, answers }: Route): object {
  const parameters = [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
      name,
      in: "path",
      required: true,
      schema: { type: "string" },
    })),
    ...Object.entries(query).map(([name, { schema, means }]) => ({
      name,
      in: "query",
      description: means,
      schema,
    })),
    ...Object.entries(headers).map(([name, means]) => ({
      name,
      in: "header",
      description: means,
      schema: { type: "string" },
    })),
  ];
  return {
    operationId: id,
    summary,
    ...(needs === "nothing" ? { security: [] } : { description: needText(needs) }),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: { required: true, content: contentOf(body.types) } } : {}),
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([status, answer]) => [status, answerOf(answer, body?.lines)]),
      ),
      default: {
        description:
          "A problem: a code, which docs/server.md explains, the request's id, and what is wrong with its own input.",
        content: { [problemType]: { schema: schemas.Problem } },
      },
    },
  };
}

function needText(needs: Route["needs"]): string {
  return needs === "operator" ? "For operators." : `For credentials with the scope \`${needs}\`.`;
}

function contentOf(types: NonNullable<Route["body"]>["types"]): object {
  return Object.fromEntries(
    Object.entries(types).map(([type, schema]) => [
      type,
      { schema: schema ?? { type: "string", contentMediaType: type } },
    ]),
  );
}

/** @param lines media type in which a stream is answered line by line. */
function answerOf(answer: Route["answers"][string], lines: string | undefined): object {
  if (answer === null) return { description: "Done." };
  const [type, schema] =
    typeof answer === "string" ? [answer, { type: "string" }] : ["application/json", answer];
  const stream =
    lines === undefined ? {} : { [lines]: { schema: { type: "string", contentMediaType: lines } } };
  return { description: "Done.", content: { [type as string]: { schema }, ...stream } };
}
