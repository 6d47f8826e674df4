import { describe, expect, it } from "vitest";
import { acceptedFile, diffHtml, readAccepted } from "../../src/diff/index.ts";
import { commands, diff, guard, tiny } from "./packs.ts";

const recorded = commands("ls", "mkfs /dev/sda", "shred secret", "mkfs.ext4 /dev/sdb1 -L data", "echo hi");

describe("a guard that has lost a pattern", () => {
  it("names exactly the events that it no longer stops", async () => {
    const report = await diff(await tiny(guard("mkfs", "shred")), await tiny(guard("shred")), recorded);
    const places = report.loosenings.map(({ hook, what, event }) => [hook, what, event?.place]);
    expect(places).toEqual([
      ["guard", "PreToolUse: deny → continue", "events.jsonl:2"],
      ["guard", "PreToolUse: deny → continue", "events.jsonl:4"],
      [null, "PreToolUse: deny → continue", "events.jsonl:2"],
      [null, "PreToolUse: deny → continue", "events.jsonl:4"],
    ]);
    expect(report.newLoosenings).toBe(4);
    const group = report.groups.find(({ hook, kind }) => hook === "guard" && kind === "verdict");
    expect(group).toMatchObject({ count: 2, example: { old: "deny", new: "continue" } });
    expect(group?.example.event.place).toBe("events.jsonl:2");
  });

  it("is found out by neighbours where no recorded event has the pattern", async () => {
    const old = await tiny(guard("mkfs", "shred"));
    const next = await tiny(guard("shred"));
    const events = commands("ls -la", "echo hi");
    expect((await diff(old, next, events)).newLoosenings).toBe(0);
    const report = await diff(old, next, events, { explore: 30 });
    expect(report.newLoosenings).toBeGreaterThan(0);
    for (const { event } of report.loosenings) {
      expect(event?.origin).toBe("neighbour");
      expect(JSON.stringify(event?.fields)).toContain("mkfs");
    }
    const again = await diff(old, next, events, { explore: 30 });
    expect(again).toEqual(report);
  });

  it("is no loosening where it now stops more", async () => {
    const report = await diff(await tiny(guard("shred")), await tiny(guard("mkfs", "shred")), recorded);
    expect(report.loosenings).toEqual([]);
    expect(report.groups.map(({ change }) => change)).toContain("continue → deny");
  });

  it("passes when its loosenings are accepted, and only then", async () => {
    const old = await tiny(guard("mkfs", "shred"));
    const next = await tiny(guard("shred"));
    const file = JSON.parse(
      JSON.stringify(acceptedFile((await diff(old, next, recorded)).loosenings)),
    ) as object;
    const accepted = readAccepted(file, "accepted.json");
    expect((await diff(old, next, recorded, { accepted })).newLoosenings).toBe(0);
    const more = [...recorded, ...commands("", "", "", "", "", "mkfs /dev/sdc").slice(5)];
    expect((await diff(old, next, more, { accepted })).newLoosenings).toBe(2);
  });
});

describe("a guard whose condition has changed", () => {
  const when = (...names: string[]) => ({
    on: [{ event: "PreToolUse", when: { path: "facts.shell.commands.*.name", in: names } }],
  });

  it("is shown with the events that it no longer sees", async () => {
    const old = await tiny(guard("mkfs", "shred"), when("mkfs", "shred"));
    const next = await tiny(guard("mkfs", "shred"), when("shred"));
    const report = await diff(old, next, recorded);
    expect(report.powers).toMatchObject([
      {
        power: "reach",
        opens: true,
        what: 'at PreToolUse it runs when facts.shell.commands.*.name in ["shred"], and not when facts.shell.commands.*.name in ["mkfs","shred"]',
      },
    ]);
    const places = report.loosenings.flatMap(({ hook, event }) => (hook && event ? [event.place] : []));
    expect(places).toEqual(["events.jsonl:2"]);
  });

  it("is narrower with one, and wider without", async () => {
    const always = await tiny(guard("mkfs"), { on: [{ event: "PreToolUse" }] });
    const sometimes = await tiny(guard("mkfs"), when("shred"));
    const whats = async (...packs: [typeof always, typeof always]): Promise<unknown> =>
      (await diff(...packs, recorded)).powers.map(({ what, opens }) => [what.split(" facts")[0], opens]);
    expect(await whats(always, sometimes)).toEqual([["at PreToolUse it runs only when", true]]);
    expect(await whats(sometimes, always)).toEqual([
      ["at PreToolUse it runs always, and not only when", true],
    ]);
  });
});

describe("a version that behaves the same", () => {
  const commented = `// why\n${guard("mkfs").replace("const found", "/* a note */ const found")}\n// end`;

  it("gives nothing where only comments differ, run or not", async () => {
    const old = await tiny(guard("mkfs"));
    const next = await tiny(commented);
    for (const runSame of [false, true]) {
      const report = await diff(old, next, recorded, { runSame, explore: 20 });
      expect(report).toMatchObject({ groups: [], powers: [], loosenings: [], newLoosenings: 0 });
    }
  });

  it("agrees on chance and on state", async () => {
    const script = `export default (event, ctx) => [
  { action: "notify", text: String(Math.random()) },
  { action: "set_state", value: (ctx.state ?? 0) + 1 },
  ...(ctx.state > 1 ? [{ action: "deny", reason: "call " + ctx.state }] : []),
];`;
    const manifest = { actions: ["deny", "notify", "set_state"], state: { scope: "session", maxBytes: 64 } };
    const old = await tiny(script, manifest);
    const report = await diff(old, await tiny(`0;${script}`, manifest), recorded, { runSame: true });
    expect(report.groups.filter(({ kind }) => kind !== "steps" && kind !== "memory")).toEqual([]);
  });
});

describe("a new power", () => {
  it.each([
    ["an action", { actions: ["deny", "ask", "notify"] }, "asks for `notify`"],
    ["a field", { reads: ["tool_input.command", "cwd"] }, "reads `cwd`"],
    ["a limit", { limits: { wallMs: 6_000 } }, "limit `wallMs`: 5000 → 6000 milliseconds"],
    ["an event", { on: [{ event: "PreToolUse", matcher: "Bash" }, { event: "Stop" }] }, "listens at Stop"],
    [
      "a wider matcher",
      { on: [{ event: "PreToolUse", matcher: "Bash|Write" }] },
      "at PreToolUse it listens to more names (such as `Write`)",
    ],
    ["no more than watching", { mode: "monitor" }, "mode: sequential → monitor"],
  ])("is a loosening: %s", async (_, manifest, what) => {
    const report = await diff(await tiny(guard("mkfs")), await tiny(guard("mkfs"), manifest), commands("ls"));
    expect(report.loosenings.map((loosening) => [loosening.kind, loosening.what])).toContainEqual([
      "power",
      what,
    ]);
    expect(report.newLoosenings).toBeGreaterThan(0);
  });

  it("is a pack's grant to fail open", async () => {
    const grants = { grants: { guard: { onFailure: "open" } } };
    const manifest = { onFailure: "open" };
    const old = await tiny("export default () => { throw 1; }");
    const report = await diff(
      old,
      await tiny("export default () => { throw 1; }", manifest, grants),
      commands("ls"),
    );
    const said = report.loosenings.map(({ what }) => what);
    expect(said).toContain("a fault at PreToolUse: closed → open");
    expect(said).toContain("PreToolUse: deny → continue");
  });

  it("is none where a power is given back", async () => {
    const report = await diff(
      await tiny(guard("mkfs")),
      await tiny(guard("mkfs"), { actions: ["deny"], limits: { wallMs: 4_000 } }),
      commands("ls"),
    );
    expect(report.powers.map(({ opens }) => opens)).toEqual([false, false]);
    expect(report.newLoosenings).toBe(0);
  });
});

describe("the HTML report", () => {
  it("is one inert file", async () => {
    const evil = `<script>alert(1)</script>\u202e" onload='x'`;
    const events = commands(`mkfs ${evil}`);
    const report = await diff(await tiny(guard("mkfs")), await tiny(guard("shred")), events);
    const html = diffHtml(report);
    expect(html).not.toMatch(/<script|\u202e|<[a-z]+ [^>]*onload/);
    expect(html).toContain("&lt;script&gt;");
    expect(html).toMatch(/Content-Security-Policy" content="default-src 'none'; style-src 'sha256-/);
    expect(html).not.toMatch(/(?:src|href)=(?!"data:,")/);
    await expect(html.replace(/sha256:[0-9a-f]+/g, "sha256:…")).toMatchFileSnapshot("golden/diff.html");
  });
});

describe("a file of accepted loosenings", () => {
  it.each([
    [[], "must be an object with `version` 1"],
    [{ version: 1 }, "`accepted` must be a list"],
    [{ version: 1, accepted: [{ digest: "all" }] }, "`digest` must be"],
  ])("is refused where it is none: %j", (value, message) => {
    expect(() => readAccepted(value, "a.json")).toThrow(message);
  });
});
