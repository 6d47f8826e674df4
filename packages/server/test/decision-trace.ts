/**
 * Prints, as JSON, the server's files that run functions for one decision over HTTP: V8's call counts between two
 * requests. A program of its own, because test runners rewrite the sources.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@hookwarden/client";
import { createServer, makeKey } from "@hookwarden/server";
import { eventOf, guard } from "../../../test/bench/server/setup.ts";

const data = mkdtempSync(join(tmpdir(), "hookwarden-trace-"));
const server = await createServer({ data, port: 0, where: "inline", console: false });
const { key, record } = makeKey({ tenant: null, name: "trace", scopes: [], expires: null });
await server.context.stores.keys.add(record);
const { url } = await server.listen();
const operator = createClient({ url, key });
await operator.putTenant("acme");
const made = await operator.makeKey({ tenant: "acme", name: "trace", scopes: ["decide", "packs"] });
const client = createClient({ url, key: made.key });
await client.putPack("acme", { files: guard });
for (let times = 0; times < 30; times++) await client.decide(eventOf());

const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
// Counts are reset each time that they are taken.
await session.post("Profiler.takePreciseCoverage");
await client.decide(eventOf());
const { result } = await session.post("Profiler.takePreciseCoverage");
const files = result.flatMap(({ url: source, functions }) => {
  const file = /\/(packages\/server\/src\/.*)$/.exec(source)?.[1];
  const ran = functions.some(
    ({ functionName, ranges: [range] }) => range !== undefined && range.count > 0 && functionName !== "",
  );
  return file && ran ? [file] : [];
});
console.log(JSON.stringify(files.sort()));
await server.close();
rmSync(data, { recursive: true, force: true });
