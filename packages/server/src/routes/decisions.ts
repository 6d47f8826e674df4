import type { Decision } from "hookwarden/broker";
import { dialects } from "hookwarden/dialects";
import type { Route, RouteAnswer, RouteCall } from "../http/route.ts";
import { schemas } from "../http/schemas.ts";
import type { ServerContext } from "../context.ts";
import type { DecisionReply } from "../decision-service.ts";
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
    "Seconds: if the decision on the event is `ask`, an approval is opened that may be answered this long. The response's header of this name has its id.",
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
    headers: { "idempotency-key": headers["idempotency-key"], traceparent: headers.traceparent },
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
  if (call.mediaType === ndjson) {
    // A stream is not kept, so that it could not be answered again; nor can a person be asked within it.
    if (idempotency !== undefined || call.header("hookwarden-approval") !== undefined)
      throw new Problem("bad-request");
    const lines = call.body as AsyncIterable<Uint8Array | null>;
    const request = {
      tenant: principal.tenant,
      gone,
      requestId,
      ...(dialect === undefined ? {} : { dialect }),
    };
    return { status: 200, stream: context.decisions.decideLines(request, lines), type: ndjson };
  }
  const body = call.body as Uint8Array;
  const seconds = approvalSeconds(call, dialect, body);
  const ask = async (): Promise<DecisionReply> => {
    const reply = await context.decisions.decide({
      tenant: principal.tenant as string,
      body,
      gone,
      requestId,
      ...(dialect === undefined ? {} : { dialect }),
      ...(traceparent === undefined ? {} : { traceparent }),
    });
    return seconds === null ? reply : openApproval(context, call, { reply, body, seconds });
  };
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

/** How long an approval for the decision may be answered; `null` if none is asked for. */
function approvalSeconds(call: RouteCall, dialect: string | undefined, body: Uint8Array): number | null {
  const given = call.header("hookwarden-approval");
  if (given === undefined) return null;
  const seconds = Number(given);
  const isSingle =
    dialect === undefined && /^\s*\{/.test(Buffer.from(body.subarray(0, 64)).toString("latin1"));
  if (/^\d{1,5}$/.test(given) && seconds >= 1 && seconds <= maxApprovalSeconds && isSingle) return seconds;
  const message = isSingle
    ? `the header \`hookwarden-approval\` must be a number of seconds from 1 to ${maxApprovalSeconds}`
    : "an approval is for one event in the catalogue's own names";
  throw new Problem("bad-request", undefined, { message });
}

/** Opens an approval if the decision is `ask`. */
async function openApproval(
  context: ServerContext,
  { principal }: RouteCall,
  {
    reply,
    body,
    seconds,
  }: { readonly reply: DecisionReply; readonly body: Uint8Array; readonly seconds: number },
): Promise<DecisionReply> {
  if (reply.status !== 200) return reply;
  const decision = JSON.parse(reply.body) as Decision;
  const tenant = context.registry.get(principal.tenant as string);
  if (decision.verdict !== "ask" || !tenant) return reply;
  const { id } = await context.approvals.request(tenant, { decision, body, by: principal.id, seconds });
  return { ...reply, approval: id };
}
