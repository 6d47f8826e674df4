/** The playground: a page in which hooks and events are edited and decided. */
export { policyOf, readPlayground } from "./file.ts";
export { servePage } from "./serve.ts";
