/** Claude Code: the command hook, its daemon, and the settings file that names it. */
export { hookedEvents } from "./translate/hooked-events.ts";
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
export { hookEntry, type HookEntry } from "./settings/entry.ts";
export {
  readSettingsFile,
  type Scope,
  type SettingsFile,
  settingsPath,
  writeSettingsFile,
} from "./settings/file.ts";
export { hookCall } from "./hook/index.ts";
