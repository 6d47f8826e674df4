import type { State } from "./state.ts";
import type { Command } from "./syntax.ts";
import { isUnknown } from "./text.ts";

/** What a command ends, so that what follows it may not run. */
export function endOf(words: readonly string[]): "shell" | "call" | "loop" | null {
  const [name = "", first = ""] = words;
  if (name === "exit" || name === "readonly" || name === "logout") return "shell";
  if (name === "return") return "call";
  if (name === "break" || name === "continue") return "loop";
  // `set -e` ends the shell with the first command that fails.
  if (name === "set" && /^[-+][a-zA-Z]/.test(first)) return "shell";
  return null;
}

const variableName = /^[A-Za-z_]\w*$/;

/** Applies what a builtin does to variables. Assignments as in `export a=b` are the caller's. */
export function applyBuiltin(state: State, words: readonly string[]): void {
  const [name = "", ...args] = words;
  const effect = effects.get(name);
  if (effect === undefined) return;
  if (args.some((arg) => arg.startsWith("\uFDD0")) && name !== "set") {
    // Which variables it sets is not known.
    state.forgetAll();
    return;
  }
  effect(state, args);
}

type Effect = (state: State, args: readonly string[]) => void;

/** Forgets the variables that are named among the arguments. */
const forgetNamed: Effect = (state, args) => {
  for (const arg of args) {
    const name = arg.replace(/[=[+].*$/s, "");
    if (variableName.test(name)) state.forget(name);
  }
};

const effects: ReadonlyMap<string, Effect> = new Map<string, Effect>([
  [
    "read",
    (state, args) => {
      const names = args.filter((arg) => variableName.test(arg));
      forgetNamed(state, names.length > 0 ? names : ["REPLY"]);
    },
  ],
  [
    "mapfile",
    (state, args) => {
      for (const name of [...args, "MAPFILE"])
        if (variableName.test(name)) state.assign(name, [`\uFDD0V${name}\uFDD1`]);
    },
  ],
  [
    "readarray",
    (state, args) => {
      for (const name of [...args, "MAPFILE"])
        if (variableName.test(name)) state.assign(name, [`\uFDD0V${name}\uFDD1`]);
    },
  ],
  ["getopts", (state, args) => forgetNamed(state, [args[1] ?? "", "OPTARG", "OPTIND"])],
  ["let", forgetNamed],
  [
    "printf",
    (state, args) => {
      const at = args.indexOf("-v");
      const glued = args.find((arg) => /^-v./.test(arg));
      if (at >= 0 || glued !== undefined) forgetNamed(state, [glued?.slice(2) ?? args[at + 1] ?? ""]);
    },
  ],
  ["wait", (state, args) => forgetNamed(state, args)],
  [
    "unset",
    (state, args) => {
      const functions = args.includes("-f");
      for (const arg of args) {
        if (functions) state.functions.delete(arg);
        else if (variableName.test(arg)) {
          if (arg === "IFS") state.variables.delete("IFS");
          else state.assign(arg, [`\uFDD0v${arg}\uFDD1`]);
          if (!args.includes("-v")) state.functions.delete(arg);
        } else if (!arg.startsWith("-")) state.forget(arg.replace(/\[.*$/s, ""));
      }
    },
  ],
  [
    "set",
    (state, args) => {
      const dashes = args.findIndex((arg) => arg === "--" || arg === "-");
      const first = args.findIndex((arg) => !/^[-+]./.test(arg));
      const at = dashes >= 0 ? dashes + 1 : first;
      if (at < 0) return;
      setPositional(state, args.slice(at));
    },
  ],
  [
    "shift",
    (state, args) => {
      const list = state.variables.get("@");
      const [values] = list ?? [];
      const count = Number(args[0] ?? "1");
      if (
        list?.length !== 1 ||
        values === undefined ||
        !Number.isInteger(count) ||
        /\uFDD0[A-Zg]/.test(values)
      )
        setPositional(state, null);
      else setPositional(state, values === "\uFDD3" ? [] : values.split("\uFDD2").slice(count));
    },
  ],
  [
    "export",
    (state, args) => {
      for (const arg of args) if (variableName.test(arg)) state.exported.add(arg);
    },
  ],
  ["declare", declare],
  ["typeset", declare],
  ["local", declare],
]);

function declare(state: State, args: readonly string[]): void {
  // A nameref: an assignment to it changes another variable.
  if (args.some((arg) => /^-\w*n/.test(arg))) state.forgetAll();
  const names = args.filter((arg) => variableName.test(arg));
  if (args.some((arg) => /^-\w*x/.test(arg))) for (const name of names) state.exported.add(name);
  for (const name of names) state.assign(name, [...state.valuesOf(name), ""]);
}

/** Sets `$1`, … and `$@`; `null`: to what is not known. */
export function setPositional(state: State, values: readonly string[] | null): void {
  const unsure = values?.findIndex((value) => /\uFDD0[A-Zg]/.test(value)) ?? 0;
  for (let at = 1; at <= 9; at++) {
    if (values === null || (unsure >= 0 && at > unsure)) state.variables.delete(String(at));
    else state.assign(String(at), [values[at - 1] ?? ""]);
  }
  if (values === null) for (const name of ["@", "*", "#"]) state.variables.delete(name);
  else {
    const all = values.length === 0 ? "\uFDD3" : values.join("\uFDD2");
    for (const name of ["@", "*"]) state.assign(name, [all]);
    if (unsure < 0) state.assign("#", [String(values.length)]);
    else state.forget("#");
  }
}

/** The variables that a declaration names in its text. */
export function assignedBy(command: Command): readonly string[] {
  return command.args.flatMap((arg) => {
    const name = arg.type === "Assignment" ? arg.name : arg.value;
    return variableName.test(name) && !isUnknown(name) ? [name] : [];
  });
}
