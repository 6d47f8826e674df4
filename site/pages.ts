/** The pages of `docs/` by section, in the order in which the site shows them. A test checks that every page is here once. */
export const sections: Readonly<Record<string, readonly string[]>> = {
  Start: ["getting-started", "for-platforms", "for-policy-teams", "for-reviewers", "comparison"],
  Write: [
    "packs",
    "events",
    "facts",
    "actions",
    "decisions",
    "guest-world",
    "cases",
    "testing-policies",
    "diff",
    "findings",
    "playground",
  ],
  Run: [
    "clients",
    "claude-code",
    "mcp",
    "ai-sdk",
    "langchain",
    "openai-agents",
    "seed-systems",
    "dialects",
    "policies",
  ],
  Review: [
    "reviewing",
    "review-codes",
    "policy-as-code",
    "bundles",
    "threat-model",
    "containment",
    "isolate",
  ],
  Operate: [
    "server",
    "server-settings",
    "operating",
    "overload",
    "tenant-limits",
    "scaling",
    "decision-log",
    "performance",
    "bench",
  ],
  Reference: ["cli", "limits", "faults", "errors", "dependencies"],
};

/** Pages outside the sections: the home page, and the playground over the whole width. */
export const standalone: readonly string[] = ["index", "playground-page"];
