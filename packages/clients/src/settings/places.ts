import { homedir } from "node:os";
import { join } from "node:path";
import type { ClientName } from "../clients/index.ts";
import type { HooksLayout } from "./edit.ts";

/** Whose configuration: the person's, the project's, the person's for this project, or the machine's. */
export const scopes = ["user", "project", "local", "managed"] as const;
export type Scope = (typeof scopes)[number];

export interface PlaceOptions {
  readonly cwd: string;
  readonly home?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly platform?: NodeJS.Platform;
}

/** Where the hooks of a client are configured. */
export interface Place {
  readonly scope: Scope;
  /** A settings file that others share, or a folder for files of our own. */
  readonly kind: "file" | "folder";
  readonly path: string;
  readonly layout?: HooksLayout;
}

/** Other files in which a client finds hooks. Nothing is installed there. */
export function otherPlacesOf(client: ClientName, options: PlaceOptions): Place[] {
  const { cwd, home = homedir(), env = process.env } = options;
  const inFolders = (own: string, project: string, name: string): Place[] => [
    { scope: "user", kind: "file", path: join(own, name) },
    { scope: "project", kind: "file", path: join(cwd, project, name) },
  ];
  switch (client) {
    case "codex":
      return inFolders(env["CODEX_HOME"] || join(home, ".codex"), ".codex", "config.toml");
    case "copilot-cli":
      return inFolders(env["COPILOT_HOME"] || join(home, ".copilot"), ".github/copilot", "settings.json");
    default:
      return [];
  }
}

/** The places of a client's hooks, in the order in which the client reads them. */
export function placesOf(client: ClientName, options: PlaceOptions): Place[] {
  const { cwd, home = homedir(), env = process.env, platform = process.platform } = options;
  const file = (scope: Scope, ...parts: readonly string[]): Place => ({
    scope,
    kind: "file",
    path: join(...parts),
  });
  const folder = (scope: Scope, ...parts: readonly string[]): Place => ({
    scope,
    kind: "folder",
    path: join(...parts),
  });
  const machine = (linux: string, mac: string): string => (platform === "darwin" ? mac : linux);
  const config = env["XDG_CONFIG_HOME"] || join(home, ".config");
  const places: { readonly [name in ClientName]: readonly Place[] } = {
    "claude-code": [
      file(
        "managed",
        machine("/etc/claude-code", "/Library/Application Support/ClaudeCode"),
        "managed-settings.json",
      ),
      file("user", env["CLAUDE_CONFIG_DIR"] || join(home, ".claude"), "settings.json"),
      file("project", cwd, ".claude/settings.json"),
      file("local", cwd, ".claude/settings.local.json"),
    ],
    codex: [
      file("user", env["CODEX_HOME"] || join(home, ".codex"), "hooks.json"),
      file("project", cwd, ".codex/hooks.json"),
    ],
    "gemini-cli": [
      file("managed", machine("/etc/gemini-cli", "/Library/Application Support/GeminiCli"), "settings.json"),
      file("user", home, ".gemini/settings.json"),
      file("project", cwd, ".gemini/settings.json"),
    ],
    "qwen-code": [
      file("managed", machine("/etc/qwen-code", "/Library/Application Support/QwenCode"), "settings.json"),
      file("user", home, ".qwen/settings.json"),
      file("project", cwd, ".qwen/settings.json"),
    ],
    opencode: [folder("user", config, "opencode/plugins"), folder("project", cwd, ".opencode/plugins")],
    "copilot-cli": [
      folder("managed", "/etc/github-copilot/policy.d"),
      folder("user", env["COPILOT_HOME"] || join(home, ".copilot"), "hooks"),
      folder("project", cwd, ".github/hooks"),
    ],
    droid: [
      { ...file("user", home, ".factory/hooks.json"), layout: "at-root" },
      { ...file("project", cwd, ".factory/hooks.json"), layout: "at-root" },
    ],
    cline: [folder("user", home, ".cline/hooks"), folder("project", cwd, ".cline/hooks")],
  };
  return [...places[client]];
}
