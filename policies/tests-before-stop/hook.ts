import {
  notify,
  type PostToolUse,
  type PostToolUseFailure,
  retry,
  setState,
  type Stop,
} from "hookwarden/hook";
import { baseName, globMatches } from "../lib/paths.ts";
import { readShell } from "../lib/shell/read.ts";
import { commandOf, fileOf, type ToolInput } from "../lib/tools.ts";
import { isTestRun } from "./test-runs.ts";

interface Config {
  readonly commands?: readonly string[];
  readonly ignore?: readonly string[];
  readonly reminders?: number;
}

interface Progress {
  /** What the last test run since the last edit has shown. */
  readonly tests: "none" | "failed";
  readonly reminders: number;
}

const texts: readonly string[] = ["*.md", "*.txt", "*.rst", "*.adoc", "LICENSE*", "*.png", "*.jpg", "*.svg"];
const defaultReminders = 2;

const PostToolUse: PostToolUse<Progress, Config | undefined> = (event, ctx) => {
  const response = event.tool_response as { readonly is_error?: unknown } | null | undefined;
  const failed = event.is_error === true || response?.is_error === true;
  const file = fileOf(event.tool_input);
  if (commandOf(event.tool_input) !== undefined)
    return afterCommand(event.tool_input, failed, ctx.state, ctx.config);
  if (file === undefined || failed) return undefined;
  const ignored = (ctx.config?.ignore ?? texts).some((pattern) => globMatches(pattern, baseName(file)));
  return ignored ? undefined : setState<Progress>({ tests: "none", reminders: 0 });
};

const PostToolUseFailure: PostToolUseFailure<Progress, Config | undefined> = (event, ctx) =>
  afterCommand(event.tool_input, true, ctx.state, ctx.config);

const Stop: Stop<Progress, Config | undefined> = (_event, ctx) => {
  const progress = ctx.state;
  if (progress === null) return undefined;
  if (progress.reminders >= (ctx.config?.reminders ?? defaultReminders)) {
    return [
      setState<Progress>(null),
      notify("The agent has stopped after edits without a passing test run."),
    ];
  }
  const why =
    progress.tests === "failed" ? "the last test run has failed" : "no tests were run since the last edit";
  return [
    retry(
      `Files were edited, and ${why}. Run the tests, mend what fails, and stop then; if there are none, say so.`,
    ),
    setState<Progress>({ ...progress, reminders: progress.reminders + 1 }),
  ];
};

export default { PostToolUse, PostToolUseFailure, Stop };

/** A passing test run clears what was to be tested; a failing one is remembered. */
function afterCommand(
  input: ToolInput | undefined,
  failed: boolean,
  progress: Progress | null,
  config: Config | undefined,
) {
  if (progress === null) return undefined;
  const { invocations } = readShell(commandOf(input) ?? "", undefined);
  if (!invocations.some((invocation) => isTestRun(invocation, config?.commands ?? []))) return undefined;
  return setState<Progress>(failed ? { ...progress, tests: "failed" } : null);
}
