/** Signed bundles: a pack as one file that a host can trust. */
export { type BuildOptions, buildBundle } from "./build.ts";
export { generateKey, isKeyName, type PrivateKeyJwk, type PublicKeyJwk, toPublicKey } from "./keys.ts";
export { packedLimits } from "./limits.ts";
export type { BundleList } from "./list.ts";
export { floorOf, loadBundle, type LoadedBundle, readTrust } from "./load.ts";
export { digestOfList, type Floor, openBundle, type OpenedBundle, type OpenOptions } from "./open.ts";
export { readWholeFile } from "./read-file.ts";
export { type CheckedTrust, checkTrust, type Trust, type TrustedKey } from "./trust.ts";
export { importPrivateKey, type Signer } from "./keys.ts";
export { isVersion } from "./list.ts";
export {
  requireApproval,
  readReview,
  type RequiredReview,
  type ReviewRecord,
  reviewRecordFormat,
  type SignedReview,
  signReview,
} from "./review-record.ts";
export { sign, verifySignature } from "./signature.ts";
