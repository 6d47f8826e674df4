import {
  type Call,
  type Fault,
  type Inspection,
  type Limits,
  type Outcome,
  type Program,
  type Sandbox,
  loadLimits,
} from "@hookwarden/sandbox";
import type { EnginePort, FromEngine, ToEngine } from "../protocol.ts";

/** How long an engine may be silent beyond a call's own limit before it is ended, in milliseconds. */
const graceMs = 500;
/** How long an engine may take to begin, in milliseconds. */
const startTimeoutMs = 20_000;

interface Engine {
  readonly port: EnginePort;
  readonly programs: Set<string>;
}

/**
 * A sandbox whose engine lives in a worker of its own, as on a server it lives in a process of its own: one that does
 * not answer in time is ended from outside, and the call is the `timeout` that it would be there. Asks for one thing at
 * a time.
 */
export class RemoteSandbox implements Sandbox {
  readonly engine = "quickjs";
  version = "";
  readonly #renew: () => Promise<EnginePort>;
  #engine: Engine | null = null;
  #lastId = 0;
  #turn: Promise<unknown> = Promise.resolve();

  /** @param renew ends the engine that there is, and gives the port of a new one. */
  constructor(renew: () => Promise<EnginePort>) {
    this.#renew = renew;
  }

  /** Waits until there is an engine. @throws {Error} where none begins. */
  begin(): Promise<void> {
    return this.#inTurn(async () => {
      this.#engine ??= await this.#begin();
    });
  }

  call(call: Call): Promise<Outcome> {
    return this.#inTurn(async () => {
      const { program, ...rest } = call;
      const began = performance.now();
      const loads = !this.#engine?.programs.has(program.key);
      const answer = await this.#ask(program, call.limits, (id) => ({
        kind: "call",
        id,
        call: rest,
        key: program.key,
      }));
      if (answer?.kind === "outcome") return answer.outcome;
      return { ok: false, fault: hung(call.limits, loads), ...usage(began) };
    });
  }

  inspect(program: Program, limits: Limits, tenant: string): Promise<Inspection> {
    return this.#inTurn(async () => {
      const answer = await this.#ask(program, limits, (id) => ({
        kind: "inspect",
        id,
        key: program.key,
        limits,
        tenant,
      }));
      return answer?.kind === "inspection" ? answer.inspection : { ok: false, fault: hung(limits, true) };
    });
  }

  forget(programKey: string): void {
    if (this.#engine?.programs.delete(programKey)) {
      this.#engine.port.postMessage({ kind: "forget", key: programKey });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#engine?.port.close();
    this.#engine = null;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  /** Asks the engine; `null` where it did not answer in time, and is gone. */
  async #ask(program: Program, limits: Limits, make: (id: number) => ToEngine): Promise<FromEngine | null> {
    const engine = (this.#engine ??= await this.#begin());
    const fresh = !engine.programs.has(program.key);
    if (fresh) {
      engine.programs.add(program.key);
      engine.port.postMessage({ kind: "program", program });
    }
    const id = ++this.#lastId;
    const ms = (fresh ? Math.max(limits.wallMs, loadLimits.wallMs) : 0) + limits.wallMs + graceMs;
    const answer = await within(ms, (settle) => {
      engine.port.onmessage = ({ data }) => {
        if ("id" in data && data.id === id) settle(data);
      };
      engine.port.postMessage(make(id));
    });
    if (answer === null) {
      engine.port.close();
      this.#engine = null;
    }
    return answer;
  }

  async #begin(): Promise<Engine> {
    const port = await this.#renew();
    const hello = await within(startTimeoutMs, (settle) => {
      port.onmessage = ({ data }) => settle(data);
    });
    if (hello?.kind !== "hello") {
      throw new Error(hello?.kind === "failed" ? hello.message : "the engine does not begin");
    }
    this.version = hello.version;
    return { port, programs: new Set() };
  }
}

function hung({ wallMs }: Limits, loads: boolean): Fault {
  const limit = loads
    ? "the limit of loading and `limits.wallMs` together"
    : `\`limits.wallMs\` (${wallMs} ms)`;
  return { code: "timeout", message: `it took longer than ${limit}, and its worker was ended` };
}

function usage(began: number): Pick<Outcome, "steps" | "durationUs" | "memoryBytes" | "logs"> {
  return {
    steps: null,
    durationUs: Math.round((performance.now() - began) * 1_000),
    memoryBytes: 0,
    logs: [],
  };
}

function within(
  milliseconds: number,
  start: (settle: (message: FromEngine) => void) => void,
): Promise<FromEngine | null> {
  return new Promise((done) => {
    const timer = setTimeout(() => done(null), milliseconds);
    start((message) => {
      clearTimeout(timer);
      done(message);
    });
  });
}
