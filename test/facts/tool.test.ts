import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { clientTools, factNames, FactSet, facts, type FactRow } from "../../src/facts/index.ts";

const toolOf = (tool_name: string, tool_input: object): Record<string, unknown> =>
  new FactSet({ tool_name, tool_input }).valueOf("tool") as unknown as Record<string, unknown>;

describe("a tool call, whatever the client calls the tool", () => {
  test.each([
    ["Bash", { command: "ls" }],
    ["bash", { command: "ls", restart: false }],
    ["run_shell_command", { command: "ls", description: "list" }],
    ["run_in_terminal", { command: "ls", isBackground: false }],
    ["runInTerminal", { command: "ls" }],
    ["Execute", { command: "ls", riskLevel: "low" }],
    ["Shell", { command: "ls" }],
    ["run_terminal_cmd", { command: "ls" }],
    ["execute_command", { command: "ls" }],
    ["exec_command", { cmd: "ls" }],
    ["run_command", { CommandLine: "ls" }],
    ["terminal", { input: "ls" }],
    ["run_commands", { commands: ["ls"] }],
    ["shell", { command: ["ls"] }],
    ["local_shell", { action: { type: "exec", command: ["ls"], timeout_ms: 100 } }],
    ["mcp__shell__run", { command: "ls" }],
    ["made_up", { script: "ls" }],
  ])("%s has a command line", (name, input) => {
    expect(toolOf(name, input)).toMatchObject({ ok: true, commands: ["ls"], language: "sh" });
  });

  test("a list of words is one command, quoted where a shell would split it", () => {
    expect(toolOf("shell", { command: ["bash", "-lc", "echo 'a  b'"] })).toMatchObject({
      commands: ["bash -lc 'echo '\\''a  b'\\'''"],
    });
    expect(toolOf("mcp__x__run", { command: "git", args: ["commit", "-m", "a b"] })).toMatchObject({
      commands: ["git commit -m 'a b'"],
    });
  });

  test.each([
    ["Write", { file_path: "/a", content: "x" }, "write", [{ path: "/a", access: "write" }]],
    ["write_to_file", { TargetFile: "/a" }, "write", [{ path: "/a", access: "write" }]],
    ["create_file", { filePath: "/a" }, "write", [{ path: "/a", access: "write" }]],
    ["edit_file", { target_file: "/a", code_edit: "x" }, "edit", [{ path: "/a", access: "edit" }]],
    ["replace", { file_path: "/a" }, "edit", [{ path: "/a", access: "edit" }]],
    [
      "str_replace_based_edit_tool",
      { command: "view", path: "/a" },
      "read",
      [{ path: "/a", access: "read" }],
    ],
    ["str_replace_editor", { command: "str_replace", path: "/a" }, "edit", [{ path: "/a", access: "edit" }]],
    [
      "read_many_files",
      { paths: ["/a", "/b"] },
      "read",
      [
        { path: "/a", access: "read" },
        { path: "/b", access: "read" },
      ],
    ],
    ["delete_file", { target_file: "/a" }, "delete", [{ path: "/a", access: "delete" }]],
    ["mcp__fs__write", { path: "/a" }, "mcp", [{ path: "/a", access: "any" }]],
    [
      "multi_replace_string_in_file",
      { replacements: [{ filePath: "/a" }, { filePath: "/b" }] },
      "edit",
      [
        { path: "/a", access: "edit" },
        { path: "/b", access: "edit" },
      ],
    ],
  ])("%s has files", (name, input, kind, files) => {
    expect(toolOf(name, input)).toMatchObject({ ok: true, kind, files, commands: [] });
  });

  test.each([["command"], ["input"], ["patch"]])(
    "apply_patch with its patch in %s has files, and no command line",
    (field) => {
      const patch =
        "*** Begin Patch\n*** Add File: a.txt\n+x\n*** Update File: b.txt\n*** Move to: c.txt\n@@\n-y\n+z\n*** Delete File: d.txt\n*** End Patch";
      expect(toolOf("apply_patch", { [field]: patch })).toMatchObject({
        kind: "edit",
        commands: [],
        files: [
          { path: "a.txt", access: "write" },
          { path: "b.txt", access: "edit" },
          { path: "c.txt", access: "write" },
          { path: "d.txt", access: "delete" },
        ],
      });
    },
  );

  test("addresses and search terms", () => {
    expect(toolOf("WebFetch", { url: "https://a.example/", prompt: "x" })).toMatchObject({
      kind: "fetch",
      urls: ["https://a.example/"],
    });
    expect(toolOf("Grep", { pattern: "x.*", path: "src" })).toMatchObject({
      kind: "search",
      queries: ["x.*"],
      files: [{ path: "src", access: "search" }],
    });
  });

  test("an input beyond the limits is not known", () => {
    let deep: object = {};
    for (let depth = 0; depth < 40; depth++) deep = { deep };
    expect(toolOf("x", deep)).toEqual({ ok: false, why: "too-deep" });
    expect(toolOf("x", { path: Array.from({ length: 300 }, String) })).toEqual({
      ok: false,
      why: "too-many",
    });
    expect(new FactSet({ tool_name: "x" }).valueOf("tool")).toEqual({ ok: false, why: "absent" });
  });
});

describe("tools of MCP servers", () => {
  const forms: readonly ((server: string, tool: string) => string)[] = [
    (server, tool) => `mcp__${server}__${tool}`,
    (server, tool) => `mcp_${server}_${tool}`,
    (server, tool) => `${server}___${tool}`,
    (server, tool) => `${server}__${tool}`,
    (server, tool) => `MCP:${server}-${tool}`,
    (server, tool) => `@${server}/${tool}`,
  ];
  const known = Object.values(clientTools).flatMap((kinds) => Object.values(kinds).flat());
  const isKnown = (name: string): boolean => known.some((one) => one.toLowerCase() === name.toLowerCase());

  // Attack: a server names itself and its tool so that together they read like a client's own tool, `web___fetch` like
  // `WebFetch`, to be taken for one that starts no commands.
  test("are none of the client's own, however they are called", () => {
    const names = fc.oneof(
      fc
        .constantFrom(...known)
        .chain((name) =>
          fc.nat({ max: name.length - 2 }).map((at) => [name.slice(0, at + 1), name.slice(at + 1)] as const),
        ),
      fc.tuple(fc.stringMatching(/^[a-z][a-z0-9-]{0,12}$/), fc.stringMatching(/^[A-Za-z]\w{0,20}$/)),
    );
    fc.assert(
      fc.property(fc.constantFrom(...forms), names, (form, [server, tool]) => {
        const name = form(server.replace(/[^\w-]|_+$/g, "") || "s", tool.replace(/^_+/, "") || "t");
        fc.pre(!isKnown(name));
        expect(toolOf(name, { command: "id", file_path: "/a" }), name).toMatchObject({
          kind: "mcp",
          known: false,
          commands: ["id"],
          files: [{ path: "/a", access: "any" }],
        });
      }),
      { seed: 20, numRuns: 500 },
    );
  });

  test("a client's own tool stays one, in any case and punctuation", () => {
    for (const [client, kinds] of Object.entries(clientTools)) {
      for (const [kind, names] of Object.entries(kinds)) {
        for (const name of names) {
          const fact = toolOf(name.toUpperCase(), {});
          // One name may be of two kinds in two clients.
          expect(fact["known"], `${client} ${name}`).toBe(true);
          if (kind === "mcp") expect(fact["kind"], name).toBe("mcp");
        }
      }
    }
  });
});

test("a fact that uses another one is unknown where that is, and no other fact is", () => {
  const event = { tool_name: "Bash", prompt: "list the files" };
  const set = new FactSet(event);
  const why = set.valueOf("tool");
  expect(why).toMatchObject({ ok: false });
  const unknown = factNames.filter((name) => !set.valueOf(name).ok);
  const users = factNames.filter((name) => (facts[name] as FactRow).uses?.includes("tool"));
  expect(unknown).toEqual(["tool", ...users]);
  for (const name of users) expect(set.valueOf(name)).toEqual(why);
});
