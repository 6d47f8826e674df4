import {
  notify,
  type PostToolUse,
  type PostToolUseFailure,
  replaceError,
  replaceResult,
} from "hookwarden/hook";
import { mapTexts } from "../lib/json-text.ts";
import { type ExtraSecret, redact } from "../lib/secrets.ts";

interface Config {
  readonly tokens?: readonly ExtraSecret[];
}

const told = "Secrets were taken out of a tool's result before the model saw it.";

const PostToolUse: PostToolUse<unknown, Config | undefined> = (event, ctx) => {
  const clean = mapTexts(event.tool_response, (text) => redact(text, ctx.config?.tokens));
  return clean === event.tool_response ? undefined : [replaceResult(clean), notify(told)];
};

const PostToolUseFailure: PostToolUseFailure<unknown, Config | undefined> = (event, ctx) => {
  const clean = mapTexts(event.error, (text) => redact(text, ctx.config?.tokens)) as typeof event.error;
  return clean === event.error ? undefined : [replaceError(clean), notify(told)];
};

export default { PostToolUse, PostToolUseFailure };
