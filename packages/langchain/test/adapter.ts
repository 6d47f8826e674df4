import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { Command } from "@langchain/langgraph";
import { tool } from "langchain";
import { z } from "zod";
import type { Adapter, Reply } from "../../../test/adapters/contract/adapter.ts";
import { type Answer, call, type Mode, modes, run } from "./agent.ts";

const thread = { configurable: { thread_id: "t-1" } };

/** What the contract needs of this package. */
export const adapter: Adapter = {
  modes,
  streaming: ["stream", "streamEvents"],
  sessionId: "t-1",
  forbiddenParams: ["headers"],
  endsAtErrors: false,
  textAfterDrop: "good  end",
  noReply: "FakeModel: no response queued for invocation 0 (0 total queued).",
  async run(mode, { warden, replies, tools, system, options }) {
    const ran = await run(
      mode as Mode,
      replies.map(answerOf),
      { warden, ...options },
      {
        tools: tools.map(({ name, execute }) =>
          tool(async (input: { path: string }) => execute(input), {
            name,
            description: "",
            schema: z.object({ path: z.string() }),
          }),
        ),
        ...(system === undefined ? {} : { systemPrompt: system }),
      },
    );
    const { agent, model } = ran;
    return {
      ...ran,
      // Ids of runs are random hexadecimal digits, in which `abcd` is found now and then.
      shown: ran.shown.replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, ""),
      get requests() {
        return model.calls.length;
      },
      asked: (index) => model.asked(index),
      answer: async (approved) => {
        const { messages }: { messages: BaseMessage[] } = await agent.invoke(
          new Command({ resume: { approved } }),
          thread,
        );
        return { text: messages.at(-1)?.text ?? "" };
      },
      next: async (prompt) => void (await agent.invoke({ messages: [new HumanMessage(prompt)] }, thread)),
    };
  },
};

function answerOf(reply: Reply): Answer {
  if (typeof reply === "string") return reply;
  const { says, calls } = reply;
  return new AIMessage({
    content: says ?? "",
    tool_calls: calls.map(({ name, input, id }) => call(name, input as object, id)),
  });
}
