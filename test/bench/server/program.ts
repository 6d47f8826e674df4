/**
 * The server that benches measure and kill. Settings as JSON in the first argument; prints its URL on the first line of
 * its output; ends in order at SIGTERM.
 */
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { ServerOptions } from "@hookwarden/server";

// The built package, which is what users run: its children start three times as fast as from sources.
const { createServer } = (await import(
  new URL("../../../packages/server/dist/index.js", import.meta.url).href
)) as typeof import("../../../packages/server/src/index.ts");

type Settings = { readonly echo: true } | ({ readonly echo?: false } & ServerOptions);

const settings = JSON.parse(process.argv[2] as string) as Settings;

if (settings.echo) {
  const echo = createHttpServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = JSON.stringify(JSON.parse(Buffer.concat(chunks).toString("utf8")));
      response.writeHead(200, {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(text),
      });
      response.end(text);
    });
  });
  await once(echo.listen(0, "127.0.0.1"), "listening");
  console.log(`http://127.0.0.1:${(echo.address() as AddressInfo).port}`);
  process.once("SIGTERM", () => {
    echo.close(() => process.exit(0));
    echo.closeAllConnections();
  });
} else {
  const server = await createServer(settings);
  const { url } = await server.listen();
  console.log(url);
  process.once("SIGTERM", () => void server.close().then(() => process.exit(0)));
}
