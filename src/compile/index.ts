export {
  type CompileAnswer,
  type CompiledModule,
  type CompileJob,
  compileLimits,
} from "./compile-protocol.ts";
export {
  type CompiledScript,
  compileEach,
  type CompileOptions,
  type CompileResult,
  compileScripts,
  nearestModules,
  setCompileCache,
} from "./compile-scripts.ts";
export { answerLine, onJob, readLines } from "./child-lines.ts";
export { type ChildLimits, runChild } from "./run-child.ts";
export { childLimits } from "./child-limits.ts";
export { type MappedProgram, type SourcePlace, sourcePlace } from "./source-place.ts";
