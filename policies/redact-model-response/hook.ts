import {
  type ModelResponseChunk,
  type PostModelResponse,
  replaceChunk,
  replaceResponse,
} from "hookwarden/hook";
import { answerable, mapTexts } from "../lib/json-text.ts";
import { redacted } from "../lib/redact.ts";

interface Config {
  readonly imageHosts?: readonly string[];
}

type Message = string | Record<string, unknown>;

const PostModelResponse: PostModelResponse<unknown, Config | undefined> = (event, ctx) => {
  const message = cleaned(event.message, ctx.config);
  return message === event.message ? undefined : replaceResponse(answerable(message) as Message);
};

const ModelResponseChunk: ModelResponseChunk<unknown, Config | undefined> = (event, ctx) => {
  const chunk = cleaned(event.chunk, ctx.config);
  return chunk === event.chunk ? undefined : replaceChunk(answerable(chunk) as Message);
};

export default { PostModelResponse, ModelResponseChunk };

function cleaned(message: Message, config: Config | undefined): Message {
  return mapTexts(redacted(message), (text) => withoutBeacons(text, config?.imageHosts ?? [])) as Message;
}

/** An image whose address has a query: showing it sends the query to the host. */
const image =
  /!\[([^\]\n]{0,200})\]\(\s{0,8}<?https?:\/\/([^/?#)\s]{1,255})[^)\s]{0,1000}?\?[^)\s]{0,4000}(?:\s[^)]{0,200})?\)/g;

function withoutBeacons(text: string, hosts: readonly string[]): string {
  if (!text.includes("![")) return text;
  return text.replace(image, (whole, _alt: string, authority: string) => {
    const host = authority
      .slice(authority.lastIndexOf("@") + 1)
      .toLowerCase()
      .replace(/:\d+$/, "");
    const known = hosts.some((item) =>
      item.startsWith("*.") ? host.endsWith(item.slice(1)) : host === item,
    );
    return known ? whole : `[image of ${host} removed: its address carries data]`;
  });
}
