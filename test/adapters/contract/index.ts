import type { Adapter } from "./adapter.ts";
import { chunkContract } from "./chunks.ts";
import { faultContract } from "./faults.ts";
import { modelContract } from "./model.ts";
import { toolContract } from "./tools.ts";

/** Declares the tests that every adapter to an agent framework passes. */
export function adapterContract(adapter: Adapter): void {
  toolContract(adapter);
  modelContract(adapter);
  chunkContract(adapter);
  faultContract(adapter);
}
