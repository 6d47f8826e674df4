/**
 * Where agent clients, Git and hookwarden keep their settings and hooks. Ends of paths, in lower case. A test of
 * `@hookwarden/clients` checks that every file which it writes, or which turns hooks off, is covered.
 */
export const layouts: readonly RegExp[] = [
  // hookwarden: packs, bundles, trust files
  /\/(?:hookwarden|hook)\.json$/,
  /\/(?:hookwarden[-.])?trust(?:ed)?(?:[-.]keys)?\.json$/,
  /\/\.hookwarden(?:\/|$)/,
  // Claude Code, also its managed settings and plugins
  /\/\.claude\/(?:settings(?:\.[a-z]+)?\.json|hooks(?:\/|$)|plugins(?:\/|$)|mods(?:\/|$))/,
  /\/\.claude\.json$/,
  // Settings of the whole machine
  /^\/etc\/(?:claude-code|codex|gemini-cli|qwen-code|github-copilot|factory|windsurf)(?:\/|$)/,
  /^\/library\/application support\/(?:claudecode|codex|geminicli|qwencode|githubcopilot|factory|windsurf)(?:\/|$)/,
  // Codex, Copilot, Gemini CLI, Qwen Code
  /\/\.codex\/(?:hooks\.json|hooks(?:\/|$)|config\.toml|requirements\.toml)/,
  /\/\.github\/hooks(?:\/|$)/,
  /\/\.github\/copilot\/settings(?:\.local)?\.json$/,
  /\/\.copilot\/(?:hooks(?:\/|$)|(?:settings|config|mcp-config)\.json)/,
  /\/\.(?:gemini|qwen)\/(?:settings\.json|hooks(?:\/|$)|extensions(?:\/|$)|trustedfolders\.json)/,
  // Cursor, Windsurf, Cline, opencode
  /\/\.cursor\/(?:hooks\.json|hooks(?:\/|$)|mcp\.json|permissions\.json)/,
  /\/\.(?:windsurf|codeium\/windsurf)\/(?:hooks\.json|mcp_config\.json)/,
  /\/\.cline\/(?:hooks(?:\/|$)|mcp)/,
  /\/\.clinerules\/hooks(?:\/|$)/,
  /\/opencode\.jsonc?$/,
  /\/(?:\.opencode|\.config\/opencode)\/(?:plugins?(?:\/|$)|config\.json)/,
  // droid, Continue, Goose, Kiro, Amazon Q, Amp, Antigravity
  /\/\.factory\/(?:hooks\.json|settings(?:\.local)?\.json|hooks(?:\/|$))/,
  /\/\.continue\/(?:settings(?:\.local)?\.json|config\.(?:ya?ml|json))/,
  /\/\.agents?\/(?:plugins|hooks)(?:\/|$)/,
  /\/\.kiro\/(?:hooks|agents|settings)(?:\/|$)/,
  /\.kiro\.hook$/,
  /\/\.(?:aws\/amazonq|amazonq)\/(?:cli-agents|agents|hooks)(?:\/|$)/,
  /\/\.(?:config\/)?amp\/(?:settings\.json|plugins(?:\/|$))/,
  /\/\.(?:antigravity|grok)\/(?:hooks|settings)/,
  // MCP servers of a project, and hooks of Git and its managers
  /\/\.mcp\.json$/,
  /\/\.git\/(?:hooks(?:\/|$)|config$)/,
  /\/\.(?:husky|githooks)(?:\/|$)/,
  /\/(?:\.?lefthook(?:-local)?\.(?:ya?ml|toml|json)|\.pre-commit-config\.yaml|\.pre-commit-hooks\.yaml)$/,
];

/** Folders that hold such settings: deleting or moving one takes the settings with it. */
export const folders =
  /\/\.(?:claude|codex|copilot|gemini|qwen|cursor|windsurf|cline|clinerules|opencode|factory|continue|agents?|kiro|amazonq|amp|hookwarden|husky|githooks|git)$/;
