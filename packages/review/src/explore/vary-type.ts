import { withValue } from "@hookwarden/testing/mutate";
import { coversPath } from "../hook/read-tree.ts";
import { opens } from "../run/effect.ts";
import { type Input, validEvent } from "../run/input.ts";
import type { Run, Runner } from "../run/runner.ts";
import { isCommand, neutralWord, touchedSlots } from "./slots.ts";
import { made, type Variant } from "./variant.ts";

/** A list with the text in it, which hosts that join lists run, and the parts that messages are made of. */
export async function otherTypes(runner: Runner, base: Run): Promise<readonly Variant[]> {
  const slots = touchedSlots(runner, base).filter(
    ({ kind, path, value }) =>
      (kind === "text" || (kind === "place" && path !== "cwd")) &&
      typeof value === "string" &&
      // What a hook sees through facts only, the host takes apart.
      coversPath(runner.hook.reads, path.split("."), base.event),
  );
  const found: Variant[] = [];
  for (const slot of slots.slice(0, 3)) {
    const text = String(slot.value);
    const values: unknown[] = [[text]];
    if (await holds(runner, base, slot.set(`${firstCommand}\n${text}`), isCommand(slot.path)))
      values.push([firstCommand, `\n;${text}`]);
    // A list can have the very name that the hook looks for, where a text only has it in it.
    const longer =
      slot.kind === "place" ? `${text.replace(/\/$/, "")}/${neutralWord}` : `${text} ${neutralWord}`;
    if (await holds(runner, base, slot.set(longer), true)) values.push([longer]);
    const parts = [{ type: "text", text }];
    if (slot.path === "message") values.push({ role: "assistant", content: parts });
    if (/^(?:message\.content|tool_response)$/.test(slot.path)) values.push(parts);
    for (const value of values) {
      const event = validEvent(withValue(base.input.event, slot.path.split("."), value));
      const input = event && made({ ...base.input, event }, base, `another type in ${slot.path}`);
      if (input) found.push({ slot, from: text, to: JSON.stringify(value), input, word: "type" });
    }
  }
  return found;
}

/** With its own line, so that what takes the joined list apart finds the second one. */
const firstCommand = "true;\n";

/** Whether the hook holds another text as it holds the one of a run, so that it does not look for exactly that one. */
async function holds(runner: Runner, base: Run, input: Input | null, isAsked: boolean): Promise<boolean> {
  const run = isAsked && input ? await runner.run(input) : null;
  return run !== null && !opens(base.effect, run.effect);
}
