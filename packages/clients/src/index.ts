/** Agent clients: their tables, the hook program and its daemon, and the configuration that names it. */
export { type AgentClient, type ClientName, clientNames, clients } from "./clients/index.ts";
export {
  hookArguments,
  hookDefaults,
  type HookOptions,
  optionRows,
  type OptionRow,
  readHookArguments,
  OptionError,
} from "./hook/hook-options.ts";
export { programs } from "./hook/programs.ts";
export { changedLines, type ChangedLine } from "./settings/changed-lines.ts";
export { withHook, withoutHook } from "./settings/edit.ts";
export { hookEntries, type HookEntry } from "./settings/entry.ts";
export { readSettingsFile, type SettingsFile, writeSettingsFile } from "./settings/file.ts";
export { applyChange, type FileChange, isChange, planInstall, planUninstall } from "./settings/plan.ts";
export { type Place, placesOf, type Scope, scopes } from "./settings/places.ts";
