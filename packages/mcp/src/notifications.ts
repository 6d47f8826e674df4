import { quote } from "@hookwarden/sandbox/json";
import { listens } from "./context.ts";
import { idKey, isObject, isRequestId, type RawMessage } from "./message.ts";
import { judgedNotification, methodTable, misspelling } from "./methods.ts";
import { errorText, type Parties } from "./parties.ts";
import { Peer } from "./peer.ts";
import { judgeNotification } from "./server-text.ts";

/** Passes a notification on: as it came, as hooks leave its text, or not at all. */
export function passNotification(parties: Parties, from: Peer, method: string, message: RawMessage): void {
  const { context } = parties;
  const to = parties.other(from);
  if (Object.hasOwn(methodTable, method)) {
    // A server that does not look at ids would carry it out unjudged.
    context.problem(`the ${from.side} has sent ${quote(method)} without an id; it goes nowhere`);
    return;
  }
  const why = misspelling(method, message["params"]);
  if (why !== null) {
    context.problem(`a notification of the ${from.side} is refused: ${why}`);
    return;
  }
  if (method === "notifications/cancelled" && !cancel(from, message)) return;
  if (method === "notifications/tools/list_changed" && from.side === "server") context.tools.forget();
  const form = from.side === "server" ? judgedNotification(method, message["params"]) : null;
  if (!form || !listens(context.options.warden, "PostToolUse")) return to.outbox.push(message);
  const place = to.outbox.reserve();
  judgeNotification(method, message, form, context).then(
    (judged) => {
      if (judged) Peer.copyOrigin(judged, message);
      place(judged);
    },
    (error: unknown) => {
      context.problem(`${method} is dropped after a failure of hookwarden: ${errorText(error)}`);
      place(null);
    },
  );
}

/** @returns whether the other side has to be notified. */
function cancel(from: Peer, { params }: RawMessage): boolean {
  const id = isObject(params) ? params["requestId"] : undefined;
  const call = isRequestId(id) ? from.calls.get(idKey(id)) : undefined;
  if (!call) return true;
  // From here on an answer is unsolicited.
  from.calls.delete(call.key);
  call.cancelled.abort();
  if (call.forwarded) from.noteCancelled(call.key);
  return call.forwarded;
}
