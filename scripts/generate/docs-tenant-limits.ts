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

What may refuse a tenant on the [server](server.md), and where each route checks it. There is one place that decides it, for
all routes, for restarts and for packs on trial: it reads the table that this page is made from.

${table(
  ["checked at", ""],
  Object.entries(checkPoints).map(([name, means]) => [code(name), sentence(means)]),
)}

A dash is followed by the number of the reason why the switch is not checked:

${exempt.map((reason, at) => `${at + 1}. ${sentence(reason)}`).join("\n")}

\`credential\` is that the key or token is valid, neither revoked nor expired, and for this route. \`trust\` is the trust file as
it is at that moment: a bundle whose key was revoked after the upload is refused. A signed bundle is held to it wherever the
server has one, an unsigned one only for a tenant with \`signedOnly\`.

Operators are not bound by what is checked at \`request\` when they look after a tenant's packs, so that they can mend what a
tenant that is switched off cannot. What is checked at \`run\` and \`pack\` holds for them too: no event is decided with the code
of a tenant that is switched off, whoever asks. An operator's upload loads its scripts once, to check them.

When a tenant's settings change, and after a restart, what serves is held to them anew. What the tenant may not have any
more does not serve: every event is refused (\`not-ready\`), and \`GET …/packs\` says why in \`broken\`.

${table(
  ["route", ...switchNames.map(code)],
  [
    ...routes.map(({ method, path, use }) => [code(`${method} ${path}`), ...cells(use)]),
    ...Object.entries(inner).map(([use, means]) => [means, ...cells(use as Use)]),
  ],
)}
`;
}
