import { invalidAnswer, problemOf, unreachable } from "./server-error.ts";
import type { ClientOptions } from "./types.ts";

/** What a request carries apart from its method and path. */
export interface Request {
  readonly json?: unknown;
  readonly bytes?: Uint8Array<ArrayBuffer>;
  /** Media type of `bytes`. Default `application/gzip`. */
  readonly type?: string;
  /** Lines of JSON. */
  readonly stream?: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly headers?: { readonly [name: string]: string };
  readonly signal?: AbortSignal;
}

/** Sends requests to a server, and turns failures into `ServerError`. */
export class Transport {
  readonly url: string;
  readonly #key: string | undefined;
  readonly #timeoutMs: number;
  readonly #fetch: typeof globalThis.fetch;

  constructor({ url, key, timeoutMs = 30_000, fetch = globalThis.fetch }: ClientOptions) {
    this.url = url.replace(/\/+$/, "");
    this.#key = key;
    this.#timeoutMs = timeoutMs;
    this.#fetch = fetch;
  }

  /** Sends a request within the timeout and parses its JSON response. @throws {ServerError} */
  async json<T>(method: string, path: string, request: Request = {}): Promise<T> {
    return (await this.answer<T>(method, path, request)).value;
  }

  /** The same, with the headers of the response. @throws {ServerError} */
  async answer<T>(
    method: string,
    path: string,
    request: Request = {},
  ): Promise<{ readonly value: T; readonly headers: Headers }> {
    const signals = [AbortSignal.timeout(this.#timeoutMs), ...(request.signal ? [request.signal] : [])];
    const response = await this.send(method, path, request, AbortSignal.any(signals));
    const text = await response.text().catch((error: unknown) => {
      throw unreachable(this.url, error);
    });
    const { headers } = response;
    if (text === "") return { value: undefined as T, headers };
    try {
      return { value: JSON.parse(text) as T, headers };
    } catch (error) {
      throw invalidAnswer(error);
    }
  }

  /** The body of a response without a timeout. @throws {ServerError} */
  async stream(path: string, signal?: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const { body } = await this.send("GET", path, {}, signal);
    if (!body) throw unreachable(this.url, null);
    return body;
  }

  /** @throws {ServerError} for every response that is not a success */
  async send(
    method: string,
    path: string,
    request: Request,
    signal: AbortSignal | undefined,
  ): Promise<Response> {
    const { json, bytes, stream, headers } = request;
    const body = stream ?? bytes ?? (json === undefined ? undefined : JSON.stringify(json));
    const type =
      request.type ?? (stream ? "application/x-ndjson" : bytes ? "application/gzip" : "application/json");
    let response: Response;
    try {
      response = await this.#fetch(`${this.url}${path}`, {
        method,
        redirect: "error",
        headers: {
          ...headers,
          ...(this.#key === undefined ? {} : { authorization: `Bearer ${this.#key}` }),
          ...(body === undefined ? {} : { "content-type": type }),
        },
        ...(body === undefined ? {} : { body }),
        // `fetch` requires this for streaming bodies.
        ...(stream ? { duplex: "half" } : {}),
        ...(signal === undefined ? {} : { signal }),
      });
    } catch (error) {
      throw unreachable(this.url, error);
    }
    if (response.ok) return response;
    throw await problemOf(response);
  }
}
