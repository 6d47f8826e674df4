export { preludeSource } from "./generated/prelude.ts";
export { allowedGlobalNames } from "./globals.ts";
