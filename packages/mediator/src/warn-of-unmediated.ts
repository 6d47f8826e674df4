/** Limit of warnings; the tool names come from the model provider. */
const maxWarnings = 1_000;

/** Creates a function that emits a process warning about a tool that the provider runs itself, once for each name. */
export function warnOfUnmediated(): (call: { readonly toolName: string }) => void {
  const warned = new Set<string>();
  return ({ toolName }) => {
    if (warned.has(toolName) || warned.size >= maxWarnings) return;
    warned.add(toolName);
    process.emitWarning(
      `the provider runs tool ${JSON.stringify(toolName)} itself, where no hook can decide on it`,
    );
  };
}
