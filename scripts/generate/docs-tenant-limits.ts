import { routes } from "../../packages/server/src/routes/index.ts";
import {
  type Cell,
  checkPoints,
  switchNames,
  type Use,
  uses,
} from "../../packages/server/src/tenancy/uses.ts";
import { code, markdownNotice, sentence, table } from "./text.ts";

/** Uses that are no routes. */
const inner = { serve: "a pack comes to serve", candidate: "a pack on trial sees an event" } as const;

/** Reasons of exemptions, by the number that they have on the page. */
function reasons(): readonly string[] {
  const all = Object.values(uses).flatMap((row) => Object.values<Cell>(row));
  return [...new Set(all.flatMap((cell) => (typeof cell === "string" ? [] : [cell.exempt])))];
}

/** docs/tenant-limits.md */
export function tenantLimitsPage(): string {
  const exempt = reasons();
  const cell = (one: Cell): string => (typeof one === "string" ? one : `– ${exempt.indexOf(one.exempt) + 1}`);
  const cells = (use: Use): string[] => switchNames.map((name) => cell(uses[use][name]));
  return `# Limits of tenants, route by route

${markdownNotice}

The switches that can refuse a tenant on the [server](server.md), and where each route checks them. A single module enforces
them, for all routes, for restarts and for packs on trial; it reads the table from which this page is generated.

${table(
  ["checked at", ""],
  Object.entries(checkPoints).map(([name, means]) => [code(name), sentence(means)]),
)}

A dash means that the switch is not checked, followed by the number of the reason:

${exempt.map((reason, at) => `${at + 1}. ${sentence(reason)}`).join("\n")}

\`credential\`: the key or token is valid, neither revoked nor expired, and permitted on this route. \`trust\`: the current
trust file, so a bundle whose key was revoked after the upload is refused. If the server has a trust file, every signed bundle
is checked against it; an unsigned one is refused only for a tenant with \`signedOnly\`.

Operators who manage a tenant's packs are exempt from the checks at \`request\`, so that they can repair what a disabled
tenant cannot. The checks at \`run\` and \`pack\` apply to them too: the code of a disabled tenant decides no event, regardless of the
caller. An operator's upload loads its scripts once, to check them.

When a tenant's settings change, and after a restart, the serving pack is checked again. If the tenant may no longer have
it, it does not serve: every event is refused (\`not-ready\`), and \`GET …/packs\` gives the reason in \`broken\`.

${table(
  ["route", ...switchNames.map(code)],
  [
    ...routes.map(({ method, path, use }) => [code(`${method} ${path}`), ...cells(use)]),
    ...Object.entries(inner).map(([use, means]) => [means, ...cells(use as Use)]),
  ],
)}
`;
}
