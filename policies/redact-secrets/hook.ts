import {
  notify,
  type PostToolUse,
  type PostToolUseFailure,
  replaceError,
  replaceResult,
} from "hookwarden/hook";
import { answerable } from "../lib/json-text.ts";
import { redacted } from "../lib/redact.ts";
import type { ExtraSecret } from "../lib/secrets/rules.ts";

interface Config {
  readonly tokens?: readonly ExtraSecret[];
}

const notice = "Secrets were taken out of a tool's result before the model saw it.";

const PostToolUse: PostToolUse<unknown, Config | undefined> = (event, ctx) => {
  const clean = redacted(event.tool_response, ctx.config?.tokens);
  return clean === event.tool_response ? undefined : [replaceResult(answerable(clean)), notify(notice)];
};

const PostToolUseFailure: PostToolUseFailure<unknown, Config | undefined> = (event, ctx) => {
  const clean = redacted(event.error, ctx.config?.tokens) as typeof event.error;
  return clean === event.error
    ? undefined
    : [replaceError(answerable(clean) as typeof event.error), notify(notice)];
};

export default { PostToolUse, PostToolUseFailure };
