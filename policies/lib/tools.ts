/** Names of tools that change files, for tools whose kind is not known. */
const changing = /write|edit|create|patch|replace|delete|remove|move|rename|insert|save|append|upload/i;

/** What a tool does with a file that it names, as `facts.tool` says; by its name otherwise. */
export function changesFile(access: string, toolName: string): boolean {
  if (access === "any") return changing.test(toolName);
  return access !== "read" && access !== "search";
}
