/** For packages that bring commands to the command line: options, input, output. */
export type { CommandModule } from "./command-module.ts";
export type { Cli } from "./cli.ts";
export { useCompileCache } from "./compile-cache/index.ts";
export { plural } from "./decision-table.ts";
export { placed, readEvents } from "./event-source.ts";
export { excerpt, safeJson, visible } from "./sanitize-text.ts";
export { readJsonFile } from "./json-file.ts";
export {
  addEngine,
  addEvents,
  addExample,
  addFormat,
  addReview,
  type EngineOptions,
  type FormatOption,
  names,
  required,
  reviewOf,
  type ReviewOptions,
} from "./options.ts";
export { writeOut } from "./out-file.ts";
export { main } from "./program.ts";
export { reportError } from "./report-error.ts";
export { paragraph, Table } from "./table.ts";
export { type Style, Terminal } from "./terminal.ts";
