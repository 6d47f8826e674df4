import type { Outcome } from "./contract.ts";
import type { Fault } from "./fault.ts";
import { type Limits, loadLimits, loadMs } from "./limits.ts";

/** The host's own sentences for faults that both engines can have. */
export const faults = {
  inputTooLarge: ({ inputBytes }: Limits): Fault => ({
    code: "input-too-large",
    message: `the event is larger than ${inputBytes} bytes`,
  }),
  steps: ({ steps }: Limits): Fault => ({ code: "steps-exceeded", message: `used more than ${steps} steps` }),
  wall: ({ wallMs }: Limits): Fault => ({ code: "timeout", message: `took longer than ${wallMs} ms` }),
  /** A call that its loading, or the hooks before it, left less time than its own limit. */
  budget: (ms: number): Fault => ({
    code: "timeout",
    message: `took longer than the ${whole(ms)} ms that were left of \`budgets.decisionMs\``,
  }),
  /** Names the limit that loading met: its own, or the time that the caller had left. */
  loadWall: (load: { limits: Limits; budgetMs?: number }): Fault => {
    const ms = loadMs(load);
    return {
      code: "timeout",
      message:
        ms === load.budgetMs
          ? `took longer to load than the ${whole(ms)} ms that were left of \`budgets.decisionMs\``
          : `took longer than ${whole(ms)} ms to load, which is the limit of loading`,
    };
  },
  loadSteps: ({ steps }: Limits): Fault => ({
    code: "steps-exceeded",
    message: `used more than ${Math.max(steps, loadLimits.steps)} steps while it was loaded`,
  }),
  unsettled: (): Fault => ({
    code: "timeout",
    message: "awaits a promise that can no longer be settled",
  }),
  memory: ({ memoryKb }: Limits): Fault => ({
    code: "memory-exceeded",
    message: `asked for more than ${memoryKb} KiB of memory`,
  }),
  stack: ({ stackKb }: Limits): Fault => ({
    code: "stack-exceeded",
    message: `used more than ${stackKb} KiB of stack`,
  }),
  outputTooLarge: ({ outputBytes }: Limits): Fault => ({
    code: "output-too-large",
    message: `the answer is larger than ${outputBytes} bytes`,
  }),
} as const;

function whole(ms: number): number {
  return Math.max(1, Math.floor(ms));
}

/** Whether a text has more bytes of UTF-8; counts them only where the length leaves it open. */
export function isLonger(text: string, bytes: number): boolean {
  return text.length > bytes || (text.length * 3 > bytes && Buffer.byteLength(text) > bytes);
}

/** Whole microseconds since a moment of `performance.now()`. */
export function microseconds(since: number): number {
  return Math.round((performance.now() - since) * 1_000);
}

/** The outcome of a call that gave no reply. */
export function failed(
  fault: Fault,
  steps: number | null,
  since: number,
  memoryBytes: number,
): Outcome & { ok: false } {
  return { ok: false, fault, steps, durationUs: microseconds(since), memoryBytes, logs: [] };
}
