import { casesSchema } from "../../src/check/cases/schema.ts";
import { guestGlobals } from "../../src/check/types/guest-globals.ts";
import { hookManifestSchema, packManifestSchema } from "../../src/pack/schema.ts";
import { architecturePage } from "./architecture.ts";
import { baseModule } from "./base.ts";
import { actionsPage, eventsPage } from "./docs-catalogue.ts";
import { comparisonPage, readmeNumbers } from "./docs-comparison.ts";
import { containmentPage } from "./docs-containment.ts";
import { clientsPage } from "./docs-clients.ts";
import { dialectsPage } from "./docs-dialects.ts";
import { factsPage } from "./docs-facts.ts";
import { findingsPage } from "./docs-findings.ts";
import { reviewCodesPage } from "./docs-review.ts";
import { guestWorldPage } from "./docs-guest.ts";
import { errorsPage, faultsPage, limitsPage } from "./docs-reference.ts";
import { serverSettingsPage } from "./docs-server-settings.ts";
import { tenantLimitsPage } from "./docs-tenant-limits.ts";
import { manifests } from "./manifests.ts";
import { routedPolicies } from "./policy-routing.ts";
import { helpersModule } from "./helpers.ts";
import { preludeModule } from "./prelude.ts";
import { routeValidatorsModule, routeValidatorsTypes } from "./route-validators.ts";
import { catalogueSchema, schemaCatalog, singleSchemas } from "./schemas.ts";
import { terminalPicture } from "./terminal-picture.ts";
import { typesModule } from "./types.ts";
import { validatorsModule, validatorsTypes } from "./validators.ts";

/** Folders that hold generated files and nothing else. */
export const ownedFolders = [
  "src/catalogue/generated",
  "src/hook/generated",
  "schemas",
  "sandbox/src/guest/generated",
  "sandbox/src/quickjs/generated",
  "packages/server/src/generated",
] as const;
/** Code that a compiler wrote, and that no formatter should touch. */
export const verbatim: ReadonlySet<string> = new Set([
  "src/catalogue/generated/validators.js",
  "packages/server/src/generated/validators.js",
  "sandbox/src/guest/generated/prelude.ts",
  "sandbox/src/quickjs/generated/base.ts",
]);
export const readmePath = "README.md";

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** Every generated file by its path from the root, not yet formatted. */
export async function artefacts(): Promise<Map<string, string>> {
  const catalogue = ownedFolders[0];
  return new Map([
    [`${catalogue}/validators.js`, await validatorsModule()],
    [`${catalogue}/validators.d.ts`, validatorsTypes],
    [`src/hook/generated/types.ts`, typesModule()],
    ["types/globals.d.ts", guestGlobals],
    ["schemas/catalog.json", json(schemaCatalog())],
    ...[
      ...singleSchemas(),
      ["catalogue.schema.json", catalogueSchema()] as const,
      ["cases.schema.json", casesSchema()] as const,
      ["hook.schema.json", hookManifestSchema()] as const,
      ["hookwarden.schema.json", packManifestSchema()] as const,
    ].map(([name, schema]): [string, string] => [`schemas/v1/${name}`, json(schema)]),
    ["src/hook/index.ts", helpersModule()],
    [`${ownedFolders[3]}/prelude.ts`, preludeModule()],
    [`${ownedFolders[4]}/base.ts`, await baseModule()],
    [`${ownedFolders[5]}/validators.js`, await routeValidatorsModule()],
    [`${ownedFolders[5]}/validators.d.ts`, routeValidatorsTypes],
    ...manifests(),
    ...routedPolicies(),
    ["ARCHITECTURE.md", architecturePage()],
    ["docs/images/terminal.svg", terminalPicture()],
    ["docs/events.md", eventsPage()],
    ["docs/actions.md", actionsPage()],
    ["docs/facts.md", factsPage()],
    ["docs/clients.md", clientsPage()],
    ["docs/dialects.md", dialectsPage()],
    ["docs/comparison.md", comparisonPage()],
    ["docs/containment.md", containmentPage()],
    ["docs/faults.md", faultsPage()],
    ["docs/errors.md", errorsPage()],
    ["docs/findings.md", findingsPage()],
    ["docs/review-codes.md", reviewCodesPage()],
    ["docs/limits.md", limitsPage()],
    ["docs/guest-world.md", guestWorldPage()],
    ["docs/server-settings.md", serverSettingsPage()],
    ["docs/tenant-limits.md", tenantLimitsPage()],
  ]);
}

const begin = "<!-- numbers:start -->";
const end = "<!-- numbers:end -->";

/**
 * The README with its numbers renewed; as it was where it has no markers.
 * @param format formats a piece of Markdown
 */
export async function withNumbers(
  readme: string,
  format: (text: string) => Promise<string>,
): Promise<string> {
  const from = readme.indexOf(begin);
  const to = readme.indexOf(end, from);
  if (from < 0 || to < 0) return readme;
  const table = await format(readmeNumbers());
  return `${readme.slice(0, from + begin.length)}\n\n${table}\n${readme.slice(to)}`;
}
