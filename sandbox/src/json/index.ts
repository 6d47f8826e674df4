/** Strict JSON for untrusted texts. */
export { canonicalJson } from "./canonical.ts";
export { JsonError, type JsonErrorCode, pointerPart } from "./error.ts";
export { forbiddenEventKeys, forbiddenKeys, type JsonLimits } from "./limits.ts";
export { isObject } from "./is-object.ts";
export { quote } from "./quote.ts";
export { readJson, readJsonBytes } from "./read.ts";
export { didYouMean, nearestName } from "./suggest.ts";
