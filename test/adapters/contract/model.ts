import { describe, expect, test } from "vitest";
import type { FakeHook } from "../../support/fake-pack.ts";
import { type Adapter, hook, type Outcome, type Reply, runWith, type Setup } from "./adapter.ts";

/** What becomes of prompts, requests to the model and its answers. */
export function modelContract(adapter: Adapter): void {
  describe.each(adapter.modes)("a model in %s", (mode) => {
    const agent = (
      hooks: readonly FakeHook[],
      replies: readonly Reply[],
      setup: Partial<Setup> = {},
    ): Promise<Outcome> => runWith(adapter, mode, hooks, { replies, ...setup });

    test.each(["block", "halt"])("PreModelRequest %s: the request is not made", async (action) => {
      const { requests, text, error } = await agent(
        [hook(["PreModelRequest"], () => ({ action, reason: "no budget" }))],
        ["never"],
      );
      expect([requests, error]).toEqual([0, null]);
      expect(text).toMatch(/third-party text of hook "guard"]\n\| no budget/);
    });

    test("the request is rewritten: messages, system prompt, added context", async () => {
      const rewrite = hook(["PreModelRequest"], (event) => [
        {
          action: "replace_messages",
          messages: [{ role: "user", content: `was ${event.messages.length}` }],
        },
        { action: "replace_system", system: `${event.system}, and short` },
        { action: "add_context", text: "it rains" },
        { action: "inject", messages: [{ role: "user", content: "one more" }] },
      ]);
      const { asked, error } = await agent([rewrite], ["done"], { system: "be kind" });
      expect(error).toBeNull();
      expect(asked(0)).toMatch(/be kind, and short.*was 1.*\| one more.*\| it rains/);
      expect(asked(0)).not.toContain("my prompt");
    });

    // A parameter is a way to the provider: headers hold keys, and provider options can turn on its own tools.
    test.each(adapter.forbiddenParams)("a hook that sets %s ends the request", async (name) => {
      const { requests, error } = await agent(
        [hook(["PreModelRequest"], () => ({ action: "set_params", params: { [name]: {} } }))],
        ["never"],
      );
      expect(requests).toBe(0);
      expect(String(error)).toContain("may not set");
    });

    test("PreModelRequest retry: the step is done again with the feedback, a bounded number of times", async () => {
      let asked = 0;
      const once = await agent(
        [hook(["PreModelRequest"], () => (asked++ === 0 ? { action: "retry", feedback: "be brief" } : null))],
        ["done"],
      );
      expect(once.asked(0)).toContain("| be brief");
      const always = await agent(
        [hook(["PreModelRequest"], () => ({ action: "retry", feedback: "again" }))],
        ["done"],
      );
      expect(always.requests).toBeLessThanOrEqual(1);
    });

    test("PostModelResponse replace_response: the old answer is never shown", async () => {
      const clean = hook(["PostModelResponse"], ({ message }) => ({
        action: "replace_response",
        message: JSON.parse(JSON.stringify(message).replaceAll("the old secret", "clean")),
      }));
      const { text, shown } = await agent([clean], ["the old secret"]);
      expect(text).toBe("clean");
      expect(shown).not.toMatch(/secret|"the o|ld se/);
      const open = await agent([], ["the old secret"]);
      // Whole, or in pieces.
      expect(open.shown).toMatch(/the old secret|"the o"/);
    });

    test("PostModelResponse block: the answer is withheld, and its calls with it", async () => {
      const { text, shown, requests } = await agent(
        [hook(["PostModelResponse"], () => ({ action: "block", reason: "rude" }))],
        [{ says: "the secret", calls: [{ name: "ghost", input: {}, id: "c-ghost" }] }, "never"],
      );
      expect(text).toContain("| rude");
      expect(shown).not.toMatch(/secret|ghost/);
      expect(requests).toBe(1);
    });

    test("PostModelResponse retry: the model answers again, knowing why; the first answer is never seen", async () => {
      const { text, shown, asked, requests } = await agent(
        [
          hook(["PostModelResponse"], ({ message }) =>
            JSON.stringify(message).includes("rude") ? { action: "retry", feedback: "be kind" } : null,
          ),
        ],
        ["rude answer", "kind answer"],
      );
      expect([text, requests]).toEqual(["kind answer", 2]);
      expect(shown).not.toMatch(/rude|ude a/);
      expect(asked(1)).toMatch(/rude answer.*\| be kind/);
    });

    test("Stop retry: the agent goes on once with the feedback", async () => {
      const { asked, requests, shown } = await agent(
        [
          hook(["Stop"], ({ stop_hook_active }) =>
            stop_hook_active ? null : { action: "retry", feedback: "run the tests" },
          ),
        ],
        ["all done", "tests pass"],
      );
      expect(requests).toBe(2);
      expect(asked(1)).toMatch(/all done.*\| run the tests/);
      expect(shown).toContain("pass");
    });

    // The host may keep the conversation as it was written, and send it again with each turn.
    test("UserPromptSubmit: a prompt is rewritten, in later turns too, or not sent", async () => {
      const rewritten = await agent(
        [
          hook(["UserPromptSubmit"], ({ prompt }) =>
            prompt.includes("my")
              ? [
                  { action: "transform", prompt: prompt.replace("my", "your") },
                  { action: "add_context", text: "a Monday" },
                ]
              : null,
          ),
        ],
        ["done", "again"],
      );
      expect(rewritten.asked(0)).toMatch(/your prompt.*\| a Monday/);
      await rewritten.next("go on");
      expect(rewritten.asked(1)).toMatch(/your prompt.*go on/);
      expect(rewritten.asked(0) + rewritten.asked(1)).not.toContain("my prompt");
      const blocked = await agent(
        [hook(["UserPromptSubmit"], () => ({ action: "block", reason: "a key" }))],
        ["never"],
      );
      expect([blocked.requests, blocked.error]).toEqual([0, null]);
      expect(blocked.text).toContain("| a key");
    });

    test("a failed request is reported, and fails as without a guard", async () => {
      const events: string[] = [];
      const { error } = await agent(
        [hook(["ModelRequestFailure"], (event) => void events.push(event.error))],
        [],
      );
      expect(String(error)).toContain(adapter.noReply);
      expect(events).toEqual([adapter.noReply]);
    });

    test("notes for the person reach the person, and not the model", async () => {
      const notices: string[] = [];
      const { asked } = await agent(
        [hook(["PreModelRequest"], () => ({ action: "notify", text: "psst" }))],
        ["done"],
        { options: { onNotice: ({ text }) => void notices.push(text) } },
      );
      expect(notices).toEqual(["psst"]);
      expect(asked(0)).not.toContain("psst");
    });
  });
}
