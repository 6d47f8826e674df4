import { expect } from "vitest";
import { conformance, errorOf, type RuleHook } from "../harness.ts";

/** The rules of Agentix's module of hooks, one test each. The titles name the section of its documentation. */

const turn = { model: "m", messages: [{ role: "user", content: "hi" }], reserve: 100 };
const pre = { phase: "pre", turn };
const post = { phase: "post", turn: { ...turn, assistant_message: { role: "assistant", content: "hello" } } };

const injects = (name: string, text: string, more: Partial<RuleHook> = {}): RuleHook => ({
  name,
  on: "PreModelRequest",
  returns: { action: "inject", messages: [{ role: "user", content: text }] },
  ...more,
});
const parallel = { mode: "parallel" } as const;
const texts = (answer: any): string[] => answer.cont.injections.map((part: { text: string }) => part.text);

conformance("agentix", ({ rule }) => {
  rule(
    ":pre phase: a hook sees the assembled turn before the model does, with what the turn has of its own",
    [
      {
        name: "sees",
        on: "PreModelRequest",
        reads: ["*", "turn.reserve"],
        does: `({ model, messages, turn }) => ({ action: "inject", messages: [{ role: "user", content: [model, messages[0].content, turn.reserve].join() }] })`,
      },
    ],
    async ({ say }) => {
      const answer = await say(pre);
      expect(answer.cont).toMatchObject(turn);
      expect(texts(answer)).toEqual(["m,hi,100"]);
    },
  );

  rule(
    ":pre phase: a hook in the chain can transform the turn, and the next one sees what it made of it",
    [
      {
        name: "trims",
        on: "PreModelRequest",
        does: `({ messages }) => [{ action: "replace_messages", messages: messages.concat({ role: "user", content: "more" }) }, { action: "replace_system", system: "be brief" }]`,
      },
      {
        name: "looks",
        on: "PreModelRequest",
        does: `({ messages, system }) => ({ action: "set_params", params: { seen: messages.length, system } })`,
      },
    ],
    async ({ say }) => {
      expect((await say(pre)).cont).toEqual({
        ...turn,
        messages: [...turn.messages, { role: "user", content: "more" }],
        system: "be brief",
        params: { seen: 2, system: "be brief" },
        injections: [],
      });
    },
  );

  rule(
    ":pre phase: a halt ends the rest of the pipeline, and the turn does not reach the model",
    [
      injects("before", "lost"),
      { name: "halts", on: "PreModelRequest", returns: { action: "halt", reason: "not today" } },
      injects("after", "never"),
      injects("beside", "never", parallel),
    ],
    async (host) => {
      expect(await host.say(pre)).toEqual({ halt: "not today" });
      expect(host.ran).toEqual(["before discarded", "halts honoured"]);
    },
  );

  rule(
    ":pre phase: parallel hooks run after the whole chain, in whatever order they were declared, and append at the tail",
    [
      injects("p1", "one", parallel),
      injects("chain", "zero"),
      injects("p2", "two", parallel),
      {
        name: "late",
        on: "PreModelRequest",
        does: `({ messages }) => ({ action: "replace_messages", messages: messages.slice(1) })`,
      },
      injects("p3", "three", {
        ...parallel,
        returns: undefined,
        does: `({ messages }) => ({ action: "add_context", text: "saw " + messages.length })`,
      }),
    ],
    async (host) => {
      expect(texts(await host.say(pre))).toEqual(["zero", "one", "two", "saw 0"]);
      expect(host.ran.map((line) => line.split(" ")[0])).toEqual(["chain", "late", "p1", "p2", "p3"]);
    },
  );

  rule(
    ":pre phase: parallel parts stand in declared order whichever hook ends first",
    [
      injects("slow", "slow", {
        ...parallel,
        does: `() => { for (let i = 0; i < 50000; i++); return { action: "inject", messages: [{ role: "user", content: "slow" }] }; }`,
      }),
      injects("fast", "fast", parallel),
    ],
    async ({ say }) => {
      for (let round = 0; round < 5; round++) expect(texts(await say(pre))).toEqual(["slow", "fast"]);
    },
  );

  rule(
    "parallel_result: a parallel hook only appends; one that tries to halt has failed, and the others stand",
    [
      injects("p1", "one", parallel),
      {
        name: "mutinous",
        on: "PreModelRequest",
        mode: "parallel",
        returns: { action: "halt", reason: "all stop" },
      },
      injects("p2", "two", parallel),
    ],
    async (host) => {
      expect(texts(await host.say(pre))).toEqual(["one", "two"]);
      expect(host.last.trace[1]).toMatchObject({ hook: "mutinous", fault: { code: "illegal-action" } });
    },
  );

  rule(
    ":post phase: hooks run when the assistant's message is final, see it, and pass the turn on",
    [
      {
        name: "tags",
        on: "PostModelResponse",
        does: `({ message }) => ({ action: "replace_response", message: { ...message, content: message.content + "!" } })`,
      },
      { name: "notes", on: "PostModelResponse", returns: { action: "notify", text: "done" } },
    ],
    async (host) => {
      expect(await host.say(post)).toEqual({
        cont: { ...turn, assistant_message: { role: "assistant", content: "hello!" } },
      });
      expect(host.last.additions.notices).toHaveLength(1);
    },
  );

  rule(
    ":post phase: a hook can halt",
    [{ name: "halts", on: "PostModelResponse", returns: { action: "halt", reason: "enough" } }],
    async ({ say }) => expect(await say(post)).toEqual({ halt: "enough" }),
  );

  rule(
    "Injection budget: what passes the reserve halts the turn and names the hook, whatever its failure policy",
    [
      injects("modest", "12345"),
      injects("greedy", "1234567890", { onFailure: "open" }),
      injects("last", "1"),
    ],
    async ({ say }) => expect(await say(pre)).toEqual({ halt: { injection_overflow: "greedy" } }),
    {
      budgets: { injectionBytes: 12 },
      grants: Object.fromEntries(
        ["modest", "greedy", "last"].map((name) => [name, { onFailure: "open" as const }]),
      ),
    },
  );

  rule(
    "Injection budget: parallel hooks draw on the reserve in declared order, and an overflow names the one that passed it",
    [
      injects("chain", "1234"),
      injects("p1", "1234", parallel),
      injects("p2", "12345", parallel),
      injects("p3", "1", parallel),
    ],
    async ({ say }) => expect(await say(pre)).toEqual({ halt: { injection_overflow: "p2" } }),
    { budgets: { injectionBytes: 12 } },
  );

  rule(
    "Injection budget: what just fits is whole",
    [injects("a", "123456"), injects("b", "ééé")],
    async ({ say }) => expect(texts(await say(pre))).toEqual(["123456", "ééé"]),
    { budgets: { injectionBytes: 12 } },
  );

  rule(
    "durable?: the flag belongs to the contract and comes with each part; without it, a part is transient",
    [
      {
        name: "keeps",
        on: "PreModelRequest",
        returns: { action: "inject", messages: [{ role: "user", content: "k" }], durable: true },
      },
      injects("passes", "p"),
    ],
    async ({ say }) => {
      const { injections } = (await say(pre)).cont;
      expect(injections.map(({ durable }: { durable: boolean }) => durable)).toEqual([true, false]);
    },
  );

  rule(
    "Trust boundary: parts are handed over as they are, without a fence, and each names its author",
    [injects("rag", "<doc>retrieved</doc>")],
    async ({ say }) => {
      expect((await say(pre)).cont.injections).toEqual([
        { type: "text", text: "<doc>retrieved</doc>", durable: false, hook: "rag", trust: "third-party" },
      ]);
    },
  );

  rule(
    "inject/2: parts are appended to what is pending, one or a list of them, in order",
    [
      {
        name: "list",
        on: "PreModelRequest",
        returns: { action: "inject", messages: ["b", "c"].map((content) => ({ role: "user", content })) },
      },
      injects("one", "d"),
    ],
    async ({ say }) => {
      const pending = { ...pre, turn: { ...turn, injections: [{ type: "text", text: "a" }] } };
      expect(texts(await say(pending))).toEqual(["a", "b", "c", "d"]);
    },
  );

  rule(
    "sequential_result: a hook in the chain that crashes, or returns what is no return, halts the turn",
    [
      {
        name: "ready",
        on: "PreModelRequest",
        does: `({ messages }) => { if (messages.length) throw new Error("boom"); return { ok: 1 }; }`,
        actions: ["inject"],
      },
    ],
    async (host) => {
      expect((await host.say(pre)).halt).toContain("ready");
      expect(host.last.trace[0]?.fault?.code).toBe("threw");
      expect((await host.say({ ...pre, turn: { model: "m", messages: [] } })).halt).toContain("ready");
      expect(host.last.trace[0]?.fault?.code).toBe("invalid-output");
    },
  );

  rule(
    "parallel_result: a parallel hook that crashes is left out, and the turn goes on",
    [
      {
        name: "crashes",
        on: "PreModelRequest",
        mode: "parallel",
        does: `() => { throw new Error("boom"); }`,
      },
      injects("p", "p", parallel),
    ],
    async ({ say }) => expect(texts(await say(pre))).toEqual(["p"]),
  );

  rule(
    ":post phase: a crash is noted, and the turn goes on",
    [{ name: "crashes", on: "PostModelResponse", does: `() => { throw new Error("boom"); }` }],
    async (host) => {
      expect(await host.say(post)).toEqual({ cont: post.turn });
      expect(host.last.trace[0]?.fault?.code).toBe("threw");
    },
  );

  rule("transform_chunk/2: without a transformer a chunk stays what it is", [], async ({ say }) => {
    expect(await say({ phase: "chunk", chunk: "hel" })).toEqual({ chunk: "hel" });
    expect(await say({ phase: "chunk", chunk: { type: "text", text: "lo" } })).toEqual({
      chunk: { type: "text", text: "lo" },
    });
  });

  rule(
    "transform_chunk/2: a transformer makes a chunk of a chunk",
    [
      {
        name: "shouts",
        on: "ModelResponseChunk",
        does: `({ chunk }) => ({ action: "replace_chunk", chunk: chunk.toUpperCase() })`,
      },
    ],
    async ({ say }) => expect(await say({ phase: "chunk", chunk: "hel" })).toEqual({ chunk: "HEL" }),
  );

  for (const [what, returns] of [
    ["a number", 7],
    ["a bare text", "HEL"],
    ["a chunk that is none", { action: "replace_chunk", chunk: 7 }],
    ["another action", { action: "replace_response", message: "x" }],
  ] as const) {
    rule(
      `transform_chunk/2: ${what} in place of a chunk drops the chunk`,
      [{ name: "odd", on: "ModelResponseChunk", returns }],
      async ({ say }) => expect(await say({ phase: "chunk", chunk: "hel" })).toEqual({ dropped: true }),
    );
  }

  rule(
    "transform_chunk/2: a transformer can drop a chunk",
    [{ name: "drops", on: "ModelResponseChunk", returns: { action: "drop_chunk" } }],
    async ({ say }) => expect(await say({ phase: "chunk", chunk: "hel" })).toEqual({ dropped: true }),
  );

  rule("new/1: an unknown phase is refused", [], async ({ say }) => {
    for (const phase of ["Pre", "stream", "", "toString"]) {
      expect((await errorOf(say({ ...pre, phase }))).code).toBe("event-unknown");
    }
    expect((await errorOf(say({ phase: "pre" }))).place.pointer).toBe("/turn");
    expect((await errorOf(say({ phase: "pre", turn: { model: "m" } }))).code).toBe("event-invalid");
  });
});
