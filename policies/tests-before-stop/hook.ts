import {
  notify,
  type PostToolUse,
  type PostToolUseFailure,
  retry,
  setState,
  type ShellFact,
  type Stop,
} from "hookwarden/hook";
import { baseName, globMatches } from "../lib/paths.ts";
import { invocationsOf } from "../lib/commands.ts";
import { changesFile } from "../lib/tools.ts";
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
  const { tool, shell } = event.facts;
  if (tool.ok && tool.commands.length > 0) return afterCommand(shell, failed, ctx.state, ctx.config);
  if (!tool.ok || failed) return undefined;
  const ignore = ctx.config?.ignore ?? texts;
  const edited = tool.files.some(
    ({ path, access }) =>
      access !== "delete" &&
      changesFile(access, event.tool_name) &&
      !ignore.some((pattern) => globMatches(pattern, baseName(path))),
  );
  return edited ? setState<Progress>({ tests: "none", reminders: 0 }) : undefined;
};

const PostToolUseFailure: PostToolUseFailure<Progress, Config | undefined> = (event, ctx) =>
  afterCommand(event.facts.shell, true, ctx.state, ctx.config);

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
  shell: ShellFact,
  failed: boolean,
  progress: Progress | null,
  config: Config | undefined,
) {
  if (progress === null) return undefined;
  if (!invocationsOf(shell).some((invocation) => isTestRun(invocation, config?.commands ?? [])))
    return undefined;
  return setState<Progress>(failed ? { ...progress, tests: "failed" } : null);
}
