/** A general isolation layer for untrusted JavaScript: JSON text in, JSON text out, limits, faults. */
export { describeContainment } from "./containment/containment.ts";
export {
  ContainmentMissingError,
  type ContainmentMode,
  type ContainmentReport,
  setDefaultContainment,
  type WallName,
  type WallState,
} from "./containment/walls.ts";
export type {
  Call,
  CallGroup,
  EngineName,
  Inspection,
  LogLine,
  Outcome,
  Program,
  Sandbox,
  Usage,
} from "./contract.ts";
export { createSandbox, type SandboxOptions } from "./create.ts";
export { EngineMissingError } from "./engine-missing.ts";
export {
  type Blame,
  circumstantialFaults,
  type Fault,
  type FaultCode,
  type FaultRow,
  faultTable,
  type Position,
} from "./fault.ts";
export {
  answerLimits,
  defaultLimits,
  limitCeilings,
  type LimitName,
  limitNames,
  type LimitRow,
  type Limits,
  limitTable,
} from "./limits.ts";
export type { ProcessSandboxOptions } from "./process/options.ts";
export { contain, withParent, type Wrapper } from "./containment/containment.ts";
export { codeFiles, withRealPath } from "./containment/node-files.ts";
export { killGroup, spawnContained } from "./containment/spawn.ts";
export { containmentModes } from "./containment/walls.ts";
export { loadLimits } from "./limits.ts";
export { engineDigest } from "./engine-digest.ts";
