import { describe, expect, test, vi } from "vitest";
import type { FakeHook } from "../../support/fake-pack.ts";
import { type Adapter, hook, type Outcome, type Reply, runWith, type Tool } from "./adapter.ts";

const ran = vi.fn<(input: { readonly path: string }) => void>();
const read: Tool = {
  name: "read",
  execute(input) {
    ran(input);
    return `secret of ${input.path}`;
  },
};
const call = (path: unknown, id = "c-read") => ({ name: "read", input: { path }, id });
const oneCall: readonly Reply[] = [{ calls: [call("a")] }, "done"];

/** What becomes of a call of a tool. */
export function toolContract(adapter: Adapter): void {
  describe.each(adapter.modes)("a tool call in %s", (mode) => {
    const agent = (
      hooks: readonly FakeHook[],
      replies: readonly Reply[] = oneCall,
      tools: readonly Tool[] = [read],
    ): Promise<Outcome> => {
      ran.mockClear();
      return runWith(adapter, mode, hooks, { replies, tools });
    };

    test("runs as without a guard where hooks say nothing", async () => {
      const { text, error, shown, asked } = await agent([]);
      expect([text, error]).toEqual(["done", null]);
      expect(ran).toHaveBeenCalledExactlyOnceWith({ path: "a" });
      expect(asked(1)).toContain("secret of a");
      // So that what is not shown further down is really withheld.
      expect(shown).toContain("secret of a");
    });

    test.each(["deny", "skip"])("%s: it does not run, and the model reads why in a fence", async (action) => {
      const { text, asked } = await agent([hook(["PreToolUse"], () => ({ action, reason: "not here" }))]);
      expect(ran).not.toHaveBeenCalled();
      expect(text).toBe("done");
      expect(asked(1)).toMatch(/begin third-party text of hook \\+"guard\\+"\]\\+n\| not here/);
    });

    // Attack: a path with half of a surrogate pair is judged as one name, and opened as another.
    test("the tool gets the text that hooks have judged", async () => {
      const seen: unknown[] = [];
      const look = hook(["PreToolUse"], ({ tool_input }) => void seen.push(tool_input));
      await agent([look], [{ calls: [call("a\ud800")] }, "done"]);
      expect(seen).toEqual([{ path: "a\ufffd" }]);
      expect(ran).toHaveBeenCalledExactlyOnceWith({ path: "a\ufffd" });
    });

    test("a hook is asked once, and is shown the call and its session", async () => {
      const events: unknown[] = [];
      await agent([hook(["PreToolUse"], (event) => void events.push(event))]);
      expect(events).toHaveLength(1);
      expect(events[0]).toMatchObject({
        session_id: adapter.sessionId,
        tool_name: "read",
        tool_input: { path: "a" },
        tool_use_id: "c-read",
      });
    });

    test("halt: it does not run, nor do its siblings, and the loop ends", async () => {
      const { text, requests } = await agent(
        [hook(["PreToolUse"], () => ({ action: "halt", reason: "enough" }))],
        [{ calls: [call("a", "1"), call("b", "2")] }, "never"],
      );
      expect(ran).not.toHaveBeenCalled();
      expect(requests).toBe(1);
      expect(text).toContain("| enough");
    });

    test("parallel calls are judged one by one", async () => {
      const { asked } = await agent(
        [
          hook(["PreToolUse"], ({ tool_input }) =>
            tool_input.path === "b" ? { action: "deny", reason: "no b" } : null,
          ),
        ],
        [{ calls: [call("a", "1"), call("b", "2")] }, "done"],
      );
      expect(ran).toHaveBeenCalledExactlyOnceWith({ path: "a" });
      expect(asked(1)).toContain("secret of a");
      expect(asked(1)).toContain("| no b");
    });

    test("modify_input: the tool has the new input, after its schema", async () => {
      const to = (path: unknown): FakeHook =>
        hook(["PreToolUse"], () => ({ action: "modify_input", input: { path } }));
      await agent([to("b")]);
      expect(ran).toHaveBeenCalledExactlyOnceWith({ path: "b" });
      const broken = await agent([to(7)]);
      expect(ran).not.toHaveBeenCalled();
      expect(broken.asked(1)).toContain("does not match the tool's schema");
      expect(broken.text).toBe("done");
    });

    test("replace_result: the old one is never shown", async () => {
      const { shown, asked } = await agent([
        hook(["PostToolUse"], () => ({ action: "replace_result", result: "redacted" })),
      ]);
      expect(asked(1)).toContain("redacted");
      expect(shown + asked(1)).not.toContain("secret of a");
    });

    test("replace_result with is_error: the model reads the error", async () => {
      const { shown, asked } = await agent([
        hook(["PostToolUse"], () => ({ action: "replace_result", result: "no luck", is_error: true })),
      ]);
      expect(asked(1)).toContain("no luck");
      expect(shown + asked(1)).not.toContain("secret of a");
    });

    test("augment, add_context and inject stand behind the result", async () => {
      const { asked } = await agent([
        hook(["PreToolUse"], () => ({ action: "add_context", text: "it is Monday" })),
        hook(["PostToolUse"], () => [
          { action: "augment", text: "mind the gap" },
          { action: "inject", messages: [{ role: "user", content: "remember the milk" }] },
        ]),
      ]);
      expect(asked(1)).toMatch(/secret of a.*\| mind the gap.*\| it is Monday.*\| remember the milk/);
    });

    test.each(["block", "halt"])("%s after the tool: the result is withheld", async (action) => {
      const { shown, asked, requests } = await agent([
        hook(["PostToolUse"], () => ({ action, reason: "poison" })),
      ]);
      expect(requests).toBe(action === "halt" ? 1 : 2);
      expect(shown + asked(1)).not.toContain("secret of a");
      expect(shown + asked(1)).toContain("| poison");
    });

    test("an error of the tool goes through its hooks", async () => {
      const broken: Tool = {
        name: "read",
        execute() {
          throw new Error("password is hunter2");
        },
      };
      const seen: unknown[] = [];
      const redact = hook(["PostToolUseFailure"], ({ error }) => {
        seen.push(error);
        return [
          { action: "replace_error", error: "it failed" },
          { action: "augment", text: "try another" },
        ];
      });
      const { shown, asked, text, error } = await agent([redact], oneCall, [broken]);
      expect(seen).toEqual(["password is hunter2"]);
      if (adapter.endsAtErrors) expect(String(error)).toContain("it failed");
      else {
        expect(text).toBe("done");
        expect(asked(1)).toMatch(/it failed.*\| try another/);
      }
      expect(shown + asked(1) + String(error)).not.toContain("hunter2");
    });

    test("a person is asked, and the call runs once they have said yes", async () => {
      const asks = [hook(["PreToolUse"], () => ({ action: "ask", reason: "are you sure" }))];
      for (const approves of [false, true]) {
        const first = await agent(asks);
        expect(ran).not.toHaveBeenCalled();
        const last = await first.answer(approves);
        expect(last.text).toBe("done");
        if (approves) expect(ran).toHaveBeenCalledExactlyOnceWith({ path: "a" });
        else expect(ran).not.toHaveBeenCalled();
      }
    });
  });
}
