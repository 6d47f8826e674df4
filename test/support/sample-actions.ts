import type { ActionName } from "../../src/catalogue/actions.ts";

/** One valid action of each name. `mark` stands in every text and value of it. */
export function sampleAction(
  name: ActionName,
  mark = "mark",
): { action: ActionName; [field: string]: unknown } {
  const payloads: { readonly [N in ActionName]: object } = {
    continue: {},
    allow: { reason: mark },
    ask: { reason: mark },
    retry: { feedback: mark },
    drop_chunk: {},
    skip: { reason: mark },
    deny: { reason: mark },
    block: { reason: mark },
    halt: { reason: mark },
    modify_input: { input: { command: mark } },
    replace_result: { result: mark },
    replace_error: { error: mark },
    transform: { prompt: mark },
    replace_messages: { messages: [{ role: "user", content: mark }] },
    replace_system: { system: mark },
    set_params: { params: { note: mark } },
    replace_response: { message: mark },
    replace_chunk: { chunk: mark },
    augment: { text: mark },
    inject: { messages: [{ role: "user", content: mark }], durable: true },
    add_context: { text: mark },
    notify: { text: mark },
    set_state: { value: mark },
  };
  return { action: name, ...payloads[name] };
}
