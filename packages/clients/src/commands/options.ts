import { type Command, Option } from "commander";
import { addFormat, type FormatOption } from "hookwarden/cli";
import { HookwardenError } from "hookwarden/errors";
import { quote } from "@hookwarden/sandbox/json";
import { type ClientName, clientNames, type Place, placesOf, type Scope, scopes } from "../index.ts";

export interface ChangeOptions extends FormatOption {
  readonly scope: Scope;
  readonly yes?: true;
  readonly dryRun?: true;
  readonly [option: string]: unknown;
}

/** The options of commands that change configuration files. */
export function addChangeOptions(command: Command): Command {
  return addFormat(command)
    .addOption(new Option("--scope <scope>", "whose configuration").choices([...scopes]).default("user"))
    .option("--yes", "write without asking")
    .option("--dry-run", "show the change, and write nothing");
}

/** @throws {HookwardenError} `usage` for a name that is no client. */
export function clientsOf(names: readonly string[]): ClientName[] {
  return [...new Set(names)].map((name) => {
    const client = clientNames.find((one) => one === name);
    if (client) return client;
    throw new HookwardenError(
      "usage",
      `${quote(name)} is not supported; there are ${clientNames.join(", ")}`,
    );
  });
}

/** @throws {HookwardenError} `usage` where the client has no such place. */
export function placeOf(client: ClientName, scope: Scope): Place {
  const places = placesOf(client, { cwd: process.cwd() });
  const place = places.find((one) => one.scope === scope);
  if (place) return place;
  const there = places.map((one) => one.scope).join(", ");
  throw new HookwardenError("usage", `${client} has no ${scope} configuration of hooks; it has ${there}`);
}
