import { tool } from "@openai/agents";
import { z } from "zod";
import type { Adapter, Reply } from "../../../test/adapters/contract/adapter.ts";
import { type Answer, call, guarded, type Mode, modes, run, says as message } from "./agent.ts";

const sessionId = "t-1";

/** What the contract needs of this package. */
export const adapter: Adapter = {
  modes,
  streaming: ["stream"],
  sessionId,
  forbiddenParams: ["providerData"],
  endsAtErrors: true,
  // The whole text comes once more at the end, in one piece, and is dropped with the chunk in it.
  textAfterDrop: "",
  noReply: "the script has no more answers",
  async run(mode, { warden, replies, tools, system, options }) {
    const ran = await guarded(
      mode as Mode,
      replies.map(answerOf),
      { warden, sessionId, ...options },
      {
        tools: tools.map(({ name, execute }) =>
          tool({
            name,
            description: "",
            parameters: z.object({ path: z.string() }),
            // An error of a tool is an error, and not a text for the model.
            errorFunction: null,
            execute: async (input) => execute(input),
          }),
        ),
        ...(system === undefined ? {} : { instructions: system }),
      },
    );
    const { agent, model } = ran;
    return {
      ...ran,
      get requests() {
        return model.requests.length;
      },
      asked: (index) => model.asked(index),
      answer: (approves) => {
        const [interruption] = ran.state?.getInterruptions() ?? [];
        if (!interruption || !ran.state) throw new Error("the run was not interrupted");
        if (approves) ran.state.approve(interruption);
        else ran.state.reject(interruption);
        return run(mode as Mode, agent, ran.state);
      },
      next: async (prompt) => {
        const conversation = [
          { role: "user", content: "my prompt" },
          message(ran.text),
          { role: "user", content: prompt },
        ];
        await run(mode as Mode, agent, conversation as never);
      },
    };
  },
};

function answerOf(reply: Reply): Answer {
  if (typeof reply === "string") return reply;
  const { says, calls } = reply;
  return [
    ...(says === undefined ? [] : [message(says)]),
    ...calls.map(({ name, input, id }) => call(name, input, id)),
  ];
}
