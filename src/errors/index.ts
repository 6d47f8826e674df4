export * from "./errors.ts";
export { readingJson } from "./json-error.ts";
export { didYouMean, nearestName } from "@hookwarden/sandbox/json";
export { fileError, listenError, systemReason } from "./system-error.ts";
