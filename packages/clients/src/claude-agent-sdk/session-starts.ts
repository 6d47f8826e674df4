import type { Answerer } from "../translate/answerer.ts";
import { isObject } from "@hookwarden/sandbox/json";
import type { Answer } from "../hook/fail-closed-answer.ts";

/** Most sessions that are remembered; the start of an older one would be repeated. */
const maxSessions = 10_000;

/**
 * The SDK does not call hooks in process when a session starts. So that hooks at `SessionStart` are asked all the same,
 * the first prompt of a session stands for its start: a halt refuses the prompt, and context goes with it.
 */
export class SessionStarts {
  readonly #answerer: Answerer;
  readonly #seen = new Set<string>();

  constructor(answerer: Answerer) {
    this.#answerer = answerer;
  }

  /** Answers one event, after the start of its session if that has not been decided yet. */
  async answer(input: { readonly [field: string]: unknown }): Promise<Answer> {
    const { hook_event_name: event, session_id: session } = input;
    if (typeof session !== "string") return this.#answerer.answer(input);
    if (event === "SessionStart") this.#remember(session);
    if (event !== "UserPromptSubmit" || this.#seen.has(session)) return this.#answerer.answer(input);
    const { prompt: _, prompt_id: __, ...common } = input;
    const start = await this.#answerer.answer({
      ...common,
      hook_event_name: "SessionStart",
      source: "startup",
    });
    // Only now: a start that failed is repeated with the next prompt.
    this.#remember(session);
    return joined(start, await this.#answerer.answer(input));
  }

  #remember(session: string): void {
    this.#seen.add(session);
    const [oldest] = this.#seen;
    if (this.#seen.size > maxSessions && oldest !== undefined) this.#seen.delete(oldest);
  }
}

/** The answer to a prompt, with what the start of the session had to add. */
function joined(start: Answer, prompt: Answer): Answer {
  const context = lines(contextOf(start), contextOf(prompt));
  const notice = lines(start["systemMessage"], prompt["systemMessage"]);
  const output = isObject(prompt["hookSpecificOutput"]) ? prompt["hookSpecificOutput"] : {};
  return {
    ...prompt,
    ...(notice === "" ? {} : { systemMessage: notice }),
    ...(context === ""
      ? {}
      : {
          hookSpecificOutput: { ...output, hookEventName: "UserPromptSubmit", additionalContext: context },
        }),
  };
}

function contextOf({ hookSpecificOutput: output }: Answer): unknown {
  return isObject(output) ? output["additionalContext"] : undefined;
}

function lines(...texts: readonly unknown[]): string {
  return texts.filter((text) => typeof text === "string" && text !== "").join("\n");
}
