/** Packs: manifests, grants, matchers, scripts. */
export { type AcceptedHook, acceptHooks, completePack, type HookPart } from "./assemble.ts";
export { canFailClosed, failurePolicies, canReturnStrongVerdict } from "./failure-policy.ts";
export { acceptSchema, checkAgainst, type SchemaProblem } from "@hookwarden/sandbox/schema";
export { budgetTable, manifestLimits, stateLimits } from "./limits.ts";
export {
  loadPack,
  loadPackFromFiles,
  type LoadOptions,
  type PackManifests,
  readListed,
  readManifests,
  readScript,
  scriptPath,
} from "./load.ts";
export {
  checkHookManifest,
  checkPackManifest,
  hookManifestFile,
  manifestTextLimits,
  packManifestFile,
  readHookManifest,
  readPackManifest,
} from "./manifest.ts";
export { grantedReads, replacedFields } from "./reads.ts";
export type {
  Budgets,
  FailurePolicy,
  Grant,
  HookManifest,
  HookMode,
  InjectRole,
  LoadedHook,
  LoadedPack,
  PackManifest,
  StateDeclaration,
  Subscription,
} from "./types.ts";
export { unreadChange } from "./reads.ts";
export { namePattern } from "./schema.ts";
