import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient } from "@hookwarden/client";
import type { ServerOptions } from "@hookwarden/server";
import { start } from "../cli/cli.ts";

/** `hookwarden serve` as a process of its own. */
export interface ServeProcess extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly operator: Client;
  /** The key that it has made at its first start; `null` where it has made none. */
  readonly operatorKey: string | null;
  /** What it has said on standard error. */
  said(): string;
  /** Ends it by a signal. @returns its exit status; `null` where it had to be killed. */
  stop(signal?: "SIGTERM" | "SIGINT"): Promise<number | null>;
}

export interface ServeSettings {
  /** Folder of the server. Default: one that goes away with it. */
  readonly data?: string;
  /** What the configuration file holds. */
  readonly config?: Pick<ServerOptions, "limits" | "tenantLimits" | "processes" | "quarantine">;
  /** More arguments. */
  readonly args?: readonly string[];
  readonly env?: { readonly [name: string]: string };
}

/** How long a server may take to end, in milliseconds, on a machine that is busy. */
const endMs = 20_000;

/** Starts it on a free port, and waits until it prints its address. */
export async function startServe({
  data,
  config,
  args = [],
  env = {},
}: ServeSettings = {}): Promise<ServeProcess> {
  const folder = data ?? mkdtempSync(join(tmpdir(), "hookwarden-serve-"));
  const more = [...args];
  if (config) {
    const path = join(folder, "test-config.json");
    writeFileSync(path, JSON.stringify(config));
    more.push("--config", path);
  }
  const child = start(["serve", "--data", folder, "--port", "0", ...more], { env });
  child.stdin.end();
  let out = "";
  let err = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
  const ended = once(child, "close") as Promise<[number | null, string | null]>;
  const url = await new Promise<string>((done, failed) => {
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      out += text;
      if (out.includes("\n")) done(out.slice(0, out.indexOf("\n")));
    });
    void ended.then(([code]) => failed(new Error(`the server has ended with ${code}: ${err}`)));
  });
  const stop = async (signal: "SIGTERM" | "SIGINT" = "SIGTERM"): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    const late = setTimeout(() => child.kill("SIGKILL"), endMs);
    const [code] = await ended;
    clearTimeout(late);
    return code;
  };
  const keyFile = join(folder, "operator.key");
  const operatorKey = existsSync(keyFile) ? readFileSync(keyFile, "utf8").trim() : null;
  return {
    url,
    port: Number(new URL(url).port),
    pid: child.pid as number,
    operator: createClient({ url, ...(operatorKey === null ? {} : { key: operatorKey }) }),
    operatorKey,
    said: () => err,
    stop,
    async [Symbol.asyncDispose]() {
      await stop();
      if (data === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}
