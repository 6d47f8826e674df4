const pattern = /^[a-z0-9][a-z0-9._-]{0,63}$/;

/** Whether something can name a tenant: it stands in paths, labels and logs, and must mean one thing in all of them. */
export function isTenantName(name: unknown): name is string {
  return typeof name === "string" && pattern.test(name);
}
