/** Escapes one segment of a path. */
export const segment = encodeURIComponent;

/** The query that limits a request to one tenant; empty for all tenants. */
export function tenantQuery(tenant: string | undefined): string {
  return tenant === undefined ? "" : `?tenant=${segment(tenant)}`;
}

/** A query from an object's members; absent ones are left out. */
export function queryOf(values: object): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) query.set(name, String(value));
  }
  return query;
}
