import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { extname, join } from "node:path";
import { parse as parseJson, type ParseError } from "jsonc-parser";
import { parse as parseToml } from "smol-toml";
import type { ClientName, Json } from "../clients/index.ts";
import { type Place, type PlaceOptions, placesOf, type Scope } from "./places.ts";

/** A setting by which a client turns hooks off. */
export interface Switch {
  /** Names of members from the root of the file; `*` stands for any. */
  readonly key: readonly string[];
  /** The value that turns them off; in a list, one of its members. */
  readonly off: boolean | string;
  readonly files: (where: Where) => string[];
  /** Whose hooks run all the same. */
  readonly spares?: readonly Scope[];
}

/** An environment variable that does so, unless it is empty, `0` or `false`. */
interface EnvironmentSwitch {
  readonly variable: string;
  readonly spares?: readonly Scope[];
}

interface Where {
  readonly cwd: string;
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  /** Where the client has its hooks. */
  readonly places: readonly Place[];
}

const settingsFiles = ({ places }: Where): string[] => places.map(({ path }) => path);

const managedFiles = ({ places }: Where): string[] =>
  places.filter(({ scope }) => scope === "managed").map(({ path }) => path);

const codexFiles = ({ cwd, home, env }: Where): string[] => [
  join(env["CODEX_HOME"] || join(home, ".codex"), "config.toml"),
  join(cwd, ".codex/config.toml"),
  "/etc/codex/config.toml",
  "/etc/codex/managed_config.toml",
  "/etc/codex/requirements.toml",
];

/** Settings of the repository, and our own files. In the user's settings it has no effect. */
const copilotFiles = ({ cwd, places }: Where): string[] => [
  ...[".github/copilot", ".claude"].flatMap((folder) =>
    ["settings.json", "settings.local.json"].map((name) => join(cwd, folder, name)),
  ),
  ...places.map(({ path }) => join(path, "hookwarden.json")),
];

const droidFiles = ({ cwd, home }: Where): string[] => [
  join(home, ".factory/settings.json"),
  join(cwd, ".factory/settings.json"),
  join(cwd, ".factory/settings.local.json"),
];

/** The settings that turn hooks off in the versions of the clients that were run. */
export const switches: { readonly [client in ClientName]: readonly (Switch | EnvironmentSwitch)[] } = {
  "claude-code": [
    { key: ["disableAllHooks"], off: true, files: settingsFiles, spares: ["managed"] },
    { key: ["allowManagedHooksOnly"], off: true, files: managedFiles, spares: ["managed"] },
    { variable: "CLAUDE_CODE_SIMPLE" },
    { variable: "CLAUDE_CODE_SAFE_MODE" },
  ],
  codex: [
    { key: ["features", "hooks"], off: false, files: codexFiles },
    { key: ["features", "codex_hooks"], off: false, files: codexFiles },
    { key: ["profiles", "*", "features", "hooks"], off: false, files: codexFiles },
    { key: ["allow_managed_hooks_only"], off: true, files: () => ["/etc/codex/requirements.toml"] },
  ],
  "gemini-cli": [
    { key: ["hooksConfig", "enabled"], off: false, files: settingsFiles },
    { key: ["hooksConfig", "disabled"], off: "hookwarden", files: settingsFiles },
  ],
  "qwen-code": [
    { key: ["disableAllHooks"], off: true, files: settingsFiles },
    { variable: "QWEN_CODE_SIMPLE" },
    { variable: "QWEN_CODE_SAFE_MODE" },
  ],
  opencode: [
    { variable: "OPENCODE_PURE" },
    { variable: "OPENCODE_DISABLE_PROJECT_CONFIG", spares: ["user"] },
  ],
  "copilot-cli": [{ key: ["disableAllHooks"], off: true, files: copilotFiles, spares: ["managed"] }],
  droid: [
    { key: ["hooks", "hooksDisabled"], off: true, files: droidFiles },
    { key: ["hooksDisabled"], off: true, files: settingsFiles },
  ],
  cline: [],
};

/** A switch that turns hookwarden's hooks off, or may do so. */
export interface FoundSwitch {
  /** The setting, such as `features.hooks = false`. */
  readonly setting: string;
  /** The file; `null` for an environment variable. */
  readonly path: string | null;
  /** `unreadable`: the file cannot be parsed, so that it is not known what it says. */
  readonly state: "off" | "unreadable";
}

/**
 * The switches that keep a client from running hookwarden's hooks.
 *
 * @param installed scopes that name hookwarden: a switch that spares one of them is none.
 */
export async function findSwitches(
  client: ClientName,
  options: PlaceOptions,
  installed: readonly Scope[],
): Promise<FoundSwitch[]> {
  const { cwd, home = homedir(), env = process.env } = options;
  const where: Where = { cwd, home, env, places: placesOf(client, options) };
  const found: FoundSwitch[] = [];
  for (const one of switches[client]) {
    if (one.spares?.some((scope) => installed.includes(scope))) continue;
    if ("variable" in one) {
      const value = env[one.variable] ?? "";
      if (!/^(?:|0|false)$/i.test(value)) found.push({ setting: settingOf(one), path: null, state: "off" });
      continue;
    }
    for (const path of one.files(where)) {
      const state = await stateIn(path, one);
      if (state === "on" || found.some((other) => other.path === path && other.state === "unreadable"))
        continue;
      found.push({ setting: settingOf(one), path, state });
    }
  }
  return found;
}

/** A switch as a person writes it, such as `features.hooks = false`. */
export function settingOf(one: Switch | EnvironmentSwitch): string {
  return "variable" in one ? `${one.variable}=1` : `${one.key.join(".")} = ${JSON.stringify(one.off)}`;
}

/** What a switch does, in words. */
export function describeSwitch({ setting, path, state }: FoundSwitch): string {
  if (state === "unreadable") return `cannot be parsed, and may turn hooks off (${setting}): ${path}`;
  return `hooks are off: ${setting} in ${path ?? "the environment"}`;
}

async function stateIn(path: string, { key, off }: Switch): Promise<"on" | "off" | "unreadable"> {
  try {
    const values = valuesAt(parsed(path, await readFile(path, "utf8")), key);
    return values.some((value) => value === off || (Array.isArray(value) && value.includes(off)))
      ? "off"
      : "on";
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" ? "on" : "unreadable";
  }
}

/** @throws if the text is neither TOML nor JSON with comments, as the file's name says. */
function parsed(path: string, text: string): unknown {
  if (extname(path) === ".toml") return parseToml(text);
  const errors: ParseError[] = [];
  const value: unknown = parseJson(text.replace(/^\ufeff/, ""), errors, {
    allowTrailingComma: true,
    allowEmptyContent: true,
  });
  if (errors.length > 0) throw new Error("it is not JSON");
  return value;
}

function valuesAt(value: unknown, [name, ...rest]: readonly string[]): unknown[] {
  if (name === undefined) return [value];
  if (typeof value !== "object" || value === null) return [];
  const members =
    name === "*" ? Object.values(value) : Object.hasOwn(value, name) ? [(value as Json)[name]] : [];
  return members.flatMap((member) => valuesAt(member, rest));
}
