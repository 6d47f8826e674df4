/**
 * The server that benches measure and kill. Settings as JSON in the first argument; tells its URL on the first line of
 * its output; ends in order at SIGTERM.
 */
import fastify from "fastify";
import type { ServerOptions } from "@hookwarden/server";

// The built package, which is what users run: its children start three times as fast as from sources.
const { createServer } = (await import(
  new URL("../../../packages/server/dist/index.js", import.meta.url).href
)) as typeof import("../../../packages/server/src/index.ts");

type Settings = { readonly echo: true } | ({ readonly echo?: false } & ServerOptions);

const settings = JSON.parse(process.argv[2] as string) as Settings;

if (settings.echo) {
  const app = fastify();
  app.post("/v1/decisions", (request, reply) => void reply.send(request.body));
  console.log(await app.listen({ host: "127.0.0.1", port: 0 }));
  process.once("SIGTERM", () => void app.close().then(() => process.exit(0)));
} else {
  const server = await createServer(settings);
  const { url } = await server.listen();
  console.log(url);
  process.once("SIGTERM", () => void server.close().then(() => process.exit(0)));
}
