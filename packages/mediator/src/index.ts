export { BoundedMap } from "./bounded-map.ts";
export { Carried } from "./carried.ts";
export { chunkJudge, ChunkWindow, type JudgeChunk } from "./chunk-window.ts";
export { jsonView } from "./json-view.ts";
export { type DecidingWarden, type MediationOptions, Mediator } from "./mediator.ts";
export {
  afterModel,
  beforeModel,
  beforeStop,
  haltedText,
  maxRepeats,
  modelFailed,
  onlyParams,
  submitPrompt,
} from "./model-call.ts";
export { HookRefusedError, type RefusedHow } from "./refused-error.ts";
export { runTool, type ToolOutcome } from "./run-tool.ts";
export {
  afterTool,
  afterToolFailure,
  beforeAsking,
  beforeTool,
  joined,
  refusedError,
  type ToolCall,
  type ToolRefused,
  type ToolRuns,
} from "./tool-call.ts";
export { warnOfUnmediated } from "./warn-of-unmediated.ts";
export { type AddedMessage, quoted, refusalText } from "./words.ts";
