export * from "./errors.ts";
export { listenError } from "./listen-error.ts";
