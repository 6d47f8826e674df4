import type IsolatedVm from "isolated-vm";
import { type Bridge, bootSource, bridgeName, permitsText } from "./bridge.ts";
import type { Ivm } from "./package.ts";

/** What every context of a sandbox is made from. */
export interface World {
  readonly ivm: Ivm;
  /** A heap in which the prelude has run. */
  readonly snapshot: IsolatedVm.ExternalCopy<ArrayBuffer>;
  /** What has to be taken away from a context that came out of the snapshot; see the prelude's `remove`. */
  readonly taken: string;
}

/** Makes the world once in a process. Throws where V8 has something that cannot be confined. */
export function createWorld(ivm: Ivm): World {
  const snapshot = ivm.Isolate.createSnapshot([{ code: bootSource() }]);
  const isolate = new ivm.Isolate({ memoryLimit: 32, snapshot });
  try {
    const taken = confine(newBridge(isolate));
    const second = newBridge(isolate);
    second.applySync(undefined, ["remove", taken]);
    if (confine(second) !== "{}") throw new Error("contexts of one snapshot are not alike");
    return { ivm, snapshot, taken };
  } finally {
    isolate.dispose();
  }
}

function newBridge(isolate: IsolatedVm.Isolate): Bridge {
  return isolate.createContextSync().global.getSync(bridgeName, { reference: true }) as Bridge;
}

/** Applies the whole allow-list, and returns what it removed. */
function confine(bridge: Bridge): string {
  return bridge.applySync(undefined, ["confine", permitsText], { result: { copy: true } }) as string;
}
