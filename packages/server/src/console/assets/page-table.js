import { get } from "./api.js";
import { approvalsPage } from "./approval-pages.js";
import { decisionPage, decisionsPage } from "./decision-pages.js";
import { faultsPage, hooksPage, quarantinePage } from "./hook-pages.js";
import { livePage } from "./live-page.js";
import { overviewPage } from "./overview-page.js";
import { tenantPage, tenantsPage } from "./tenant-pages.js";

const name = encodeURIComponent;

/** Every page: what it asks the server for, and how it is shown. */
export const pages = {
  overview: {
    title: "Overview",
    load: async () => ({ ...(await get("faults?limit=6")), ...(await get("nodes")) }),
    show: overviewPage,
  },
  live: { title: "Live", load: async () => ({}), show: livePage },
  decisions: { title: "Decisions", load: loadDecisions, show: decisionsPage },
  approvals: { title: "Approvals", load: () => get("approvals?limit=50"), show: approvalsPage },
  tenants: { title: "Tenants", load: () => get("tenants"), show: tenantsPage },
  hooks: { title: "Hooks", load: () => get("hooks"), show: hooksPage },
  faults: { title: "Faults", load: () => get("faults?limit=200"), show: faultsPage },
  quarantine: {
    title: "Quarantine",
    load: async () => ({ ...(await get("quarantine")), ...(await get("faults?limit=200")) }),
    show: quarantinePage,
  },
};
/** Pages of one thing, below that of all. */
export const details = {
  decisions: {
    title: "Decision",
    load: async ([tenant, node, n]) => ({
      record: await get(`/v1/tenants/${name(tenant)}/decisions/${name(node)}/${name(n)}`),
    }),
    show: decisionPage,
  },
  tenants: {
    title: "Tenant",
    load: async ([tenant]) => ({
      tenant: await get(`tenants/${name(tenant)}`),
      ...(await get(`hooks?tenant=${name(tenant)}`)),
      packs: await get(`/v1/tenants/${name(tenant)}/packs`),
    }),
    show: tenantPage,
  },
};

/** The decisions that the filters in the address ask for. */
async function loadDecisions(_of, query) {
  const { tenants } = await get("tenants");
  const tenant = query.tenant ?? tenants[0]?.tenant;
  if (tenant === undefined) return { tenants, decisions: [], more: false };
  const filters = new URLSearchParams({ limit: "100" });
  for (const id of ["verdict", "hook", "text"]) if (query[id]) filters.set(id, query[id]);
  return { tenants, ...(await get(`/v1/tenants/${name(tenant)}/decisions?${filters}`)) };
}
