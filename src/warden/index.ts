export type { Chunk, ChunkStreamOptions } from "./chunk-stream.ts";
export type { Divergence } from "./cross-check.ts";
export type { FaultNotice, LogNotice, RefusalNotice, ReloadNotice, WardenEvents } from "./events.ts";
export { describeHook, type HookDescription } from "./hooks.ts";
export { checkDispatch, checkMembers, wardenMembers } from "./check-options.ts";
export type { DispatchOptions, Isolation, WardenOptions } from "./options.ts";
export { createSandbox } from "./sandboxes.ts";
export { createWarden, Warden } from "./warden.ts";
export { FolderWatch } from "./watch.ts";
