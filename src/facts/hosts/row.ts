import type { JsonSchema } from "../../catalogue/index.ts";
import type { Fact, FactRow } from "../fact.ts";
import { type ShellWord, wordSchema } from "../shell/row.ts";
import { toolEvents } from "../tool/row.ts";

/** Where an address leads, as far as it says so itself. */
export const hostScopes = ["public", "private", "loopback", "link-local", "metadata", "unknown"] as const;
export type HostScope = (typeof hostScopes)[number];

export const hostRoles = ["connect", "proxy", "listen"] as const;
export type HostRole = (typeof hostRoles)[number];

export const hostLimits = { hosts: { maximum: 1_000, doc: "addresses" } } as const;

/** An address that a call uses. */
export interface HostUse {
  readonly host: ShellWord;
  readonly scope: HostScope;
  readonly port: number | null;
  readonly scheme: string | null;
  readonly role: HostRole;
  readonly ambiguous: boolean;
  readonly written: ShellWord;
  readonly command: number | null;
}

/** The hosts that a tool call would connect to. */
export type HostsFact = Fact<{
  readonly hosts: readonly HostUse[];
  readonly unnamed: readonly number[];
  readonly complete: boolean;
}>;

const orNull = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: "null" }] });

const useSchema: JsonSchema = {
  type: "object",
  properties: {
    host: {
      ...wordSchema,
      tsType: "ShellWord",
      description:
        "name in lower case and in ASCII, without a dot at its end; an address in its usual form, IPv4 in IPv6 and as a number as dotted IPv4",
    },
    scope: {
      type: "string",
      enum: hostScopes,
      description: "where it leads, as far as the address says so itself: a public name may have any address",
    },
    port: {
      ...orNull({ type: "integer", minimum: 0, maximum: 65_535 }),
      description: "port, if one is named",
    },
    scheme: {
      ...orNull({ type: "string" }),
      description: "scheme of the URL, such as `https`; `null` without one",
    },
    role: {
      type: "string",
      enum: hostRoles,
      description: "whether the call connects to it, goes through it, or listens there",
    },
    ambiguous: {
      type: "boolean",
      description:
        "whether programs read the address in different ways, as with `http://a\\@b/`; each way is a use",
    },
    written: { ...wordSchema, tsType: "ShellWord", description: "the address as written" },
    command: {
      ...orNull({ type: "integer", minimum: 0 }),
      description: "index in the commands of `facts.shell`; `null`: the tool itself connects",
    },
  },
  required: ["host", "scope", "port", "scheme", "role", "ambiguous", "written", "command"],
  additionalProperties: false,
};

export const hostsRow = {
  version: "1.1",
  doc: "the hosts that a call would connect to, every spelling of an address in one form; options distinguished from operands",
  events: toolEvents,
  from: ["tool_name", "tool_input", "cwd"],
  uses: ["tool", "shell"],
  cost: "medium",
  limits: hostLimits,
  members: {
    hosts: {
      doc: "addresses, those of the tool first",
      schema: { type: "array", items: { ...useSchema, tsType: "HostUse" } },
    },
    unnamed: {
      doc: "indices of commands in `facts.shell` that may connect to a place that their arguments do not name: `aws`, `gh`, `git push origin`",
      schema: { type: "array", items: { type: "integer", minimum: 0 } },
    },
    complete: {
      doc: "whether these are all addresses that the arguments of known programs name; `false` if `facts.shell` is not complete. Other programs may connect anywhere",
      schema: { type: "boolean" },
    },
  },
  types: { HostUse: { doc: "an address that a call uses", schema: useSchema } },
} as const satisfies FactRow;
