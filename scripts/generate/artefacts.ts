import { hookManifestSchema, packManifestSchema } from "../../src/pack/schema.ts";
import { helpersModule } from "./helpers.ts";
import { catalogueSchema, singleSchemas } from "./schemas.ts";
import { typesModule } from "./types.ts";
import { validatorsModule, validatorsTypes } from "./validators.ts";

/** Folders that hold generated files and nothing else. */
export const ownedFolders = ["src/catalogue/generated", "src/pack/generated"] as const;
export const readmePath = "README.md";

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** Every generated file by its path from the root, not yet formatted. */
export async function artefacts(): Promise<Map<string, string>> {
  const catalogue = ownedFolders[0];
  return new Map([
    [`${catalogue}/validators.js`, await validatorsModule()],
    [`${catalogue}/validators.d.ts`, validatorsTypes],
    [`${catalogue}/types.ts`, typesModule()],
    [`${catalogue}/schemas.json`, json(catalogueSchema())],
    ...[...singleSchemas()].map(([name, schema]): [string, string] => [`${catalogue}/${name}`, json(schema)]),
    [`${ownedFolders[1]}/hook.schema.json`, json(hookManifestSchema())],
    [`${ownedFolders[1]}/hookwarden.schema.json`, json(packManifestSchema())],
    ["src/hook/index.ts", helpersModule()],
  ]);
}

export async function withMatrix(
  readme: string,
  _format: (text: string) => Promise<string>,
): Promise<string> {
  return readme;
}
