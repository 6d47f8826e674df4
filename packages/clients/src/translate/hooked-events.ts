import { claudeCode } from "hookwarden/dialects";

/** Events at which hooks can have a say, and which the settings file therefore names. */
export const hookedEvents: readonly string[] = [...claudeCode.rows.keys()];
