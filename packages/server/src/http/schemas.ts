import { approvalSchemas } from "./approval-schemas.ts";
import { decisionSchemas } from "./decision-schemas.ts";
import { operatorSchemas } from "./operator-schemas.ts";
import { packSchemas } from "./pack-schemas.ts";
import type { Schema } from "./route.ts";

/** Schemas with a name in the OpenAPI description. */
export const components = { ...decisionSchemas, ...approvalSchemas, ...packSchemas, ...operatorSchemas };

/** References to them. */
export const schemas = Object.fromEntries(
  Object.keys(components).map((name) => [name, { $ref: `#/components/schemas/${name}` }]),
) as unknown as { readonly [Name in keyof typeof components]: Schema };
