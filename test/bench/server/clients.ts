/** Clients over keep-alive connections that cost little, and say how long each answer took. */
import { Agent, request } from "node:http";

export interface Answer {
  readonly status: number;
  readonly ms: number;
  readonly body: string;
}

export class LoadClient {
  readonly #agent: Agent;
  readonly #url: URL;
  readonly #key: string;

  constructor(url: string, key: string, connections: number) {
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections, scheduling: "fifo" });
    this.#url = new URL("/v1/decisions", url);
    this.#key = key;
  }

  /** Status 0 where no answer came. */
  ask(body: string): Promise<Answer> {
    const begun = performance.now();
    return new Promise((done) => {
      const end = (status: number, text = ""): void =>
        done({ status, ms: performance.now() - begun, body: text });
      const asked = request(
        this.#url,
        {
          agent: this.#agent,
          method: "POST",
          headers: {
            authorization: `Bearer ${this.#key}`,
            "content-type": "application/json",
            "content-length": Buffer.byteLength(body),
          },
        },
        (response) => {
          let text = "";
          response.setEncoding("utf8");
          response.on("data", (chunk: string) => (text += chunk));
          response.on("end", () => end(response.statusCode ?? 0, text));
          response.on("error", () => end(0));
        },
      );
      asked.on("error", () => end(0));
      // Whatever else may have become of it, no caller waits for ever; a second end changes nothing.
      asked.on("close", () => setImmediate(end, 0));
      asked.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

export function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
