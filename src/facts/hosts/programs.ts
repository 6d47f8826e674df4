import {
  type Arguments,
  argumentsOf,
  hasOption,
  type Syntax,
  syntaxes,
  valuesOf,
} from "../commands/arguments.ts";
import { codeEffects } from "../code/code.ts";
import { named, type OptionRow, optionsOf } from "../commands/table.ts";
import type { ShellCommand } from "../shell/row.ts";
import { fromWord } from "../shell/text.ts";
import type { HostRole } from "./row.ts";

/** What a command connects to. */
export interface Connections {
  readonly uses: readonly (readonly [address: string, role: HostRole])[];
  /** Whether it may connect to a place that its arguments do not name. */
  readonly unnamed: boolean;
}

type Rule = (args: Arguments) => Connections;

const connect = (addresses: readonly string[], unnamed = false): Connections => ({
  uses: addresses.flatMap((address) => (/^file:/i.test(address) ? [] : [[address, "connect"]])),
  unnamed,
});
const nothing: Connections = { uses: [], unnamed: false };
const url = /^[a-z][a-z0-9+.-]{0,30}:\/\//i;
/** `user@host:path`, as ssh and its kin write it. */
const remotePath = /^(?:[^@/:]{1,256}@)?(?:\[[^\]]*\]|[A-Za-z0-9\uFDD0][^/:]{0,255}):(?!\/\/)/;

/** Fetches every operand, and may go another way. */
const fetcher: Rule = (args) => {
  if (hasOption(args, "help", "version", "V", "h", "manual")) {
    if (args.operands.length === 0) return nothing;
  }
  const proxies = valuesOf(args, "x", "proxy", "preproxy", "socks4", "socks4a", "socks5", "socks5-hostname");
  return {
    uses: [
      ...[...args.operands, ...valuesOf(args, "url", "doh-url")].map(
        (address) => [address, "connect"] as const,
      ),
      ...proxies.map((proxy) => [proxy, "proxy"] as const),
    ],
    unnamed: hasOption(args, "resolve", "connect-to", "K", "config", "i", "input-file", "unix-socket"),
  };
};

/** Connects to its first operand. */
const first: Rule = ({ operands }) => connect(operands.slice(0, 1));

const ssh: Rule = (args) => {
  // These orders go to a connection that exists already.
  if (valuesOf(args, "O").some((order) => /^(?:check|exit|stop|cancel)$/.test(order))) return nothing;
  const jumps = valuesOf(args, "J").flatMap((list) => list.split(","));
  const settings = valuesOf(args, "o").flatMap(
    (setting) => /^(?:hostname|proxyjump)[= ](.+)$/i.exec(setting)?.[1] ?? [],
  );
  return {
    uses: [
      ...[...args.operands.slice(0, 1), ...settings].map((host) => [host, "connect"] as const),
      ...jumps.map((host) => [host, "proxy"] as const),
    ],
    unnamed: valuesOf(args, "o").some((setting) => /^proxycommand/i.test(setting)) || hasOption(args, "F"),
  };
};

/** Copies between places, of which some are on other machines. */
const copier: Rule = ({ operands }) =>
  connect(operands.filter((path) => url.test(path) || remotePath.test(path)).map(withoutPath));

function withoutPath(path: string): string {
  return url.test(path) ? path : (remotePath.exec(path)?.[0].slice(0, -1) ?? path);
}

const netcat: Rule = (args) => {
  const role: HostRole = hasOption(args, "l", "listen") ? "listen" : "connect";
  const [host, port] = args.operands;
  if (host === undefined) return role === "listen" ? { uses: [["0.0.0.0", role]], unnamed: false } : nothing;
  // `nc -l 8080` has a port alone.
  if (role === "listen" && port === undefined && /^\d+$/.test(host))
    return { uses: [["0.0.0.0", role]], unnamed: false };
  const proxies = valuesOf(args, "x", "proxy").map((proxy) => [proxy, "proxy"] as const);
  return {
    uses: [[port !== undefined && /^\d+$/.test(port) ? `${host}:${port}` : host, role], ...proxies],
    unnamed: false,
  };
};

/** Where a server listens that is given addresses, or ports alone. */
const listening = (places: readonly string[]): Connections => ({
  uses: places.map((place) => [/^\d+$/.test(place) ? "0.0.0.0" : place, "listen"]),
  unnamed: false,
});

const dig: Rule = ({ operands }) =>
  connect(
    operands
      .map((word) => (word.startsWith("@") ? word.slice(1) : word))
      .filter((word) => /[.:\uFDD0]/.test(word)),
  );

const socat: Rule = ({ operands }) => ({
  uses: operands.flatMap((word): readonly (readonly [string, HostRole])[] => {
    const [, kind = "", rest = ""] = /^([a-z0-9-]+):([^]*)$/i.exec(word) ?? [];
    if (/^(?:tcp|udp|sctp|openssl|ssl)[46]?(?:-connect)?$/i.test(kind))
      return [[rest.split(",")[0] ?? "", "connect"]];
    if (/listen|^(?:tcp|udp)[46]?-l$/i.test(kind)) return [["0.0.0.0", "listen"]];
    if (/^(?:proxy|socks)/i.test(kind)) return [[rest.split(":")[0] ?? "", "proxy"]];
    return [];
  }),
  unnamed: false,
});

const unnamed: Rule = ({ operands }) => ({ uses: addressed(operands), unnamed: true });

/** Operands that are addresses for sure. */
function addressed(operands: readonly string[]): Connections["uses"] {
  return operands.filter((word) => url.test(word)).map((address) => [address, "connect"] as const);
}

/** Connects with some of its commands only. */
const only =
  (...commands: readonly string[]): Rule =>
  (args) => {
    const at = args.operands.findIndex((word) => !/=/.test(word));
    return commands.includes(args.operands[at] ?? "")
      ? unnamed(args)
      : { uses: addressed(args.operands), unnamed: false };
  };

const gitCommands = ["clone", "fetch", "pull", "push", "ls-remote", "submodule", "remote", "archive"];
/** Those of their subcommands that connect. */
const gitSubcommands: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["remote", new Set(["update", "show", "prune", "add", "set-url"])],
  ["submodule", new Set(["update", "add"])],
]);

const git: Rule = ({ operands }) => {
  const [command = "", ...rest] = operands;
  if (!gitCommands.includes(command)) return nothing;
  if (gitSubcommands.get(command)?.has(rest[0] ?? "") === false) return nothing;
  // After the repository come branches, where a colon stands between two names.
  const repository = rest.findIndex((word) => !/^\d+$/.test(word));
  const isBranch = (at: number): boolean =>
    /^(?:fetch|pull|push|ls-remote)$/.test(command) && at > repository;
  const named = rest.filter(
    (word, at) => url.test(word) || (remotePath.test(word) && (!isBranch(at) || word.includes("@"))),
  );
  return connect(named.map(withoutPath), named.length === 0 && command !== "archive");
};

/** Archives on other machines: `tar -f host:file`, `cpio -F host:file`. */
const archiver: Rule = (args) =>
  connect(
    hasOption(args, "force-local")
      ? []
      : [...valuesOf(args, "f", "F", "file"), ...args.operands.slice(0, 2)]
          .filter((path) => remotePath.test(path) && /^[^/]*[@.][^/]*:/.test(path))
          .map(withoutPath),
  );

/** Mounts of file systems that lie on other machines. */
const mount: Rule = (args) => {
  const remote = args.operands.filter((word) => remotePath.test(word) || /^\/\/[^/]/.test(word));
  return connect(remote.map((word) => withoutPath(word).replace(/^\/\/([^/]*).*$/, "$1")));
};

/** Where a backup program keeps its data: a folder, or a place that begins with its kind. */
const repository: Rule = (args) => {
  const places = [...valuesOf(args, "r", "repo"), ...args.operands];
  const hosts = places.flatMap((place) => {
    const inner = place.replace(/^(?:rest|s3):(?=https?:)/, "");
    if (url.test(inner)) return [inner];
    return /^(?:sftp|s3):([^/:]+)/.exec(place)?.[1] ?? (remotePath.test(place) ? withoutPath(place) : []);
  });
  const isElsewhere = places.some((place) => /^(?:(?:b2|azure|gs|swift|rclone):|\uFDD0)/.test(place));
  return connect(isElsewhere ? [] : hosts, isElsewhere);
};

interface Program extends Syntax {
  readonly rule: Rule;
}

const programs: ReadonlyMap<string, Program> = new Map<string, Program>([
  ["curl", { ...syntaxes.get("curl"), rule: fetcher }],
  ["wget", { ...syntaxes.get("wget"), rule: fetcher }],
  ["aria2c", { short: "dioxsj", long: ["dir", "out", "input-file", "all-proxy"], rule: fetcher }],
  ["axel", { short: "nosU", rule: fetcher }],
  ["lwp-request", { short: "mbtipcCHo", rule: fetcher }],
  ["fetch", { short: "o", rule: fetcher }],
  ["lynx", { rule: fetcher }],
  ["w3m", { rule: fetcher }],
  ["links", { rule: fetcher }],
  ...["http", "https", "xh", "xhs"].map((name): [string, Program] => [
    name,
    {
      short: "oaA",
      long: ["output", "auth", "auth-type", "proxy", "session", "timeout", "print", "style"],
      rule: (args) => {
        const words = args.operands.filter((word, at) => !(at === 0 && /^[A-Z]+$/.test(word)));
        const address = words[0];
        return {
          ...connect(
            address === undefined ? [] : [address.startsWith(":") ? `localhost${address}` : address],
          ),
          unnamed: false,
        };
      },
    },
  ]),
  ["ssh", { ...syntaxes.get("ssh"), rule: ssh }],
  ["mosh", { rule: first }],
  [
    "sftp",
    { ...syntaxes.get("sftp"), rule: ({ operands }) => connect(operands.slice(0, 1).map(withoutPath)) },
  ],
  ["ftp", { rule: first }],
  ["telnet", { short: "lbe", rule: netcat }],
  ["nc", { ...syntaxes.get("nc"), rule: netcat }],
  ["ncat", { ...syntaxes.get("ncat"), rule: netcat }],
  ["netcat", { ...syntaxes.get("nc"), rule: netcat }],
  ["socat", { rule: socat }],
  ["ping", { ...syntaxes.get("ping"), rule: first }],
  ["traceroute", { rule: first }],
  ["nslookup", { rule: ({ operands }) => connect(operands) }],
  ["dig", { ...syntaxes.get("dig"), rule: dig }],
  ["host", { short: "tcRWm", rule: ({ operands }) => connect(operands) }],
  [
    "nmap",
    {
      short: "pSeTogD",
      long: [
        "script",
        "script-args",
        "source-port",
        "data-length",
        "top-ports",
        "min-rate",
        "max-rate",
        "max-retries",
        "host-timeout",
        "scan-delay",
        "exclude",
        "excludefile",
        "iL",
        "oN",
        "oX",
        "oG",
        "oA",
        "dns-servers",
        "ttl",
        "mtu",
      ],
      rule: ({ operands }) => connect(operands),
    },
  ],
  ["scp", { ...syntaxes.get("scp"), rule: copier }],
  ["rcp", { rule: copier }],
  [
    "systemd-socket-activate",
    {
      short: "lE",
      long: ["listen"],
      rule: (args) => listening(valuesOf(args, "l", "listen")),
    },
  ],
  ["tar", { short: "fCTXIbKN", long: ["file", "directory", "exclude", "files-from"], rule: archiver }],
  ["cpio", { short: "HCIEOFDR", long: ["file", "format"], rule: archiver }],
  ["mount", { short: "toLU", rule: mount }],
  ["mount.nfs", { short: "o", rule: mount }],
  ["mount.cifs", { short: "o", rule: mount }],
  ["rpm", { short: "E", rule: ({ operands }) => connect(operands.filter((word) => url.test(word))) }],
  ["rsync", { ...syntaxes.get("rsync"), rule: copier }],
  ["git", { ...syntaxes.get("git"), rule: git }],
  [
    "openssl",
    { long: ["connect", "host", "proxy"], rule: (args) => connect(valuesOf(args, "connect", "host")) },
  ],
  ["docker", { rule: only("pull", "push", "login", "build", "run") }],
  ["podman", { rule: only("pull", "push", "login", "build", "run") }],
  ...["restic", "borg", "duplicity"].map((name): [string, Program] => [
    name,
    { ...optionsOf(name), rule: repository },
  ]),
  ["php", { short: "Sdtcz", rule: (args) => listening(valuesOf(args, "S")) }],
  ["httpd", { short: "phcuerm", rule: (args) => listening(valuesOf(args, "p")) }],
  ["k6", { rule: only("run", "cloud", "login") }],
  ["vegeta", { rule: only("attack") }],
  ["finger", { rule: ({ operands }) => connect(operands.filter((word) => /[@\uFDD0]/.test(word))) }],
  [
    "cvs",
    {
      short: "d",
      rule: (args) => connect([], !valuesOf(args, "d").some((root) => !root.includes(":"))),
    },
  ],
  [
    "mc",
    {
      rule: only(
        ..."alias ls mb rb cp mirror cat head pipe share find rm stat diff du mv admin event watch sql get put".split(
          " ",
        ),
      ),
    },
  ],
  ["snap", { rule: only("install", "refresh", "find", "download", "info", "login") }],
  ["flatpak", { rule: only("install", "update", "search", "remote-add", "remote-ls", "remote-info") }],
  ["npm", { rule: only("publish", "login", "install", "i", "ci", "add", "update", "audit", "view", "exec") }],
  ["pnpm", { rule: only("publish", "install", "i", "add", "update", "dlx") }],
  ["yarn", { rule: only("publish", "install", "add", "up", "dlx", "npm") }],
  ...[
    "rclone",
    "aws",
    "gcloud",
    "gsutil",
    "az",
    "gh",
    "glab",
    "kubectl",
    "helm",
    "terraform",
    "heroku",
    "vercel",
    "netlify",
    "flyctl",
    "fly",
    "supabase",
    "ngrok",
    "cloudflared",
    "mail",
    "sendmail",
    "mutt",
    "npx",
    "pip",
    "pip3",
    "uv",
    "uvx",
    "poetry",
    "cargo",
    "go",
    "gem",
    "bundle",
    "composer",
    "apt",
    "apt-get",
    "yum",
    "dnf",
    "apk",
    "brew",
    "pacman",
    "conda",
  ].map((name): [string, Program] => [name, { rule: unnamed }]),
]);

const remoteFile = /^(?:https?|ftps?|sftp|rtsps?|rtmps?|smb):\/\//i;

/** What a command connects to, as far as its arguments tell. */
export function connectionsOf(command: ShellCommand): Connections {
  const program = programs.get(command.name ?? "");
  const options = optionsOf(command.name ?? "");
  const found = program
    ? program.rule(argumentsOf(command, program))
    : options
      ? fromTable(options.row, argumentsOf(command, options))
      : nothing;
  const code = codeEffects(
    command.name ?? "",
    command.argv.slice(1).map((word) => fromWord(word)),
    typeof command.input?.text === "string" ? command.input.text : undefined,
  );
  const words = [...command.argv, ...command.redirects.map(({ target }) => target)].map((word) =>
    fromWord(word),
  );
  const devices = words.flatMap((word) => {
    const [, host, port] = /^\/dev\/(?:tcp|udp)\/([^/]*)(?:\/(\d+))?/.exec(word) ?? [];
    return host === undefined ? [] : [port === undefined ? host : `${host}:${port}`];
  });
  // Of programs that are not known, addresses are those that say so themselves.
  const isKnown =
    program !== undefined ||
    options !== undefined ||
    code !== undefined ||
    isOffline(command.name ?? "", words);
  const others = isKnown ? [] : words.slice(1).flatMap((word) => (url.test(word) ? [word] : []));
  const variables = command.variables.flatMap(({ name, value }) =>
    /^(?:https?|all|ftp)_proxy$/i.test(name) ? [fromWord(value)] : [],
  );
  return {
    uses: [
      ...found.uses,
      ...connect([...devices, ...others, ...(code?.hosts ?? [])]).uses,
      ...(code?.listens ? [["0.0.0.0", "listen"] as const] : []),
      ...variables.filter((value) => value !== "").map((value) => [value, "proxy"] as const),
    ],
    unnamed: found.unnamed || code?.unnamed === true,
  };
}

/** Programs that work on files and text only; addresses among their arguments are data. */
const offline = new Set(
  "grep egrep fgrep rg ag fd find cp mv install dd test [ [[ ls tree stat du gzip bzip2 xz unzip alias".split(
    " ",
  ),
);

/** Whether a command only stores addresses or searches for them, and connects to none. */
function isOffline(name: string, words: readonly string[]): boolean {
  return offline.has(name) || /^(?:mcp add|mcp add-json|config set)$/.test(words.slice(1, 3).join(" "));
}

/** The addresses among the options and operands of a program. */
function fromTable(
  { connects, listens, reads, operands, first = operands, unnamed: unnamedToo }: OptionRow,
  args: Arguments,
): Connections {
  const direct = args.operands.filter((_, at) => (at === 0 ? first : operands) === "connect");
  const hosts = [
    ...direct.map((address) => address.replace(/^[^@\s/]{0,256}@(?=[^@]*$)/, "").replace(/^[\\/]{2,4}/, "")),
    ...valuesOf(args, ...named(connects)),
    // Many programs take an address where they take a file.
    ...(operands === "none" ? [] : args.operands.filter((word) => remoteFile.test(word))),
    ...valuesOf(args, ...named(reads)).filter((word) => remoteFile.test(word)),
  ];
  return {
    uses: [
      ...connect(hosts.filter((host) => host !== "")).uses,
      ...listening(valuesOf(args, ...named(listens))).uses,
    ],
    unnamed: unnamedToo === true,
  };
}
