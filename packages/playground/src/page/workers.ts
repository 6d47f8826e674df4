import type { Answer, EnginePort, FromBroker, Library, ToBroker, Workspace } from "../protocol.ts";

/** How long a whole workspace may take before the worker that decides is ended too, in milliseconds. */
const timeoutMs = 60_000;

/**
 * The two workers of the page. The one that decides asks for an engine, and for another one where that hangs; the page
 * ends and makes them, since only it can. Both are made of texts that the page carries: nothing is loaded.
 */
export class Workers {
  readonly #urls: { readonly broker: string; readonly engine: string };
  readonly #library: Library;
  #broker: Worker | null = null;
  #engine: Worker | null = null;
  #lastId = 0;
  #waiting: { readonly id: number; readonly done: (answer: Answer) => void; readonly timer: number } | null =
    null;
  /** What waits for its turn: only the latest is worth anything. */
  #next: { readonly workspace: Workspace; readonly done: (answer: Answer | null) => void } | null = null;

  constructor(sources: { readonly broker: string; readonly engine: string }, library: Library) {
    this.#library = library;
    this.#urls = { broker: scriptUrl(sources.broker), engine: scriptUrl(sources.engine) };
  }

  /** Decides a workspace; `null` where a later one took its turn before it began. */
  decide(workspace: Workspace): Promise<Answer | null> {
    return new Promise((done) => {
      this.#next?.done(null);
      this.#next = { workspace, done };
      this.#begin();
    });
  }

  #begin(): void {
    if (this.#waiting || !this.#next) return;
    const { workspace, done } = this.#next;
    this.#next = null;
    this.#broker ??= this.#startBroker();
    const id = ++this.#lastId;
    const timer = window.setTimeout(() => this.#giveUp(), timeoutMs);
    this.#waiting = { id, done, timer };
    this.#send({ kind: "decide", id, workspace });
  }

  #settle(answer: Answer): void {
    const waiting = this.#waiting;
    if (!waiting) return;
    window.clearTimeout(waiting.timer);
    this.#waiting = null;
    waiting.done(answer);
    this.#begin();
  }

  #giveUp(message = "it took too long, and was ended"): void {
    this.#broker?.terminate();
    this.#engine?.terminate();
    this.#broker = this.#engine = null;
    this.#settle({
      steps: [],
      problem: { code: "internal", message, place: {}, about: "page" },
      ready: false,
    });
  }

  #startBroker(): Worker {
    const worker = new Worker(this.#urls.broker, { name: "broker" });
    this.#broker = worker;
    worker.onmessage = ({ data }: MessageEvent<FromBroker>) => {
      if (data.kind === "engine-wanted") this.#startEngine();
      else if (data.id === this.#waiting?.id) this.#settle(data.answer);
    };
    worker.onerror = ({ message }) => this.#giveUp(message || "the worker that decides does not begin");
    this.#send({ kind: "begin", library: this.#library });
    return worker;
  }

  #startEngine(): void {
    this.#engine?.terminate();
    const worker = new Worker(this.#urls.engine, { name: "engine" });
    this.#engine = worker;
    const { port1, port2 } = new MessageChannel();
    worker.postMessage({ port: port1 }, [port1]);
    const message: ToBroker = { kind: "engine", port: port2 as unknown as EnginePort };
    this.#broker?.postMessage(message, [port2]);
  }

  #send(message: ToBroker): void {
    this.#broker?.postMessage(message);
  }
}

function scriptUrl(source: string): string {
  return URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
}
