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

  constructor(
    problem: { status: number; code: string; requestId: string | null; retryAfter: number | null },
    options?: ErrorOptions,
  ) {
    super(`the server answered \`${problem.code}\` (${problem.status})`, options);
    this.status = problem.status;
    this.code = problem.code;
    this.requestId = problem.requestId;
    this.retryAfter = problem.retryAfter;
  }
}

/** What a server has answered instead of what it was asked for. */
export async function problemOf(response: Response): Promise<ServerError> {
  const body: unknown = await response.json().catch(() => null);
  const { code, request_id } = (body ?? {}) as { code?: unknown; request_id?: unknown };
  const retryAfter = Number(response.headers.get("retry-after") ?? Number.NaN);
  return new ServerError({
    status: response.status,
    code: typeof code === "string" ? code : "unknown",
    requestId: typeof request_id === "string" ? request_id : null,
    retryAfter: Number.isFinite(retryAfter) ? retryAfter : null,
  });
}

/** There was no answer, or only a part of one. */
export function unreachable(cause: unknown): ServerError {
  return new ServerError({ status: 0, code: "unreachable", requestId: null, retryAfter: null }, { cause });
}

/** What came with a status of success is not what a server answers. */
export function invalidAnswer(cause?: unknown): ServerError {
  return new ServerError({ status: 0, code: "invalid-answer", requestId: null, retryAfter: null }, { cause });
}
