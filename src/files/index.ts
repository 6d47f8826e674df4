export { canonicalJson, sha256 } from "./canonical.ts";
export { folderSource } from "./folder.ts";
export { pathInPack, pathProblem } from "./paths.ts";
export { type EntryKind, memorySource, type PackSource } from "./source.ts";
