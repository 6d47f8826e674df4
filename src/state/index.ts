export { keyText } from "./key.ts";
export { KeyedQueue } from "./keyed-queue.ts";
export { MemoryStateStore } from "./memory.ts";
export { type Quota, quotaOf, type QuotaOptions, StateQuotaError } from "./quota.ts";
export { SqliteStateStore } from "./sqlite.ts";
export type { StateKey, StateRecord, StateStore, StateWrite } from "./store.ts";
