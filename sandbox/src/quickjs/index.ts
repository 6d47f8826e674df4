export { createQuickjsSandbox, type QuickjsOptions } from "./engine.ts";
