export { checkedHold } from "./adapter-options.ts";
export { BoundedMap } from "./bounded-map.ts";
export { chunkJudge, ChunkWindow, type JudgeChunk } from "./chunk-window.ts";
export { ConversationRequests, type MessageFormat, type PreparedRequest } from "./conversation-requests.ts";
export { jsonView } from "./json-view.ts";
export { type DecidingWarden, type MediationOptions, Mediator } from "./mediator.ts";
export {
  afterModel,
  beforeModel,
  beforeStop,
  haltedText,
  maxRepeats,
  modelFailed,
  submitPrompt,
} from "./model-call.ts";
export {
  type AddedMessage,
  approvalRequired,
  invalidRewrite,
  quoted,
  refusalText,
  rewrittenBeforeApproval,
  unmediatedCallText,
} from "./refusal-messages.ts";
export { HookRefusedError, type RefusedHow } from "./refused-error.ts";
export { shownParams, withParams } from "./request-params.ts";
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
export { asText, isPart } from "./values.ts";
export { warnOfUnmediated } from "./warn-of-unmediated.ts";
