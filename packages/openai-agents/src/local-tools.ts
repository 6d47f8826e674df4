import type { ApplyPatchTool, Editor, Shell, ShellTool } from "@openai/agents";
import { copyWith } from "./tool.ts";
import { type Approve, asText, Gate, textOf } from "./approval.ts";
import type { GuardSession } from "./session.ts";

/** A shell tool whose commands run between hooks. One that runs at the provider is none of these. */
export function guardShellTool(tool: ShellTool, session: GuardSession): ShellTool {
  const { shell } = tool;
  if (!shell) return tool;
  const gate = new Gate(session, tool.name);
  type Result = Awaited<ReturnType<Shell["run"]>>;
  const exit = (stderr: string): Result["output"][number] => ({
    stdout: "",
    stderr,
    outcome: { type: "exit", exitCode: 1 },
  });
  const guarded: Shell = {
    run: async (action) => {
      const outcome = await gate.run(action, (input) => {
        const { commands } = input as { commands?: unknown };
        if (!Array.isArray(commands) || !commands.every((command) => typeof command === "string")) {
          throw new Error("a hook rewrote the commands to what are none");
        }
        return shell.run(input as typeof action);
      });
      if (outcome.kind !== "result") return { output: [exit(textOf(outcome))] };
      const { output } = (outcome.result ?? {}) as Partial<Result>;
      const said: Result = Array.isArray(output)
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
      if (outcome.added === null) return said;
      const added = { stdout: outcome.added, stderr: "", outcome: { type: "exit", exitCode: 0 } } as const;
      return { ...said, output: [...said.output, added] };
    },
  };
  return copyWith(tool, { shell: guarded, needsApproval: gate.approval(tool.needsApproval as Approve) });
}

const editorMethods = {
  create_file: "createFile",
  update_file: "updateFile",
  delete_file: "deleteFile",
} as const;

/** A tool that edits files, between hooks. */
export function guardApplyPatchTool(tool: ApplyPatchTool, session: GuardSession): ApplyPatchTool {
  const gate = new Gate(session, tool.name);
  const { editor } = tool;
  type Result = Exclude<Awaited<ReturnType<Editor["createFile"]>>, void>;
  const edit = async (operation: object, context: unknown): Promise<Result> => {
    const outcome = await gate.run(operation, async (input) => {
      const { type } = input as { type?: unknown };
      // By the operation that hooks left: the package has chosen by the one that the model asked for.
      const method =
        Object.hasOwn(editorMethods, String(type)) && editorMethods[type as keyof typeof editorMethods];
      if (!method) throw new Error("a hook rewrote the operation to what is none");
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
  return copyWith(tool, { editor: guarded, needsApproval: gate.approval(tool.needsApproval as Approve) });
}
