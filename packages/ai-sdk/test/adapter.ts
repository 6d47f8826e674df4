import { tool, type ModelMessage } from "ai";
import { z } from "zod";
import type { Adapter, Reply } from "../../../test/adapters/contract/adapter.ts";
import { guard } from "../src/index.ts";
import { type Answer, call, type Mode, modes, run, scripted, sent } from "./agent.ts";

const sessionId = "t-1";

/** What the contract needs of this package. */
export const adapter: Adapter = {
  modes,
  streaming: ["stream"],
  sessionId,
  forbiddenParams: ["headers", "providerOptions", "tools"],
  endsAtErrors: false,
  textAfterDrop: "good  end",
  noReply: "the script has no more answers",
  async run(mode, { warden, replies, tools, system, options }) {
    const model = scripted(replies.map(answerOf));
    const { settings } = guard({
      warden,
      model,
      sessionId,
      tools: Object.fromEntries(
        tools.map(({ name, execute }) => [
          name,
          tool({ inputSchema: z.object({ path: z.string() }), execute }),
        ]),
      ),
      ...options,
    });
    const go = (prompt: string | ModelMessage[]) =>
      run(mode as Mode, settings as never, prompt, system === undefined ? {} : { instructions: system });
    const ran = await go("my prompt");
    const said: ModelMessage = { role: "user", content: "my prompt" };
    return {
      ...ran,
      get requests() {
        return model.doGenerateCalls.length + model.doStreamCalls.length;
      },
      asked: (index) => sent(model, index),
      answer: (approved) => {
        const approvalId = /"approvalId":"([^"]+)"/.exec(JSON.stringify(ran.messages))?.[1] ?? "";
        const answer = { type: "tool-approval-response", approvalId, approved } as const;
        return go([said, ...ran.messages, { role: "tool", content: [answer] }]);
      },
      next: async (prompt) =>
        void (await go([said, { role: "assistant", content: ran.text }, { role: "user", content: prompt }])),
    };
  },
};

function answerOf(reply: Reply): Answer {
  if (typeof reply === "string") return reply.match(/.{1,5}/gs) ?? [reply];
  const { says, calls } = reply;
  return [
    ...(says === undefined ? [] : [{ type: "text" as const, text: says }]),
    ...calls.map(({ name, input, id }) => call(name, input, id)),
  ];
}
