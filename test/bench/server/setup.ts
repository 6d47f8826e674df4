/** Tenants, keys and packs for benches and tests of the server, put there without a running one. */
import { makeKey, openSqliteStores } from "@hookwarden/server";
import { createClient, type Client } from "@hookwarden/client";

/** Files of a pack with one hook. */
export function packOf(
  source: string,
  {
    name = "guard",
    on = [{ event: "PreToolUse" }] as object[],
    actions = ["deny", "notify"],
    budgets = undefined as object | undefined,
    ...more
  } = {} as {
    name?: string;
    on?: object[];
    actions?: string[];
    budgets?: object;
    [member: string]: unknown;
  },
): { readonly [path: string]: string } {
  return {
    "hookwarden.json": JSON.stringify({ apiVersion: 1, hooks: [name], ...(budgets ? { budgets } : {}) }),
    [`${name}/hook.json`]: JSON.stringify({
      apiVersion: 1,
      name,
      version: "1.0.0",
      entry: "hook.js",
      on,
      reads: ["tool_input"],
      actions,
      ...more,
    }),
    [`${name}/hook.js`]: source,
  };
}

/** A guard as people write them: one regular expression on a command. */
export const guard = packOf(
  String.raw`export default (event) => /\brm\s+-[rf]{2}\s+\/(?:\s|$)/.test(event.tool_input.command)
    ? { action: "deny", reason: "this would remove everything" } : undefined;`,
);

/** An event of about a kilobyte. */
export function eventOf(session = "s1", command = "git status --short && ls -la src test"): object {
  return {
    hook_event_name: "PreToolUse",
    session_id: session,
    cwd: "/home/someone/projects/thing",
    tool_name: "Bash",
    tool_use_id: "toolu_01",
    tool_input: { command, description: "Looks at what has changed. ".repeat(25) },
  };
}

/** An operator's client of a server with these stores. */
export async function operatorOf(data: string, url: () => string): Promise<() => Client> {
  await using stores = openSqliteStores({ folder: data });
  const { key, record } = makeKey({ tenant: null, name: "bench", scopes: [], expires: null });
  await stores.keys.add(record);
  return () => createClient({ url: url(), key });
}
