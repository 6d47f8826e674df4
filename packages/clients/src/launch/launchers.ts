import { randomInt } from "node:crypto";
import type { ClientName } from "../clients/client.ts";
import type { Launcher, LaunchOptions } from "./launcher.ts";

/** Stands for a key: no request leaves the machine. */
const noKey = "no-key";

const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;

/** The `mcpServers` that most clients share. */
function mcpServers({ mcp }: LaunchOptions): object {
  if (!mcp) return {};
  const [command, ...args] = mcp;
  return { mcpServers: { canary: { command, args } } };
}

/** Settings of Gemini CLI, and of Qwen Code, which is made of it. */
function geminiSettings(options: LaunchOptions, selectedType: string): string {
  return json({
    security: { auth: { selectedType } },
    general: { enableAutoUpdate: false },
    privacy: { usageStatisticsEnabled: false },
    ...mcpServers(options),
  });
}

/** How each client is started against a stand-in model. */
export const launchers: { readonly [name in ClientName]: Launcher } = {
  "claude-code": (options) => ({
    command: options.binary,
    args: [
      "-p",
      options.prompt,
      "--allowedTools",
      "Bash,Task,Agent,mcp__canary__run",
      ...(options.mcp ? ["--mcp-config", json(mcpServers(options))] : []),
    ],
    env: {
      CLAUDE_CONFIG_DIR: `${options.home}/.claude`,
      ANTHROPIC_BASE_URL: options.url,
      ANTHROPIC_API_KEY: noKey,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
    },
    files: {},
  }),

  codex: ({ binary, home, url, prompt, mcp, patches }) => ({
    command: binary,
    args: [
      "exec",
      "--skip-git-repo-check",
      "--dangerously-bypass-approvals-and-sandbox",
      "--dangerously-bypass-hook-trust",
      ...(
        [
          ["model", patches ? "gpt-5.5" : "stand-in"],
          ["model_provider", "standin"],
          ["model_providers.standin.name", "standin"],
          ["model_providers.standin.base_url", `${url}/v1`],
          ["model_providers.standin.wire_api", "responses"],
          ...(mcp ? [["mcp_servers.canary.command", mcp[0]] as const] : []),
        ] as const
      ).flatMap(([key, value]) => ["-c", `${key}=${JSON.stringify(value)}`]),
      ...(mcp ? ["-c", `mcp_servers.canary.args=${JSON.stringify(mcp.slice(1))}`] : []),
      prompt,
    ],
    env: { CODEX_HOME: `${home}/.codex` },
    // It must exist.
    files: { ".codex/config.toml": "" },
  }),

  "gemini-cli": (options) => ({
    command: options.binary,
    args: ["-m", "gemini-2.5-flash", "--yolo", "-p", options.prompt],
    env: {
      GEMINI_API_KEY: noKey,
      GOOGLE_GEMINI_BASE_URL: options.url,
      GEMINI_CLI_TRUST_WORKSPACE: "true",
      GEMINI_TELEMETRY_ENABLED: "false",
    },
    files: { ".gemini/settings.json": geminiSettings(options, "gemini-api-key") },
  }),

  "qwen-code": (options) => ({
    command: options.binary,
    args: ["--yolo", "-p", options.prompt],
    env: {
      OPENAI_BASE_URL: `${options.url}/v1`,
      OPENAI_API_KEY: noKey,
      OPENAI_MODEL: "stand-in",
      QWEN_CODE_SUPPRESS_YOLO_WARNING: "1",
    },
    files: { ".qwen/settings.json": geminiSettings(options, "openai") },
  }),

  opencode: ({ binary, url, prompt, mcp }) => ({
    command: binary,
    args: ["run", prompt],
    env: {
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      // It installs a package of types beside plugins, and waits for that: the stand-in says at once that there is none.
      npm_config_registry: url,
      npm_config_fetch_retries: "0",
    },
    files: {
      ".config/opencode/opencode.json": json({
        $schema: "https://opencode.ai/config.json",
        model: "standin/standin",
        small_model: "standin/standin",
        autoupdate: false,
        share: "disabled",
        permission: { bash: "allow", edit: "allow" },
        provider: {
          standin: {
            npm: "@ai-sdk/openai-compatible",
            name: "standin",
            options: { baseURL: `${url}/v1`, apiKey: noKey },
            models: { standin: { name: "standin", limit: { context: 100_000, output: 4_000 } } },
          },
        },
        ...(mcp ? { mcp: { canary: { type: "local", command: mcp, enabled: true } } } : {}),
      }),
    },
  }),

  "copilot-cli": (options) => ({
    command: options.binary,
    args: ["-p", options.prompt, "--allow-all-tools", "--trust-folder"],
    env: {
      COPILOT_HOME: `${options.home}/.copilot`,
      COPILOT_OFFLINE: "true",
      COPILOT_PROVIDER_BASE_URL: `${options.url}/v1`,
      COPILOT_PROVIDER_TYPE: "openai",
      COPILOT_MODEL: "gpt-4o",
      COPILOT_AUTO_UPDATE: "false",
    },
    files: options.mcp
      ? {
          ".copilot/mcp-config.json": json({
            mcpServers: {
              canary: { type: "local", command: options.mcp[0], args: options.mcp.slice(1), tools: ["*"] },
            },
          }),
        }
      : {},
  }),

  droid: (options) => ({
    command: options.binary,
    args: ["exec", "--skip-permissions-unsafe", "-m", "custom:standin-0", options.prompt],
    env: { FACTORY_API_KEY: noKey, DROID_DISABLE_AUTO_UPDATE: "1" },
    files: {
      ".factory/settings.json": json({
        customModels: [
          {
            model: "standin",
            displayName: "standin",
            baseUrl: `${options.url}/v1`,
            apiKey: noKey,
            provider: "generic-chat-completion-api",
            maxOutputTokens: 4_000,
          },
        ],
      }),
      ...(options.mcp
        ? {
            ".factory/mcp.json": json({
              mcpServers: { canary: { type: "stdio", command: options.mcp[0], args: options.mcp.slice(1) } },
            }),
          }
        : {}),
    },
  }),

  cline: (options) => ({
    command: options.binary,
    args: ["-P", "openai-compatible", "-m", "gpt-4o", options.prompt],
    env: {
      CLINE_NO_AUTO_UPDATE: "1",
      // Its daemon listens on a fixed port, and a session would be handed to the daemon of the person.
      CLINE_HUB_PORT: String(randomInt(20_000, 60_000)),
    },
    files: options.mcp ? { ".cline/data/settings/cline_mcp_settings.json": json(mcpServers(options)) } : {},
    before: [["auth", "openai", "-k", noKey, "-m", "gpt-4o", "-b", `${options.url}/v1`]],
  }),
};
