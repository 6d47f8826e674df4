export { type BundledModule, bundleLimits } from "./bundle-protocol.ts";
export {
  type BundledScript,
  bundleEach,
  type BundleOptions,
  bundleScripts,
  nearestModules,
} from "./bundle.ts";
export { answerLine, onJob, readLines } from "./child-lines.ts";
export { type ChildLimits, runChild } from "./run-child.ts";
export { childLimits } from "./child-limits.ts";
export { type MappedProgram, type SourcePlace, sourcePlace } from "./source-place.ts";
