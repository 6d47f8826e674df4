export { canonicalJson } from "@hookwarden/sandbox/json";
export { folderSource } from "./folder.ts";
export { makeFolder } from "./make-folder.ts";
export { pathInPack, pathProblem } from "./paths.ts";
export { sha256 } from "./sha256.ts";
export { type EntryKind, memorySource, type PackSource } from "./source.ts";
