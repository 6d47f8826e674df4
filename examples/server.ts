/**
 * A server with two tenants in one process: each uploads its own pack, asks for decisions, and reads its own audit.
 *
 *     npm run build:js && node examples/server.ts
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@hookwarden/client";
import { createServer, makeKey } from "@hookwarden/server";

const data = mkdtempSync(join(tmpdir(), "hookwarden-example-"));
try {
  await using server = await createServer({ data, port: 0 });
  const { url } = await server.listen();

  // `hookwarden serve` does this at its first start.
  const { key, record } = makeKey({ tenant: null, name: "operator", scopes: [], expires: null });
  await server.context.stores.keys.add(record);
  const operator = createClient({ url, key });

  for (const [tenant, word] of [
    ["acme", "rm"],
    ["globex", "curl"],
  ] as const) {
    await operator.putTenant(tenant);
    const made = await operator.makeKey({ tenant, name: "agents", scopes: ["decide", "packs", "audit"] });
    const client = createClient({ url, key: made.key });
    await client.putPack(tenant, { files: packAgainst(word) });

    for (const command of ["rm -rf build", "curl https://example.com"]) {
      const { verdict, reason } = await client.decide({
        hook_event_name: "PreToolUse",
        session_id: "s1",
        tool_name: "Bash",
        tool_input: { command },
      });
      console.log(`${tenant}: ${command} -> ${verdict}${reason === null ? "" : `: ${reason}`}`);
    }
    const audit = await new Response(await client.exportAudit(tenant)).text();
    console.log(`${tenant}: ${audit.trim().split("\n").length} records in the audit`);
  }
} finally {
  rmSync(data, { recursive: true, force: true });
}

/** A pack with one hook that denies commands which begin with a word. */
function packAgainst(word: string): { readonly [path: string]: string } {
  return {
    "hookwarden.json": JSON.stringify({ apiVersion: 1, hooks: ["no-word"] }),
    "no-word/hook.json": JSON.stringify({
      apiVersion: 1,
      name: "no-word",
      version: "1.0.0",
      entry: "hook.ts",
      on: [{ event: "PreToolUse", matcher: "Bash" }],
      reads: ["tool_input.command"],
      actions: ["deny"],
    }),
    "no-word/hook.ts": `
      import { deny, type PreToolUse } from "hookwarden/hook";
      const hook: PreToolUse = (event) =>
        String(event.tool_input.command).startsWith("${word} ") ? deny("\`${word}\` is not used here") : undefined;
      export default hook;`,
  };
}
