import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import { quote } from "@hookwarden/sandbox/json";
import { addExample, addFormat, type Cli, type FormatOption, paragraph, required } from "hookwarden/cli";
import { fileError, HookwardenError, systemReason } from "hookwarden/errors";
import { type DegradedWindow, degradedNote, maxDegradedMinutes } from "../degraded.ts";

interface Options extends FormatOption {
  readonly server: string;
  readonly key?: string;
  readonly minutes?: string;
  readonly reason?: string;
  readonly end?: true;
}

/** Longest time that the server may take to answer, in milliseconds. */
const timeoutMs = 30_000;

export function define(command: Command, cli: Cli): void {
  command
    .argument("<tenant>", "the tenant whose guard is broken")
    .option("--server <url>", "where the server is", "http://127.0.0.1:8787")
    .option("--key <file>", "file with an operator's key (default: none, for a server without credentials)")
    .option("--minutes <count>", `how long, at most ${maxDegradedMinutes}; then it ends by itself`)
    .option("--reason <text>", "why, shown to everyone who is asked, and recorded in the audit")
    .option("--end", "end the window now")
    .action((tenant: string, options: Options) => run(tenant, options, cli));
  addExample(
    addFormat(command),
    'degraded acme --minutes 30 --reason "times out" --key op.key',
    "degraded acme --end --key op.key",
  );
}

async function run(tenant: string, options: Options, { terminal }: Cli): Promise<void> {
  if (options.end) {
    await ask("DELETE", tenant, options);
    return terminal.line(options.format === "json" ? "{}" : `\`${tenant}\` is no longer in degraded mode`);
  }
  const minutes = Number(required(options.minutes, "--minutes"));
  if (!Number.isInteger(minutes) || minutes < 1 || minutes > maxDegradedMinutes)
    throw new HookwardenError("usage", `\`--minutes\` is a whole number from 1 to ${maxDegradedMinutes}`);
  const reason = required(options.reason, "--reason");
  const window = (await ask("PUT", tenant, options, { reason, minutes })) as DegradedWindow;
  if (options.format === "json") return terminal.line(JSON.stringify(window));
  await terminal.line(
    paragraph(terminal, 0, {
      text: `hooks of \`${tenant}\` that fail: ${degradedNote(window)}`,
      style: "yellow",
    }),
  );
}

/** @throws {HookwardenError} `server-refused`, `file-unreadable` */
async function ask(method: string, tenant: string, options: Options, body?: object): Promise<unknown> {
  const url = `${options.server.replace(/\/+$/, "")}/v1/admin/tenants/${encodeURIComponent(tenant)}/degraded`;
  const headers = {
    ...(body ? { "content-type": "application/json" } : {}),
    ...(options.key === undefined ? {} : { authorization: `Bearer ${await readKey(options.key)}` }),
  };
  const request = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
  const response = await fetch(url, {
    ...request,
    redirect: "error",
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((error: unknown) => {
    const { reason, fix } = systemReason((error as Error).cause ?? error);
    const message = `${quote(options.server)} does not answer: ${reason}`;
    throw new HookwardenError("server-refused", message, {}, { cause: error, ...(fix ? { fix } : {}) });
  });
  if (response.status === 204) return null;
  const answer = (await response.json().catch(() => ({}))) as { code?: unknown; message?: unknown };
  if (response.ok) return answer;
  const why = [answer.code, answer.message].filter((part) => typeof part === "string").join(": ");
  throw new HookwardenError("server-refused", `the server refused (${response.status}) ${quote(why)}`);
}

async function readKey(path: string): Promise<string> {
  try {
    return (await readFile(path, "utf8")).trim();
  } catch (error) {
    throw fileError(path, error);
  }
}
