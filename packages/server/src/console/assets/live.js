import { Refused, stream } from "./api.js";

/** Most events that are kept. */
const most = 400;
/** Longest line of a stream, in characters. */
const longestLine = 262_144;

/**
 * What happens on the server, newest first. The stream is read with `fetch`, because `EventSource` cannot send a
 * credential in a header. It is opened again, ever more slowly, when it ends.
 */
export class Live extends EventTarget {
  events = [];
  state = "connecting";
  paused = false;
  seen = 0;
  #abort = null;
  #wait = 500;
  #timer = 0;
  #held = [];

  start() {
    this.stop();
    this.#abort = new AbortController();
    void this.#run(this.#abort.signal);
  }

  stop() {
    clearTimeout(this.#timer);
    this.#abort?.abort();
    this.#abort = null;
    this.events = [];
    this.#held = [];
  }

  pause(paused) {
    this.paused = paused;
    if (!paused) for (const event of this.#held.splice(0)) this.#keep(event);
    this.#tell();
  }

  get held() {
    return this.#held.length;
  }

  async #run(signal) {
    try {
      const body = await stream("live", signal);
      this.#become("live");
      this.#wait = 500;
      await this.#read(body.pipeThrough(new TextDecoderStream()).getReader());
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Refused && (error.status === 401 || error.status === 403)) {
        this.#become("refused");
        return;
      }
    }
    if (signal.aborted) return;
    this.#become("connecting");
    this.#timer = setTimeout(() => void this.#run(signal), this.#wait);
    this.#wait = Math.min(this.#wait * 2, 10_000);
  }

  async #read(reader) {
    let rest = "";
    let data = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + value).split("\n");
      rest = lines.pop();
      if (rest.length > longestLine) throw new Error("a line of the stream is too long");
      for (const line of lines) {
        const text = line.endsWith("\r") ? line.slice(0, -1) : line;
        if (text.startsWith("data:")) data += text.slice(5);
        else if (text === "" && data !== "") {
          this.#take(data);
          data = "";
        }
      }
    }
  }

  #take(data) {
    let event;
    try {
      event = JSON.parse(data);
    } catch {
      return;
    }
    if (typeof event?.type !== "string") return;
    this.seen++;
    if (this.paused) {
      this.#held.push(event);
      if (this.#held.length > most) this.#held.shift();
    } else this.#keep(event);
    this.#tell();
  }

  #keep(event) {
    this.events.unshift(event);
    if (this.events.length > most) this.events.pop();
    this.dispatchEvent(new CustomEvent("event", { detail: event }));
  }

  #become(state) {
    this.state = state;
    this.#tell();
  }

  #tell() {
    this.dispatchEvent(new Event("change"));
  }
}
