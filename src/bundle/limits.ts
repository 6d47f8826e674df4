import { compileLimits } from "../compile/index.ts";
import { manifestTextLimits } from "../pack/index.ts";

/** Limits of a bundle. It may come from anywhere: each is held while reading, before what is behind it is looked at. */
export const packedLimits = {
  /** The .tgz itself, in bytes. */
  packedBytes: 33_554_432,
  /** The archive in it, in bytes. */
  unpackedBytes: 134_217_728,
  /** How many bytes may come out for each byte that goes in, once more than `ratioFromBytes` have come out. */
  ratio: 100,
  ratioFromBytes: 1_048_576,
  /** Files. */
  entries: 4_096,
  /** Characters of a path: what a header of the archive holds without an extension. */
  pathLength: 255,
  /** Folders of a path, the file included. */
  pathParts: 16,
  /** A manifest of the pack, in bytes. */
  manifestBytes: manifestTextLimits.maxBytes,
  /** A script with all that it imports, in bytes. */
  scriptBytes: compileLimits.programBytes,
  /** The list of files, in bytes. */
  listBytes: 2_097_152,
  /** The signature, in bytes. */
  signatureBytes: 2_048,
} as const;
