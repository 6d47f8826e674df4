/** What was wrong with the request, and where, as the server says; each only where it is known. */
export interface ServerProblem {
  readonly message?: string;
  /** Of the pack. */
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  /** JSON pointer (RFC 6901) into the request's body, or into `file`. */
  readonly pointer?: string;
}

/** Longest words of a server that are taken over, in characters. */
const longest = 2_000;

/**
 * The server did not do what it was asked for: it answered with a problem, not at all (`unreachable`), or with what is no
 * answer to the question (`invalid-answer`), as something between might. A host that gates something must treat it as a
 * refusal.
 */
export class ServerError extends Error {
  override readonly name = "ServerError";
  /** HTTP status; 0 without one that could be used. */
  readonly status: number;
  /** Stable; docs/server.md lists them. */
  readonly code: string;
  readonly requestId: string | null;
  /** Seconds after which it may be worth asking again. */
  readonly retryAfter: number | null;
  readonly problem: ServerProblem;

  constructor(
    message: string,
    {
      status,
      code,
      requestId = null,
      retryAfter = null,
      problem = {},
    }: {
      status: number;
      code: string;
      requestId?: string | null;
      retryAfter?: number | null;
      problem?: ServerProblem;
    },
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
    this.problem = problem;
  }
}

/** What a server has answered instead of what it was asked for. */
export async function problemOf(response: Response): Promise<ServerError> {
  const { status } = response;
  const body: unknown = await response.json().catch(() => null);
  const given = (typeof body === "object" && body !== null ? body : {}) as {
    readonly [name: string]: unknown;
  };
  const code = textOf(given["code"]) ?? "unknown";
  const problem = readProblem(given);
  const retryAfter = Number(response.headers.get("retry-after") ?? Number.NaN);
  return new ServerError(`the server answered \`${code}\` (${status})${inWords(problem)}`, {
    status,
    code,
    requestId: textOf(given["request_id"]) ?? null,
    retryAfter: Number.isFinite(retryAfter) ? retryAfter : null,
    problem,
  });
}

function readProblem(given: { readonly [name: string]: unknown }): ServerProblem {
  const texts = (["message", "file", "pointer"] as const).map((name) => [name, textOf(given[name])]);
  const numbers = (["line", "column"] as const).map((name) => [
    name,
    Number.isSafeInteger(given[name]) ? given[name] : undefined,
  ]);
  return Object.fromEntries(
    [...texts, ...numbers].filter(([, value]) => value !== undefined),
  ) as ServerProblem;
}

/** A text of the server, without what could move the cursor of a terminal. */
function textOf(value: unknown): string | undefined {
  return typeof value === "string"
    ? value.slice(0, longest).replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, " ")
    : undefined;
}

function inWords({ message, file, line, column, pointer }: ServerProblem): string {
  const place = [[file, line, column].filter((part) => part !== undefined).join(":"), pointer].filter(
    Boolean,
  );
  return [message === undefined ? "" : `: ${message}`, ...place.map((part) => ` at ${part}`)].join("");
}

/** There was no answer, or only a part of one. */
export function unreachable(url: string, cause: unknown): ServerError {
  const message = `the server at ${addressOf(url)} is unreachable: ${reasonOf(cause)}`;
  return new ServerError(message, { status: 0, code: "unreachable" }, { cause });
}

/** What came with a status of success is not what a server answers. */
export function invalidAnswer(cause?: unknown): ServerError {
  const message = "the server answered `invalid-answer`: what came is not an answer to what was asked";
  return new ServerError(message, { status: 0, code: "invalid-answer" }, { cause });
}

/** An address without the credentials that it may hold. */
function addressOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : `\`${url.slice(0, 200)}\``;
}

/** The innermost reason: `fetch` says only that it failed, and has the cause inside. */
function reasonOf(cause: unknown): string {
  let error = cause;
  for (let depth = 0; depth < 5; depth++) {
    const { cause: inner, errors } = (error ?? {}) as { cause?: unknown; errors?: unknown };
    const next = Array.isArray(errors) ? errors[0] : inner;
    if (!(next instanceof Error)) break;
    error = next;
  }
  if (!(error instanceof Error)) return "it gave no answer";
  if (error.name === "TimeoutError") return "it gave no answer in time";
  const { code } = error as { code?: unknown };
  // Some messages quote the whole address, credentials included.
  const message = error.message.replaceAll(/\/\/[^/@\s]*@/g, "//");
  return typeof code === "string" && !message.includes(code) ? `${code} ${message}` : message;
}
