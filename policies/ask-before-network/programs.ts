import { gitCall } from "../lib/git.ts";
import { effectsOf } from "../lib/inline-code.ts";
import { operands } from "../lib/options.ts";
import type { Invocation } from "../lib/commands.ts";

/** Addresses that a command talks to; empty where it talks to a place that its arguments do not name. */
type Addresses = readonly string[] | undefined;
type Program = (invocation: Invocation) => Addresses;

const url = /^[a-z][a-z0-9+.-]{0,20}:\/\//i;
/** `user@host:path`, as ssh and its kin write it. */
const remotePath = /^(?:[^@/:]{1,256}@)?[A-Za-z0-9][A-Za-z0-9.-]{0,255}:(?!\/\/)/;

/** `--version` and `--help` alone make no connection; among other arguments they may be the value of an option. */
function isTalk(args: readonly string[]): boolean {
  return args.length !== 1 || !/^(?:--version|--help|-V|-h)$/.test(args[0] ?? "");
}

/** Fetches every operand, and may be told to go another way. */
const fetcher: Program = ({ args }) => {
  if (!isTalk(args)) return undefined;
  if (
    args.some((arg) =>
      /^(-x|--proxy|--preproxy|--socks.*|--connect-to|--resolve|-K|--config|-i|--input-file)(=|$)/.test(arg),
    )
  )
    return [];
  // Every operand is an address, whatever the others look like; values of options have no dot, mostly.
  return [
    ...new Set([
      ...args.filter((arg) => url.test(arg)),
      ...operands(args).filter((arg) => /^[^/@]+\.[^/]|^localhost/.test(arg)),
    ]),
  ];
};

/** Connects to its first operand. */
const connector: Program = ({ args }) => (isTalk(args) ? operands(args).slice(0, 1) : undefined);

/** Connects to the first operand that looks like a host. */
const dotted: Program = ({ args }) =>
  isTalk(args) ? operands(args).filter((arg) => /^[^\s/]{0,512}[.:]/.test(arg)) : undefined;

/** Copies between places, of which some are on other machines. */
const copier: Program = ({ args }) => {
  const remote = operands(args).filter((arg) => remotePath.test(arg) || url.test(arg));
  return remote.length > 0
    ? remote.map((path) => (url.test(path) ? path : path.slice(0, path.indexOf(":"))))
    : undefined;
};

/** Talks to a service that its arguments do not name. */
const service: Program = ({ args }) => (isTalk(args) ? [] : undefined);

/** Talks only with some of its commands. */
function only(...commands: readonly string[]): Program {
  return ({ args }) => (commands.includes(operands(args)[0] ?? "") ? [] : undefined);
}

const programs: ReadonlyMap<string, Program> = new Map<string, Program>([
  ["curl", fetcher],
  ["wget", fetcher],
  ["aria2c", fetcher],
  ["axel", fetcher],
  ["http", fetcher],
  ["https", fetcher],
  ["xh", fetcher],
  ["lwp-request", fetcher],
  ["fetch", fetcher],
  ["lynx", fetcher],
  ["w3m", fetcher],
  ["links", fetcher],
  ["ssh", dotted],
  ["sftp", dotted],
  ["ftp", connector],
  ["telnet", connector],
  ["nc", dotted],
  ["ncat", dotted],
  ["netcat", dotted],
  ["socat", service],
  ["ping", dotted],
  ["nslookup", connector],
  ["dig", dotted],
  ["host", connector],
  ["nmap", connector],
  ["scp", copier],
  ["rsync", copier],
  ["rclone", service],
  ["aws", service],
  ["gcloud", service],
  ["gsutil", service],
  ["az", service],
  ["gh", service],
  ["docker", only("pull", "push", "login")],
  ["openssl", only("s_client")],
  ["npm", only("publish", "login")],
]);

const gitCommands: ReadonlySet<string> = new Set([
  "clone",
  "fetch",
  "pull",
  "push",
  "ls-remote",
  "submodule",
]);

/** The addresses that a command talks to; `undefined` where it talks to nobody. */
export function addressesOf(invocation: Invocation, more: readonly string[]): Addresses {
  const devices = [...invocation.redirects.map(({ target }) => target), ...invocation.args].flatMap(
    (path) => {
      const host = /^\/dev\/(?:tcp|udp)\/([^/]*)/.exec(path)?.[1];
      return host === undefined ? [] : [host];
    },
  );
  if (devices.length > 0) return devices;
  const git = gitCall(invocation);
  if (git !== undefined) {
    if (!gitCommands.has(git.command)) return undefined;
    return git.args
      .filter((arg) => url.test(arg) || remotePath.test(arg))
      .map((arg) => (url.test(arg) ? arg : arg.slice(0, arg.indexOf(":"))));
  }
  const effects = effectsOf(invocation);
  if (effects?.hosts !== undefined) return effects.hosts;
  return more.includes(invocation.name)
    ? operands(invocation.args).slice(0, 1)
    : programs.get(invocation.name)?.(invocation);
}

/** Whether a command sends the content of a file. */
export function sendsFile({ name, args }: Invocation): boolean {
  if (name !== "curl" && name !== "wget") return false;
  return args.some((arg, at) => {
    if (/^(-T|--upload-file|--post-file|--body-file)(=|$)/.test(arg)) return true;
    const value = /^(-d|-F|--data.*|--form|--json)$/.test(args[at - 1] ?? "")
      ? arg
      : /^(?:-[dF]|--data[a-z-]*=|--form=|--json=)(.+)$/.exec(arg)?.[1];
    return value !== undefined && /^@|=[@<]/.test(value);
  });
}
