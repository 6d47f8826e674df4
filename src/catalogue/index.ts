/** The catalogue: which events there are, which actions, and which of them are legal where. */
export {
  type ActionKind,
  type ActionName,
  type ActionRow,
  actions,
  type EventActionName,
} from "./actions.ts";
export { type EventName, type EventRow, events, type Phase } from "./events.ts";
export { maxReasonLength, maxTextLength } from "./fields.ts";
export type * from "../hook/index.ts";
export {
  type Validate,
  validateAction,
  validateEvent,
  type ValidationError,
} from "./generated/validators.js";
export { actionNames, actionRows, catalogueFields, eventNames, eventRows, legalActions } from "./lookup.ts";
export { type Field, type JsonSchema, schemaId } from "./schema.ts";
export { isDateTime } from "./time.ts";
export { validateHookManifest, validatePackManifest } from "./generated/validators.js";
