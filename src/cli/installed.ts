import { HookwardenError } from "../errors/index.ts";
import type { CommandModule } from "./command-module.ts";

/**
 * Loads an entry point of a package that is installed beside this one.
 *
 * @throws {HookwardenError} `package-missing`, with the line that installs it.
 */
export async function installed<T>(name: string, entry: string): Promise<T> {
  try {
    import.meta.resolve(`${name}/${entry}`);
  } catch (error) {
    const message = `this needs the package \`${name}\`: run \`npm install ${name}\``;
    throw new HookwardenError("package-missing", message, {}, { cause: error });
  }
  return (await import(`${name}/${entry}`)) as T;
}

/** Loads a command that another package brings: its entry point `commands` holds one function for each. */
export async function commandOf(name: string, command: string): Promise<CommandModule> {
  const { commands } = await installed<{
    readonly commands: { readonly [command: string]: () => Promise<CommandModule> };
  }>(name, "commands");
  return commands[command]!();
}
