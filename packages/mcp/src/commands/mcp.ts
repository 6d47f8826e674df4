import { type Command, InvalidArgumentError, Option } from "commander";
import { createMcpProxy, defaultMaxMessageBytes, type McpProxy, type McpProxyOptions } from "../index.ts";
import { errorTable, HookwardenError } from "hookwarden/errors";
import { createWarden } from "hookwarden/warden";
import {
  type Cli,
  visible,
  addEngine,
  addExample,
  addFormat,
  addReview,
  type EngineOptions,
  type FormatOption,
  names,
  required,
  type ReviewOptions,
  reviewOf,
  type Terminal,
} from "hookwarden/cli";

interface McpOptions extends FormatOption, EngineOptions, ReviewOptions {
  readonly pack?: string;
  readonly name?: string;
  readonly url?: string;
  readonly header?: readonly string[];
  readonly listen?: { readonly host: string; readonly port: number };
  readonly approve?: "elicit";
  readonly strict?: true;
  readonly maxMessageBytes: number;
  readonly tenant?: string;
  readonly session?: string;
  readonly log?: string;
  readonly mask?: readonly string[];
  readonly watch?: true;
}

/** `--listen` accepts any process on the machine, and `--header` often carries a secret. */
const sharedCredentials =
  "warning: every local user can connect to this port and use the server with the credentials in `--header`";
/** Room in an event for fields other than the message, in bytes. */
const eventMargin = 65_536;
/** Exit statuses with which shells report the signals that are passed on. */
const signals: ReadonlyMap<number, NodeJS.Signals> = new Map([
  [129, "SIGHUP"],
  [130, "SIGINT"],
  [143, "SIGTERM"],
]);
const signalNumbers: Readonly<Record<string, number>> = { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 };

export function define(command: Command, cli: Cli): void {
  command
    .argument("[server...]", "behind `--`: the command that starts the server")
    .option("--pack <folder>", "folder of the pack (required)")
    .option("--name <name>", "the server in names of tools, mcp__<name>__<tool> (required)")
    .option("--url <address>", "a server that is reached over HTTP, instead of a command")
    .option("--header <header>", "sent to that server, such as `Authorization: …`", header)
    .option("--listen <host:port>", "take clients over HTTP, at /mcp, instead of one on stdio", address)
    .addOption(new Option("--approve <how>", "who is asked where a hook says ask").choices(["elicit"]))
    .option("--strict", "refuse requests that the protocol does not have")
    .addOption(
      new Option("--max-message-bytes <bytes>", "largest message of either side")
        .argParser(bytes)
        .default(defaultMaxMessageBytes),
    )
    .option("--tenant <tenant>", "whose events these are")
    .option("--session <id>", "session_id of the events; default: a new one each time")
    .option("--log <file>", "append each decision to this log, for verification and replay")
    .option("--mask <pointers>", "JSON pointers to event fields that the log must not contain", names)
    .option("--watch", "load the pack again when its folder changes")
    .action((server: readonly string[], options: McpOptions) => run(server, options, cli));
  addExample(
    addReview(addEngine(addFormat(command))),
    "mcp --pack ./policies --name files -- npx my-server /data",
    "mcp --pack ./policies --name web --url https://example.org/mcp",
  );
}

async function run(server: readonly string[], options: McpOptions, cli: Cli): Promise<void> {
  const { terminal } = cli;
  const { engine, isolation, maxMessageBytes, tenant, session, listen, approve, strict } = options;
  const pack = required(options.pack, "--pack");
  const name = required(options.name, "--name");
  const upstream = serverOf(server, options);
  const log = options.log === undefined ? {} : { log: { to: options.log, mask: options.mask ?? [] } };
  await using warden = await createWarden({
    pack,
    engine,
    isolation,
    maxEventBytes: maxMessageBytes + eventMargin,
    ...(options.watch ? { watch: true } : {}),
    ...log,
    ...reviewOf(options),
  });
  const report = (text: string): void => terminal.note(visible(`hookwarden: ${text}`));
  const proxy = await createMcpProxy({
    warden,
    name,
    server: upstream,
    maxMessageBytes,
    ...(listen ? { client: { listen: listen as { host: "127.0.0.1"; port: number } } } : {}),
    ...(approve ? { approval: approve } : {}),
    ...(strict ? { unknownMethods: "refuse" } : {}),
    ...(tenant === undefined ? {} : { tenant }),
    ...(session === undefined ? {} : { sessionId: session }),
    onNotice: report,
    onProblem: report,
  });
  const hangUp = (): void => terminal.end(129);
  process.once("SIGHUP", hangUp);
  try {
    if (proxy.url !== null) {
      if (options.header) report(sharedCredentials);
      report(`listening at ${proxy.url}`);
    }
    cli.exitCode = await untilEnd(proxy, terminal, report);
  } finally {
    process.off("SIGHUP", hangUp);
  }
}

/** @returns the exit status: that of a server that has ended by itself, otherwise 0. */
async function untilEnd(
  proxy: McpProxy,
  terminal: Terminal,
  report: (text: string) => void,
): Promise<number> {
  const { signal: ending } = terminal;
  const stopped = Promise.withResolvers<null>();
  const stop = (): void => stopped.resolve(null);
  if (ending.aborted) stop();
  else ending.addEventListener("abort", stop);
  const end = await Promise.race([proxy.ended, stopped.promise]);
  ending.removeEventListener("abort", stop);
  if (!end) {
    const signal = signals.get(terminal.exitCode ?? 0);
    if (signal) proxy.kill(signal);
    await proxy.close();
    return 0;
  }
  if (end.by !== "server") return 0;
  if (end.why) report(end.why);
  if (!end.exit) return errorTable["server-failed"].exit;
  return end.exit.code ?? 128 + (signalNumbers[end.exit.signal ?? ""] ?? 0);
}

function serverOf(
  [command, ...args]: readonly string[],
  { url, header: headers = [] }: McpOptions,
): McpProxyOptions["server"] {
  if (url !== undefined) {
    if (command !== undefined) throw new HookwardenError("usage", "there is a server command beside `--url`");
    return { url, headers: Object.fromEntries(headers.map(splitHeader)) };
  }
  if (command === undefined)
    throw new HookwardenError("usage", "the server command is missing: put it behind `--`");
  if (headers.length > 0) throw new HookwardenError("usage", "`--header` belongs to `--url`");
  return { command, args };
}

function header(value: string, before: readonly string[] | undefined): readonly string[] {
  // oxlint-disable-next-line no-control-regex
  if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+:[^\u0000-\u0008\u000a-\u001f\u007f]*$/.test(value)) {
    throw new InvalidArgumentError("It must be a name, a colon and a value.");
  }
  return [...(before ?? []), value];
}

function splitHeader(header: string): [string, string] {
  const colon = header.indexOf(":");
  return [header.slice(0, colon), header.slice(colon + 1).trim()];
}

function address(value: string): { host: string; port: number } {
  const [, host, port] = /^(?:(127\.0\.0\.1|localhost|\[::1\]):)?(\d{1,5})$/.exec(value) ?? [];
  if (port === undefined || Number(port) > 65_535) {
    throw new InvalidArgumentError("It must be a loopback address and a port, such as 127.0.0.1:8080.");
  }
  return { host: host === "[::1]" ? "::1" : (host ?? "127.0.0.1"), port: Number(port) };
}

function bytes(value: string): number {
  const number = Number(value);
  if (!/^\d+$/.test(value) || number < 1_024 || number > 268_435_456) {
    throw new InvalidArgumentError("It must be a number from 1024 to 268435456.");
  }
  return number;
}
