import type { Call, Outcome } from "../contract.ts";
import { type Message, readReply } from "../guest/message.ts";
import { failed, faults, microseconds } from "../outcome.ts";
import type { CallResult, Instance } from "./instance.ts";
import { loadFault, type LoadFailure, stopFault } from "./load-result.ts";

/** A call whose input was encoded; `started` is in `performance.now()` milliseconds. */
export interface PendingCall {
  readonly call: Call;
  readonly message: Message;
  readonly started: number;
}

/**
 * Runs a loaded program with the time that its call has left, and reads its reply. The instance is disposed of if the
 * reply shows that it is broken.
 */
export function runCall(
  instance: Instance,
  { call, started }: PendingCall,
  run: (deadline: number) => CallResult | LoadFailure,
): Outcome {
  const { program, limits, budgetMs = Infinity } = call;
  const now = performance.now();
  const ms = Math.min(limits.wallMs, started + budgetMs - now);
  const result = run(now + ms);
  const memoryBytes = instance.measure();
  if (result.kind === "stopped") return failed(stopFault(result, limits, ms), null, started, memoryBytes);
  if (result.kind === "failed") return failed(loadFault(result, call), null, started, memoryBytes);
  if (result.kind === "unsettled") return failed(faults.unsettled(), null, started, memoryBytes);
  const reply = readReply(result.text, limits, program.name);
  if (!reply.ok && reply.fault.code === "crashed") instance.dispose();
  const durationUs = microseconds(started);
  const { logs } = reply;
  return reply.ok
    ? { ok: true, output: reply.output, steps: null, durationUs, memoryBytes, logs }
    : { ok: false, fault: reply.fault, steps: null, durationUs, memoryBytes, logs };
}
