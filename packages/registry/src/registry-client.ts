import { quote } from "@hookwarden/sandbox/json";
import { HookwardenError } from "hookwarden";
import { type Credentials, savedCredentials } from "./credentials.ts";
import type { Reference } from "./reference.ts";

/** Time for one request, its answer included, in milliseconds. */
const requestTimeoutMs = 60_000;
/** Most bytes of an answer that is only read for a token. */
const maxTokenBytes = 1_048_576;

export interface RegistryOptions {
  /** Default: those that `docker login` or `oras login` saved. `null`: none. */
  readonly credentials?: Credentials | null;
}

interface Sent {
  readonly method?: "GET" | "HEAD" | "POST" | "PUT";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Status codes that are a success. */
  readonly expected: readonly number[];
}

/** Requests to one repository of a registry, authorized when the registry asks for it. */
export class RegistryClient {
  readonly #reference: Reference;
  readonly #options: RegistryOptions;
  readonly #actions: string;
  #authorization: string | null = null;

  /** `actions`: what a token must permit, such as `pull` or `pull,push`. */
  constructor(reference: Reference, actions: "pull" | "pull,push", options: RegistryOptions) {
    this.#reference = reference;
    this.#actions = actions;
    this.#options = options;
  }

  /**
   * Sends a request. `path` is below the repository, or an address that the registry gave.
   *
   * @throws {HookwardenError} `registry-unavailable` without an answer, `registry-failed` with an unexpected one
   */
  async send(path: string, sent: Sent): Promise<Response> {
    const { origin, repository } = this.#reference;
    const url = new URL(path, `${origin}/v2/${repository}/`);
    // An upload may go to another host of the registry; a token or password must not.
    const isOwn = url.origin === new URL(origin).origin;
    let answer = await this.#fetch(url, sent, isOwn ? this.#authorization : null);
    if (answer.status === 401 && isOwn) {
      await answer.body?.cancel();
      this.#authorization = await this.#authorize(answer.headers.get("www-authenticate") ?? "");
      answer = await this.#fetch(url, sent, this.#authorization);
    }
    if (sent.expected.includes(answer.status)) return answer;
    await answer.body?.cancel();
    throw refused(url, answer.status);
  }

  /**
   * The body of an answer.
   *
   * @throws {HookwardenError} `registry-failed` if it is longer than `maxBytes`
   */
  async read(
    path: string,
    maxBytes: number,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Buffer> {
    const answer = await this.send(path, { headers, expected: [200] });
    return readBody(answer, maxBytes);
  }

  async #fetch(
    url: URL,
    { method = "GET", headers = {}, body }: Sent,
    authorization: string | null,
  ): Promise<Response> {
    try {
      return await fetch(url, {
        method,
        headers: { ...headers, ...(authorization === null ? {} : { authorization }) },
        ...(body === undefined ? {} : { body: body as Uint8Array<ArrayBuffer> }),
        // Blobs are often redirected to a storage service: fetch then drops the authorization.
        redirect: method === "GET" ? "follow" : "manual",
        signal: AbortSignal.timeout(requestTimeoutMs),
      });
    } catch (error) {
      throw unavailable(url, error);
    }
  }

  /** Answers a challenge, as RFC 7235 and the token protocol of registries describe. */
  async #authorize(challenge: string): Promise<string> {
    const { host } = new URL(this.#reference.origin);
    const { credentials = await savedCredentials(host) } = this.#options;
    const basic =
      credentials &&
      `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString("base64")}`;
    if (/^basic\b/i.test(challenge)) {
      if (basic === null) throw loginNeeded(host);
      return basic;
    }
    const parameters = new Map(
      [...challenge.matchAll(/([a-z_]+)="([^"]*)"/gi)].map(([, name, value]) => [
        name!.toLowerCase(),
        value!,
      ]),
    );
    const realm = parameters.get("realm");
    if (!/^bearer\b/i.test(challenge) || realm === undefined || !URL.canParse(realm)) throw loginNeeded(host);
    const url = new URL(realm);
    // Attack: a challenge over plain HTTP collects the password, or names a service inside the network.
    if (url.protocol !== "https:" && url.origin !== new URL(this.#reference.origin).origin) {
      throw new HookwardenError(
        "registry-failed",
        `the registry ${quote(host)} asks for a login at ${quote(url.origin)}, which is not HTTPS`,
      );
    }
    url.searchParams.set("scope", `repository:${this.#reference.repository}:${this.#actions}`);
    const service = parameters.get("service");
    if (service !== undefined) url.searchParams.set("service", service);
    const answer = await this.#fetch(url, { expected: [] }, basic);
    if (answer.status !== 200) throw basic === null ? loginNeeded(host) : refused(url, answer.status);
    return `Bearer ${await readToken(answer, url)}`;
  }
}

async function readToken(answer: Response, url: URL): Promise<string> {
  try {
    const { token, access_token: access } = JSON.parse(
      (await readBody(answer, maxTokenBytes)).toString(),
    ) as {
      readonly token?: unknown;
      readonly access_token?: unknown;
    };
    const found = token ?? access;
    if (typeof found === "string" && /^[\x21-\x7e]+$/.test(found)) return found;
  } catch {
    // As an answer without a token.
  }
  throw new HookwardenError("registry-failed", `${quote(url.origin)} answered a login without a token`);
}

async function readBody(answer: Response, maxBytes: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const part of answer.body ?? []) {
      size += part.length;
      if (size > maxBytes) break;
      parts.push(part);
    }
  } catch (error) {
    throw unavailable(new URL(answer.url), error);
  }
  if (size <= maxBytes) return Buffer.concat(parts);
  throw new HookwardenError(
    "registry-failed",
    `the registry sent more than the ${maxBytes} bytes that are allowed here`,
  );
}

function refused(url: URL, status: number): HookwardenError {
  const why: Readonly<Record<number, string>> = {
    401: "the credentials are not accepted",
    403: "the credentials do not permit this",
    404: "there is no such repository, tag or digest",
    429: "too many requests",
  };
  const reason = why[status] === undefined ? "" : `: ${why[status]}`;
  return new HookwardenError(
    "registry-failed",
    `the registry answered ${status} at ${quote(url.origin + url.pathname)}${reason}`,
  );
}

function loginNeeded(host: string): HookwardenError {
  return new HookwardenError(
    "registry-failed",
    `the registry ${quote(host)} requires a login: run \`oras login ${host}\``,
  );
}

function unavailable(url: URL, cause: unknown): HookwardenError {
  const { cause: inner, name } = (cause ?? {}) as {
    readonly cause?: { readonly code?: unknown };
    readonly name?: unknown;
  };
  const code =
    typeof inner?.code === "string"
      ? inner.code
      : name === "TimeoutError"
        ? "no answer in time"
        : "no answer";
  return new HookwardenError(
    "registry-unavailable",
    `the registry at ${quote(url.origin)} cannot be reached (${code})`,
    {},
    { cause },
  );
}
