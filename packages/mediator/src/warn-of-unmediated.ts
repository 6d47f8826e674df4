/** Most tools that are warned of; their names are the model provider's. */
const toldMost = 1_000;

/** A function that warns of a tool which the provider runs by itself: once for each name, as a warning of the process. */
export function warnOfUnmediated(): (call: { readonly toolName: string }) => void {
  const told = new Set<string>();
  return ({ toolName }) => {
    if (told.has(toolName) || told.size >= toldMost) return;
    told.add(toolName);
    process.emitWarning(
      `the provider runs tool ${JSON.stringify(toolName)} by itself; no hook stands before it`,
    );
  };
}
