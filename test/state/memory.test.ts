import { MemoryStateStore } from "../../src/state/memory.ts";
import { stateSuite } from "../support/state-suite.ts";

stateSuite("memory", (options) => new MemoryStateStore(options));
