import type { Inspection, LogLine, Outcome, Usage } from "../contract.ts";
import type { Fault } from "../fault.ts";
import type { Limits } from "../limits.ts";
import { handlersBytes, maxHandlers, levels, messageBytes, maxLogBytes, maxLogLines } from "./reply.ts";

const { byteLength } = Buffer;

type Figures = Pick<Usage, "steps" | "durationUs" | "memoryBytes">;

const noFigures: Figures = { steps: 0, durationUs: 0, memoryBytes: 0 };

function whole(value: number): number {
  return value > 0 && value < 9e14 ? Math.round(value) : 0;
}

/** What follows the header of a frame. */
interface Content {
  readonly body?: string;
  readonly logs?: string;
}

function frame(kind: string, id: number, figures: Figures, { body = "", logs = "" }: Content = {}): string {
  const steps = figures.steps === null ? "-" : whole(figures.steps);
  const sizes = `${byteLength(body)} ${logs === "" ? 0 : byteLength(logs)}`;
  const ns = whole(figures.durationUs * 1_000);
  return `${kind} ${id} ${steps} ${ns} ${whole(figures.memoryBytes)} ${sizes}\n${body}\n${logs}\n`;
}

/** Cuts a text to at most `most` bytes of UTF-8. */
function cut(text: string, most: number): string {
  if (byteLength(text) <= most) return text;
  const bytes = Buffer.from(text);
  let end = most;
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--;
  return bytes.toString("utf8", 0, end);
}

function writeLogs(logs: readonly LogLine[], limits: Limits): string {
  let left = maxLogBytes(limits);
  let text = "";
  for (const line of logs.slice(0, maxLogLines(limits))) {
    const part = cut(line.text, left);
    const size = byteLength(part);
    left -= size;
    text += `${levels.indexOf(line.level)} ${size} ${part}`;
  }
  return text;
}

function faultBody(fault: Fault): string {
  const { code, message, position } = fault;
  const at = position ? `@${position.line}:${position.column}` : "";
  return `${code}${at} ${cut(message, messageBytes)}`;
}

export function writeReady(version: string, protocol: number): string {
  return frame("H", protocol, noFigures, { body: cut(version, 256) });
}

export function writeMissing(message: string): string {
  return frame("X", 0, noFigures, { body: cut(message, messageBytes) });
}

export function writeOutcome(id: number, outcome: Outcome, limits: Limits): string {
  const logs = outcome.logs.length === 0 ? "" : writeLogs(outcome.logs, limits);
  if (!outcome.ok)
    return frame(outcome.loadTimedOut ? "T" : "E", id, outcome, { body: faultBody(outcome.fault), logs });
  if (outcome.output === null) return frame("N", id, outcome, { logs });
  return frame("K", id, outcome, { body: outcome.output, logs });
}

/** Reports that a call was not run, because an earlier one ended its group. */
export function writeSkipped(id: number): string {
  return frame("S", id, noFigures);
}

/** Reports that a call starts to load its program, or that the program is loaded and runs. */
export function writeLoad(id: number, begins: boolean): string {
  return frame(begins ? "L" : "R", id, noFigures);
}

export function writeInspection(id: number, inspection: Inspection): string {
  if (!inspection.ok) return frame("E", id, noFigures, { body: faultBody(inspection.fault) });
  const body = JSON.stringify(inspection.handlers);
  if (byteLength(body) > handlersBytes || (inspection.handlers?.length ?? 0) > maxHandlers) {
    const message = "the default export has too many names, or too long ones";
    return frame("E", id, noFigures, { body: faultBody({ code: "load-failed", message }) });
  }
  return frame("I", id, noFigures, { body });
}
