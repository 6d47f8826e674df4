import type { FastifyInstance } from "fastify";
import type { ServerParts } from "./parts.ts";

/** Adds routes that are not of the API, such as pages for people. */
export type ServerPlugin = (app: FastifyInstance, parts: ServerParts) => void | Promise<void>;

/** Loads what the options ask for. */
export async function pluginsFor({ options }: ServerParts): Promise<readonly ServerPlugin[]> {
  return options.console === false ? [] : [(await import("./console/index.ts")).addConsole];
}
