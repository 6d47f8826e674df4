/** The walls of the operating system around child processes. */
export type { ChildSpec } from "./backends.ts";
export { contain, describeContainment, withParent, type Wrapper } from "./containment.ts";
export { codeFiles, withRealPath } from "./node-files.ts";
export { killGroup, spawnContained } from "./spawn.ts";
export {
  ContainmentMissingError,
  type ContainmentMode,
  containmentModes,
  type ContainmentReport,
  setDefaultContainment,
  type WallName,
  wallNames,
  type WallRow,
  type WallState,
  wallTable,
} from "./walls.ts";
