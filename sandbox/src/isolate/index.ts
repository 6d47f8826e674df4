export { createIsolateSandbox, type IsolateOptions } from "./engine.ts";
