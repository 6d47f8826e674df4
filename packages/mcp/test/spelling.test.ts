import { PassThrough } from "node:stream";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { envelopeMembers, foldCase, protocolMembers } from "../src/spelling.ts";
import { StreamTransport } from "../src/stdio.ts";
import { type Message, result, settled, text, wire } from "./wire.ts";
import { propertyRuns } from "../../../test/support/property-runs.ts";

/** Go's `encoding/json` and .NET's web defaults match members without regard to case, and the last one wins. */

/** Another spelling of a name, letter by letter; `s` and `k` have a third one each in Unicode. */
const misspelt = (name: string): fc.Arbitrary<string> =>
  fc
    .tuple(
      ...[...name].map((letter) =>
        fc.constantFrom(
          letter,
          letter.toUpperCase(),
          letter.toLowerCase(),
          ...(letter === "s" ? ["\u017f"] : letter === "k" ? ["\u212a"] : []),
        ),
      ),
    )
    .map((letters) => letters.join(""))
    .filter((other) => other !== name);

const seed = 20_261_122;

test("folding takes for one what the simple case folding of Unicode does", () => {
  const cased: string[] = [];
  for (let code = 0; code <= 0x10ffff; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const letter = String.fromCodePoint(code);
    if (/[\p{Changes_When_Casemapped}\p{Changes_When_Casefolded}]/u.test(letter)) cased.push(letter);
  }
  expect(cased.length).toBeGreaterThan(2_500);
  const all = cased.join("");
  const missed = cased.filter((letter) =>
    (all.match(new RegExp(letter, "giu")) ?? []).some((other) => foldCase(other) !== foldCase(letter)),
  );
  expect(missed).toEqual([]);
  expect(foldCase("\u017fu\u212ae")).toBe(foldCase("suke"));
});

// {"method":"ping","Method":"tools/call"}: the proxy passes a ping, and the server runs a tool.
test("a member of JSON-RPC in another case goes nowhere, from either side", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...envelopeMembers).chain(misspelt),
      fc.constantFrom("client" as const, "server" as const),
      async (member, side) => {
        await using w = await wire([]);
        const call = { jsonrpc: "2.0", id: 1, method: "ping", [member]: "tools/call" };
        w[side].say(call);
        w[side].say({ jsonrpc: "2.0", method: "notifications/initialized", [member]: "tools/call" });
        await settled();
        const other = side === "client" ? w.server : w.client;
        expect(other.got).toEqual([]);
        expect(w.problems.join("\n")).toMatch(/only in case/);
      },
    ),
    { numRuns: propertyRuns(20), seed },
  );
});

// {"name":"list","Name":"delete_all"}: hooks see `list`, and the server runs `delete_all`.
test("a name of the protocol in another case is refused in parameters, and in results", async () => {
  const names = [...protocolMembers].filter((name) => name !== "_meta");
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...names).chain(misspelt), async (member) => {
      await using w = await wire([]);
      w.call(1, { name: "list", arguments: {}, [member]: "delete_all" });
      expect(await w.client.nth(0)).toMatchObject({ id: 1, error: { code: -32600 } });
      expect(w.server.got).toEqual([]);
      w.call(2, { name: "list", arguments: {} });
      await w.server.nth(0);
      w.server.say(result(2, { content: [{ type: "text", text: "a", [member]: "b" }] }));
      expect(await w.client.nth(1)).toMatchObject({ id: 2, error: { code: -32000 } });
    }),
    { numRuns: propertyRuns(20), seed },
  );
});

// {"path":"/tmp/ok","Path":"/etc/shadow"}: a model alone can send this. A hook that reads `path` sees one of the two.
describe("two names in an input that differ only in case", () => {
  const nested = (pair: object): fc.Arbitrary<unknown> =>
    fc
      .constantFrom<(inner: unknown) => unknown>(
        (inner) => inner,
        (inner) => ({ deep: inner }),
        (inner) => ({ list: [1, { deeper: [inner] }] }),
      )
      .map((wrap) => wrap(pair));
  const key = fc.stringMatching(/^[a-zA-Z_]*[ska-c][a-zA-Z]{0,5}$/);
  const twins = key.chain((name) =>
    misspelt(name).chain((other) => nested({ [name]: "/tmp/ok", [other]: "/etc/shadow" })),
  );

  test("are refused at every level, and the server never hears of the call", async () => {
    await fc.assert(
      fc.asyncProperty(twins, async (input) => {
        await using w = await wire([]);
        w.call(1, { name: "read", arguments: input });
        const { result: got } = await w.client.nth(0);
        expect(got.isError).toBe(true);
        expect(got.content[0].text).toMatch(/differ only in case/);
        expect(w.server.got).toEqual([]);
      }),
      { numRuns: propertyRuns(20), seed },
    );
  });

  test("are fine in different objects, in structured results, and where they differ in more", async () => {
    await using w = await wire([]);
    w.call(1, { name: "read", arguments: { a: { path: 1 }, b: { Path: 2 }, paths: 3 } });
    await w.server.nth(0);
    const answer = result(1, { ...text("a"), structuredContent: { Name: 1, name: 2, NAME: { URL: 1 } } });
    w.server.say(answer);
    expect(await w.client.nth(0)).toBe(answer);
  });

  test("decline an elicitation", async () => {
    await using w = await wire([]);
    const params = { message: "a", requestedSchema: { type: "object", properties: { a: {}, A: {} } } };
    w.server.say({ jsonrpc: "2.0", id: "e", method: "elicitation/create", params });
    expect(await w.server.nth(0)).toEqual(result("e", { action: "decline" }));
    expect(w.client.got).toEqual([]);
  });
});

test("what a person fills into a form keeps the names that the form gave", async () => {
  await using w = await wire([]);
  const properties = { URL: { type: "string" }, Name: { type: "string" } };
  const params = { message: "a", requestedSchema: { type: "object", properties } };
  w.server.say({ jsonrpc: "2.0", id: "e", method: "elicitation/create", params });
  await w.client.nth(0);
  const answer = result("e", { action: "accept", content: { URL: "x", Name: "y" } });
  w.client.say(answer);
  expect(await w.server.nth(0)).toBe(answer);
});

test.each(["Tools/Call", "TOOLS/LIST", "notification\u017f/initialized", "Notifications/Message"])(
  "a method in another case is refused: %s",
  async (method) => {
    await using w = await wire([]);
    w.call(1, { name: "x" }, method);
    w.client.say({ jsonrpc: "2.0", method, params: { data: "x" } });
    await w.client.nth(0);
    await settled();
    expect(w.server.got).toEqual([]);
  },
);

/** What a line becomes that the proxy reads, and whether it goes on as it came. */
async function relayed(
  line: string,
): Promise<{ read: Message | undefined; written: string; refused: boolean }> {
  const input = new PassThrough();
  const output = new PassThrough();
  const transport = new StreamTransport(input, output, 1_000_000);
  let read: Message | undefined;
  let refused = false;
  transport.onmessage = (message) => void (read = message as Message);
  transport.onrefused = () => void (refused = true);
  await transport.start();
  input.write(`${line}\n`);
  await settled();
  if (read) await transport.send(read as never);
  await transport.close();
  return { read, written: String(output.read() ?? "").trimEnd(), refused };
}

// "/data/caf\udcc3\udca9": Python opens the bytes C3 A9 for it, and the hook has judged two replacement characters.
describe("half a character", () => {
  const unit = fc.oneof(fc.integer({ min: 0xd7f0, max: 0xe010 }), fc.integer({ min: 0x20, max: 0x7e }));
  const spelt = fc.array(fc.tuple(unit, fc.boolean()), { maxLength: 12 }).map((units) =>
    units
      .map(([code, upper]) => {
        if (code < 0x7f && code !== 0x22) return code === 0x5c ? "\\\\" : String.fromCharCode(code);
        const hex = code.toString(16).padStart(4, "0");
        return `\\u${upper ? hex.toUpperCase() : hex}`;
      })
      .join(""),
  );

  test("is the same for hooks and for the server, in whatever message", async () => {
    await fc.assert(
      fc.asyncProperty(spelt, async (written) => {
        const line = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"p":"${written}"}}}`;
        const { read, written: out } = await relayed(line);
        expect(JSON.parse(out)).toEqual(JSON.parse(JSON.stringify(read)));
        const whole = (JSON.parse(line) as Message)["params"].arguments.p.isWellFormed();
        expect(out === line).toBe(whole);
      }),
      { numRuns: propertyRuns(60), seed },
    );
  });

  test("refuses the message where a number could not be written anew", async () => {
    const { read, refused } = await relayed(
      '{"jsonrpc":"2.0","id":1,"result":{"a":"\\ud800","n":12345678901234567890}}',
    );
    expect([read, refused]).toEqual([undefined, true]);
  });

  test("is replaced in what a transport hands over as objects, and refused in a key", async () => {
    const seen: unknown[] = [];
    await using w = await wire([{ name: "see", run: ({ tool_input }) => void seen.push(tool_input) }]);
    w.call(1, { name: "read", arguments: { path: "/a\ud800" } });
    expect((await w.server.nth(0))["params"].arguments).toEqual({ path: "/a\ufffd" });
    expect(seen).toEqual([{ path: "/a\ufffd" }]);
    w.call(2, { name: "read", arguments: { "\ud800": 1 } });
    await w.client.nth(0);
    expect(w.server.got).toHaveLength(1);
  });
});

test.each(["12345678901234567890", "0.12345678901234567890123", "1e-400", "1.00000000000000000000001"])(
  "a number that is another one as a double is refused in a call: %s",
  async (number) => {
    const { losesNumbers } = await import("../src/message.ts");
    expect(losesNumbers(`{"n":${number}}`)).toBe(true);
  },
);

test.each([
  "1e300",
  "0.1",
  "0.30000000000000004",
  "1.7976931348623157e308",
  "0.0000000000000000000001",
  "0e5",
])("a number that programs write is passed on: %s", async (number) => {
  const { losesNumbers } = await import("../src/message.ts");
  expect(losesNumbers(`{"n":${number}}`)).toBe(false);
});
