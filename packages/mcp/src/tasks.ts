import { type JsonObject, isObject } from "./message.ts";

/** Most tasks of one session that are remembered; the oldest are forgotten, and their results refused from then on. */
export const maxTasks = 1_000;

/** The key under which a result says which task it belongs to. */
export const relatedTaskKey = "io.modelcontextprotocol/related-task";

/** What a call became, by the id of the task that the other side made of it. */
export class Tasks<Origin> {
  readonly #origins = new Map<string, Origin>();

  /** @returns why the task cannot be known; `null` where it is known now. */
  add(id: string, origin: Origin): string | null {
    // A second task of the same id would have its result judged as that of the first.
    if (this.#origins.has(id)) return "the id of the new task is that of another task";
    const [oldest] = this.#origins.keys();
    if (oldest !== undefined && this.#origins.size >= maxTasks) this.#origins.delete(oldest);
    this.#origins.set(id, origin);
    return null;
  }

  origin(id: unknown): Origin | undefined {
    return typeof id === "string" ? this.#origins.get(id) : undefined;
  }
}

/** The id of the task that a result announces; `undefined` for any other result. */
export function taskIdOf(result: unknown): string | undefined {
  const task = isObject(result) ? result["task"] : undefined;
  const id = isObject(task) ? task["taskId"] : undefined;
  return typeof id === "string" && id !== "" && id.length <= 512 ? id : undefined;
}

/** Whether a request asks for a task: the answer comes at once, and the result with `tasks/result`. */
export function asksForTask(params: JsonObject): boolean {
  return params["task"] !== undefined;
}
