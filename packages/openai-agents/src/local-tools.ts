import type { ApplyPatchTool, Editor, Shell, ShellTool } from "@openai/agents";
import { asText } from "@hookwarden/mediator";
import { ActionGuard, type Approve } from "./approval.ts";
import { textOf } from "./outputs.ts";
import type { GuardState } from "./state.ts";
import { copyWith } from "./tool.ts";

/** A shell tool whose commands run between hooks. A tool that the provider executes is returned as it is. */
export function guardShellTool(tool: ShellTool, state: GuardState): ShellTool {
  const { shell } = tool;
  if (!shell) return tool;
  const actions = new ActionGuard(state, tool.name);
  type Result = Awaited<ReturnType<Shell["run"]>>;
  const exit = (stderr: string): Result["output"][number] => ({
    stdout: "",
    stderr,
    outcome: { type: "exit", exitCode: 1 },
  });
  const guarded: Shell = {
    run: async (action) => {
      const outcome = await actions.run(action, (input) => {
        const { commands } = input as { commands?: unknown };
        if (!Array.isArray(commands) || !commands.every((command) => typeof command === "string")) {
          throw new Error("a hook rewrote the commands to a value that is not a list of strings");
        }
        return shell.run(input as typeof action);
      });
      if (outcome.kind !== "result") return { output: [exit(textOf(outcome))] };
      const { output } = (outcome.result ?? {}) as Partial<Result>;
      const shown: Result = Array.isArray(output)
        ? (outcome.result as Result)
        : {
            output: [
              {
                ...exit(""),
                stdout: asText(outcome.result),
                outcome: { type: "exit", exitCode: outcome.isError ? 1 : 0 },
              },
            ],
          };
      if (outcome.added === null) return shown;
      const added = { stdout: outcome.added, stderr: "", outcome: { type: "exit", exitCode: 0 } } as const;
      return { ...shown, output: [...shown.output, added] };
    },
  };
  return copyWith(tool, { shell: guarded, needsApproval: actions.approval(tool.needsApproval as Approve) });
}

const editorMethods = {
  create_file: "createFile",
  update_file: "updateFile",
  delete_file: "deleteFile",
} as const;

/** A tool that edits files between hooks. */
export function guardApplyPatchTool(tool: ApplyPatchTool, state: GuardState): ApplyPatchTool {
  const actions = new ActionGuard(state, tool.name);
  const { editor } = tool;
  type Result = Exclude<Awaited<ReturnType<Editor["createFile"]>>, void>;
  const edit = async (operation: object, context: unknown): Promise<Result> => {
    const outcome = await actions.run(operation, async (input) => {
      const { type } = input as { type?: unknown };
      // Chosen by the operation after hooks: the SDK chose by the one that the model asked for.
      const method =
        Object.hasOwn(editorMethods, String(type)) && editorMethods[type as keyof typeof editorMethods];
      if (!method) throw new Error("a hook rewrote the operation to one with an unknown `type`");
      return (await editor[method](input as never, context as never)) ?? {};
    });
    if (outcome.kind !== "result") return { status: "failed", output: textOf(outcome) };
    const { status, output } = (
      typeof outcome.result === "object" ? outcome.result : { output: asText(outcome.result) }
    ) as Result;
    const texts = [output, outcome.added].filter((text) => typeof text === "string" && text !== "");
    return {
      ...(outcome.isError ? { status: "failed" as const } : status === undefined ? {} : { status }),
      ...(texts.length === 0 ? {} : { output: texts.join("\n\n") }),
    };
  };
  const guarded: Editor = { createFile: edit, updateFile: edit, deleteFile: edit };
  return copyWith(tool, { editor: guarded, needsApproval: actions.approval(tool.needsApproval as Approve) });
}
