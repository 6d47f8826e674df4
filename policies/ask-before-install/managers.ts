import { operands } from "../lib/options.ts";
import type { Invocation } from "../lib/commands.ts";

/** What is known of a package manager. */
interface Manager {
  /** Commands that install what they name; absent: the program itself does. */
  readonly installs?: readonly string[];
  /** Commands that fetch a package and run it. */
  readonly runs?: readonly string[];
  /** Options that take a value, so that the value is no package. */
  readonly values?: readonly string[];
  /** Options whose value is a package. */
  readonly packages?: readonly string[];
}

const node: Manager = {
  installs: ["install", "i", "add", "update", "upgrade", "up"],
  runs: ["exec", "x", "dlx", "create"],
  values: [
    "--registry",
    "--prefix",
    "--workspace",
    "-w",
    "--tag",
    "--cache",
    "--loglevel",
    "--omit",
    "--userconfig",
  ],
};
const python: Manager = {
  installs: ["install", "add", "download", "inject"],
  runs: ["run"],
  values: [
    "-r",
    "--requirement",
    "-c",
    "--constraint",
    "-i",
    "--index-url",
    "--extra-index-url",
    "--trusted-host",
    "-t",
    "--target",
    "-f",
    "--find-links",
    "--python",
    "--prefix",
    "--root",
    "--src",
    "--timeout",
    "--retries",
    "--proxy",
    "--cert",
    "--cache-dir",
    "--log",
    "--platform",
    "--python-version",
    "--implementation",
    "--abi",
    "--only-binary",
    "--no-binary",
    "--upgrade-strategy",
    "--progress-bar",
    "--report",
    "--config-settings",
  ],
};
const system: Manager = {
  installs: ["install", "add"],
  values: ["-t", "-o", "-c", "--target-release", "--option"],
};

export const managers: ReadonlyMap<string, Manager> = new Map<string, Manager>([
  ["npm", node],
  ["pnpm", node],
  ["yarn", node],
  ["bun", { ...node, runs: ["x", "create"] }],
  ["npx", { values: ["-c"], packages: ["-p", "--package"] }],
  ["bunx", {}],
  ["pip", python],
  ["pipx", python],
  ["uv", { ...python, installs: ["add", "install"], runs: [] }],
  ["uvx", { values: ["--python"], packages: ["--from", "--with"] }],
  ["poetry", { installs: ["add"], values: ["--group", "-G", "--source"] }],
  [
    "conda",
    {
      installs: ["install", "create"],
      values: ["-n", "-c", "--name", "--channel", "-p", "--prefix", "--clone", "-f", "--file"],
    },
  ],
  [
    "mamba",
    {
      installs: ["install", "create"],
      values: ["-n", "-c", "--name", "--channel", "-p", "--prefix", "--clone", "-f", "--file"],
    },
  ],
  ["gem", { installs: ["install"], values: ["-v", "--version", "-s", "--source"] }],
  [
    "cargo",
    {
      installs: ["install", "add"],
      values: ["--version", "--features", "--registry", "--path", "-F"],
    },
  ],
  ["go", { installs: ["install", "get"] }],
  ["apt", system],
  ["apt-get", system],
  ["apk", system],
  ["dnf", system],
  ["yum", system],
  ["brew", system],
  ["snap", system],
]);

/** Packages that a command brings onto the machine. */
export interface Installation {
  readonly packages: readonly string[];
  /** They are run at once. */
  readonly runs: boolean;
}

/** `--help` or `--dry-run` where it is no value of an option: right after the command, or at the end after a name. */
function isTrial(args: readonly string[]): boolean {
  return args.some((arg, at) => /^(?:-h|--help|--dry-run)$/.test(arg) && !/^-./.test(args[at - 1] ?? ""));
}

/** Reads the arguments of a package manager; `undefined` where nothing is installed. */
export function installationOf(invocation: Invocation): Installation | undefined {
  const { name, args } = asProgram(invocation);
  const manager = managers.get(name);
  if (manager === undefined || isTrial(args)) return undefined;
  const isAfter = (options: readonly string[] | undefined, at: number): boolean =>
    options?.includes(args[at - 1] ?? "") ?? false;
  const named = args.filter((_, at) => isAfter(manager.packages, at));
  const words = operands(
    args.filter((_, at) => !isAfter(manager.values, at) && !isAfter(manager.packages, at)),
  );
  if (manager.installs === undefined) return { packages: [...named, ...words.slice(0, 1)], runs: true };
  // `uv pip install`, `uv tool install`, `yarn global add`, `go get`
  const at = words.findIndex((word) => word !== "pip" && word !== "tool" && word !== "global");
  const command = words[at] ?? "";
  const runs = manager.runs?.includes(command) ?? false;
  if (!runs && !manager.installs.includes(command)) return undefined;
  const packages = words.slice(at + 1);
  return { packages: runs ? packages.slice(0, 1) : packages, runs };
}

/** `python3 -m pip` and `pip3.12` are `pip`. */
function asProgram({ name, args }: Invocation): {
  readonly name: string;
  readonly args: readonly string[];
} {
  const at = /^python[0-9.]*$/.test(name) ? args.indexOf("-m") : -1;
  if (at >= 0) return { name: args[at + 1] ?? "", args: args.slice(at + 2) };
  return { name: name.replace(/^pip[0-9.]+$/, "pip"), args };
}

/** What makes a registry able to swap packages: its address, and why. */
export interface Registry {
  readonly address: string;
  readonly why: string;
}

const more = "is asked besides the usual index, so that the owner of a package's name there wins";
const other = "is not the usual registry";
const unsafe = "is trusted without a certificate";

const registryOptions: ReadonlyMap<string, string> = new Map([
  ["--extra-index-url", more],
  ["--find-links", more],
  ["-f", more],
  ["--index-url", other],
  ["-i", other],
  ["--registry", other],
  ["--source", other],
  ["--trusted-host", unsafe],
]);

/** Commands that look something up and bring nothing onto the machine. */
const lookups: ReadonlySet<string> = new Set([
  "index",
  "search",
  "view",
  "info",
  "show",
  "list",
  "ping",
  "outdated",
  "config",
]);

/** The registries that a package manager is configured to use. */
export function registriesOf(invocation: Invocation): readonly Registry[] {
  const { name, args } = asProgram(invocation);
  if (!managers.has(name) || lookups.has(args[0] ?? "")) return [];
  return args.flatMap((arg, at) => {
    const equals = arg.startsWith("--") ? arg.indexOf("=") : -1;
    const option = equals < 0 ? arg : arg.slice(0, equals);
    const why = registryOptions.get(option);
    const address = equals < 0 ? args[at + 1] : arg.slice(equals + 1);
    if (why === undefined || address === undefined) return [];
    // `-f` and `-i` are other things elsewhere; a registry has an address.
    return why === unsafe || address.includes(":") ? [{ address, why }] : [];
  });
}
