import { block, type UserPromptSubmit } from "hookwarden/hook";
import { findSecrets } from "../lib/secrets/find.ts";
import type { ExtraSecret } from "../lib/secrets/rules.ts";

interface Config {
  readonly tokens?: readonly ExtraSecret[];
  readonly ignore?: readonly string[];
}

const hook: UserPromptSubmit<unknown, Config | undefined> = (event, ctx) => {
  const { tokens = [], ignore = [] } = ctx.config ?? {};
  const kinds = new Set(findSecrets(event.prompt, tokens).map(({ kind }) => kind));
  for (const kind of ignore) kinds.delete(kind);
  if (kinds.size === 0) return undefined;
  return block(
    `the prompt holds a secret (${[...kinds].join(", ")}). Take it out, put it where the tool can read it by name, and replace it where it was issued`,
  );
};

export default hook;
