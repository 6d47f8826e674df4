import type { Call, Fault, FaultCode, Inspection, Outcome, Sandbox, Usage } from "@hookwarden/sandbox";

/** What a fake program does: a plain function of the host, run in this process. */
export type FakeProgram = (event: any, context: any, call: Call) => unknown;

/** Thrown by a fake program: the call ends with this fault. */
export class FakeFault extends Error {
  readonly code: FaultCode;
  /** Whether it took the process with it. */
  readonly killed: boolean;

  constructor(code: FaultCode, killed = false) {
    super(code);
    this.code = code;
    this.killed = killed;
  }
}

/** Returned by a fake program: this is the answer's text, whatever it is. */
export class RawOutput {
  readonly text: string | null;

  constructor(text: string | null) {
    this.text = text;
  }
}

const usage: Usage = { steps: 1, durationUs: 1, memoryBytes: 0, logs: [] };

/**
 * A sandbox without walls: programs are functions of the test, found by the program's key. Answers at once, or, where
 * a program returns a promise, when that settles. Everything in front of and behind a real engine stays as it is.
 */
export class FakeSandbox implements Sandbox {
  readonly engine = "quickjs";
  readonly version = "fake";
  readonly calls: Call[] = [];
  readonly forgotten: string[] = [];
  disposed = false;
  private readonly programs = new Map<string, FakeProgram>();

  define(key: string, program: FakeProgram): void {
    this.programs.set(key, program);
  }

  call(call: Call): Outcome | Promise<Outcome> {
    this.calls.push(call);
    const program = this.programs.get(call.program.key);
    if (!program) return failed({ code: "load-failed", message: "there is no such program" });
    try {
      const [event, context] = call.args.map((text) => JSON.parse(text) as unknown);
      const answer = program(event, context, call);
      return answer instanceof Promise ? answer.then(answered, threw) : answered(answer);
    } catch (error) {
      return threw(error);
    }
  }

  async inspect(): Promise<Inspection> {
    return { ok: true, handlers: null };
  }

  forget(programKey: string): void {
    this.forgotten.push(programKey);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.disposed = true;
  }
}

function answered(answer: unknown): Outcome {
  const output =
    answer instanceof RawOutput
      ? answer.text
      : answer === undefined || answer === null
        ? null
        : JSON.stringify(answer);
  return { ok: true, output, ...usage };
}

function threw(error: unknown): Outcome {
  if (!(error instanceof FakeFault))
    return failed({ code: "threw", message: String((error as Error).message) });
  const outcome = failed({ code: error.code, message: "as the test wants it" });
  return error.killed ? { ...outcome, killed: true } : outcome;
}

function failed(fault: Fault): Outcome & { ok: false } {
  return { ok: false, fault, ...usage };
}
