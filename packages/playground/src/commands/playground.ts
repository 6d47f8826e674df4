import { once } from "node:events";
import type { Command } from "commander";
import { quote } from "@hookwarden/sandbox/json";
import { HookwardenError } from "hookwarden/errors";
import { readPlayground } from "../file.ts";
import { servePage } from "../serve.ts";
import { type Cli, safeJson, addExample, addFormat, type FormatOption, writeOut } from "hookwarden/cli";

interface PlaygroundOptions extends FormatOption {
  readonly out?: string;
  readonly listen: string;
}

/** A free port on the loopback interface, reachable from this machine only. */
const defaultListen = "127.0.0.1:0";

export function define(command: Command, cli: Cli): void {
  command
    .option("--out <file>", "write the page to a file, and serve nothing")
    .option("--listen <host:port>", "where to serve it; port 0 takes a free one", defaultListen)
    .action((options: PlaygroundOptions) => run(options, cli));
  addExample(addFormat(command), "playground --listen 127.0.0.1:8080", "playground --out playground.html");
}

async function run({ out, listen, format }: PlaygroundOptions, { terminal }: Cli): Promise<void> {
  const at = addressOf(listen);
  const page = await readPlayground();
  if (out !== undefined) {
    await writeOut(out, page);
    const text = format === "json" ? safeJson({ file: out }) : `wrote ${quote(out)}: open it in a browser`;
    return terminal.line(text);
  }
  await using served = await servePage(page, at);
  const { url } = served;
  await terminal.line(format === "json" ? safeJson({ url }) : `the playground is at ${url} (Ctrl-C ends it)`);
  if (!terminal.signal.aborted) await once(terminal.signal, "abort");
}

/** @throws {HookwardenError} `usage` */
function addressOf(text: string): { readonly host: string; readonly port: number } {
  const [, host = "", digits = ""] = /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+):(\d{1,5})$/i.exec(text) ?? [];
  const port = Number(digits);
  if (host === "" || port > 65_535) {
    const message = `\`--listen\` is ${quote(text)}, and must be a host and a port, such as ${quote("127.0.0.1:8080")}`;
    throw new HookwardenError("usage", message);
  }
  return { host: host.replace(/^\[|\]$/g, ""), port };
}
