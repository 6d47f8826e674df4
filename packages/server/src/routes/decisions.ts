import { dialects } from "hookwarden/dialects";
import type { Route, RouteAnswer, RouteCall } from "../http/route.ts";
import { schemas } from "../http/schemas.ts";
import type { ServerContext } from "../context.ts";
import type { ApprovalWish, DecisionReply } from "../decision-service.ts";
import { Problem } from "../problem.ts";

/** Newline-delimited JSON: an event in each line, and an answer for each as a line of the response. */
const ndjson = "application/x-ndjson";
const body = {
  limit: "batchBytes",
  types: {
    "application/json": { anyOf: [schemas.Event, { type: "array", items: schemas.Event }] },
    [ndjson]: null,
  },
  lines: ndjson,
} as const;
const answers = { "200": { anyOf: [schemas.Decision, schemas.BatchAnswer, {}] } };
const headers = {
  "hookwarden-dialect": `Names of another system for events and answers: ${[...dialects.keys()].join(", ")}.`,
  "idempotency-key":
    "1 to 128 visible ASCII characters: the same request within 10 minutes gets the same answer.",
  traceparent: "W3C Trace Context, for telemetry.",
  "hookwarden-approval":
    "Seconds: for each event whose decision is `ask`, an approval is opened that may be answered this long. The response's header of this name has its id; in a stream, the member `approval` of the answer. In the words of another system, the answer waits for the approval, at most 50 seconds.",
};

export const decisionRoutes: readonly Route[] = [
  {
    method: "POST",
    path: "/v1/decisions",
    id: "decide",
    summary:
      "Decides one event, a batch of them, or a stream of lines (`application/x-ndjson`), which is answered line by line.",
    needs: "decide",
    use: "decide",
    headers,
    body,
    answers,
    handle: (context, call) => decide(context, call, call.header("hookwarden-dialect")),
  },
  {
    method: "POST",
    path: "/v1/dialects/{dialect}/decisions",
    id: "decideInDialect",
    summary: "Decides one message of another system, or a batch of them, in that system's words.",
    needs: "decide",
    use: "decide",
    headers: {
      "idempotency-key": headers["idempotency-key"],
      traceparent: headers.traceparent,
      "hookwarden-approval": headers["hookwarden-approval"],
    },
    body,
    answers: { "200": {} },
    handle: (context, call) => decide(context, call, call.params["dialect"]),
  },
];

async function decide(
  context: ServerContext,
  call: RouteCall,
  dialect: string | undefined,
): Promise<RouteAnswer> {
  const { principal, gone, traceparent, requestId } = call;
  if (principal.tenant === null) throw new Problem("forbidden");
  const idempotency = call.header("idempotency-key");
  const approval = approvalWish(call, dialect);
  const request = {
    tenant: principal.tenant,
    gone,
    requestId,
    ...(dialect === undefined ? {} : { dialect }),
    ...(approval === null ? {} : { approval }),
  };
  if (call.mediaType === ndjson) {
    // A stream is not kept, so that it could not be answered again.
    if (idempotency !== undefined) throw new Problem("bad-request");
    const lines = call.body as AsyncIterable<Uint8Array | null>;
    return { status: 200, stream: context.decisions.decideLines(request, lines), type: ndjson };
  }
  const body = call.body as Uint8Array;
  const traced = traceparent === undefined ? {} : { traceparent };
  const ask = (): Promise<DecisionReply> => context.decisions.decide({ ...request, ...traced, body });
  const reply =
    idempotency === undefined
      ? await ask()
      : await context.idempotency.do({ tenant: principal.tenant, key: idempotency, dialect, body }, ask);
  return {
    status: reply.status,
    text: reply.body,
    type: "application/json; charset=utf-8",
    ...(reply.detail === undefined ? {} : { detail: reply.detail }),
    ...(reply.retryAfter === undefined ? {} : { headers: { "retry-after": String(reply.retryAfter) } }),
    ...(reply.approval === undefined ? {} : { headers: { "hookwarden-approval": reply.approval } }),
  };
}

/** Longest time that an approval may be answered, in seconds: a day. */
const maxApprovalSeconds = 86_400;
/** Where the answer waits for it: below the time after which connections on which nothing moves are closed. */
const maxWaitSeconds = 50;

/** What the header `hookwarden-approval` asks for; `null` without it. */
function approvalWish(call: RouteCall, dialect: string | undefined): ApprovalWish | null {
  const given = call.header("hookwarden-approval");
  if (given === undefined) return null;
  const seconds = Number(given);
  const most = dialect === undefined ? maxApprovalSeconds : maxWaitSeconds;
  if (/^\d{1,5}$/.test(given) && seconds >= 1 && seconds <= most) return { seconds, by: call.principal.id };
  const message = `the header \`hookwarden-approval\` must be a number of seconds from 1 to ${most}`;
  throw new Problem("bad-request", undefined, { message });
}
