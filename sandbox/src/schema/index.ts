/** JSON Schemas that third parties wrote, interpreted within limits. */
export { acceptSchema, checkAgainst, type SchemaProblem } from "./check.ts";
