import { describe, expect, test } from "vitest";
import { FactSet, type PathsFact } from "../../src/facts/index.ts";

const pathsOf = (tool_name: string, tool_input: object): PathsFact =>
  new FactSet({ tool_name, tool_input, cwd: "/home/u/proj" }).valueOf("paths");

/** Uses of paths that are known whole, as `access path`; `?` in front where it is not known whether it is inside. */
const shown = (line: string): readonly string[] => {
  const fact = pathsOf("Bash", { command: line });
  if (!fact.ok) throw new Error(fact.why);
  return fact.paths.map(
    ({ path, access, inside }) =>
      `${inside === null ? "?" : inside ? "" : "!"}${access} ${typeof path === "string" ? path.replace("/home/u/proj", "W") : JSON.stringify(path)}`,
  );
};

describe("the files that commands use", () => {
  test.each([
    ["cp a b ../c", ["read W/a", "read W/b", "!write /home/u/c"]],
    ["cp -t /opt a", ["read W/a", "!write /opt"]],
    ["mv a b", ["delete W/a", "write W/b"]],
    ["rm -rf ./x/../y ~", ["delete W/y", "!delete /home/u"]],
    ["cat <in >>out 2>&1 2>/dev/null", ["read W/in", "write W/out", "!write /dev/null"]],
    ["cd /etc; rm x", ["!list /etc", "!delete /etc/x"]],
    ["sudo -D / rm etc", ["!delete /etc"]],
    ["grep '.*' f", ["read W/f"]],
    ["grep -e a -f pat f", ["read W/f", "read W/pat"]],
    ["sed -i s/a/b/ f", ["write W/f"]],
    ["sed -n p f", ["read W/f"]],
    ["tar czf x.tgz src", ["write W/x.tgz", "read W/src"]],
    ["tar -xzf x.tgz -C /opt", ["read W/x.tgz", "!write /opt"]],
    ["find /etc -name '*.conf' -delete", ["!delete /etc"]],
    ["dd if=/dev/zero of=/dev/sda", ["!read /dev/zero", "!write /dev/sda"]],
    ["curl -d @f -o out https://a.example/", ["write W/out", "read W/f"]],
    ["./run.sh", ["execute W/run.sh"]],
    ["tool --config=/etc/x", ["!any /etc/x"]],
  ])("%s", (line, uses) => {
    expect(shown(line)).toEqual(uses);
  });

  test("an unknown part leaves open where a path is; a pattern does not", () => {
    expect(shown('rm "$x"/y')).toEqual([
      `?delete ${JSON.stringify([{ unknown: "variable", name: "x" }, "/y"])}`,
    ]);
    // `$x` may be `../..`.
    expect(shown('rm src/"$x"')[0]).toMatch(/^\?delete/);
    expect(shown("rm src/*.o")[0]).toMatch(/^delete/);
    // `.?` matches `..` in older shells.
    expect(shown("rm src/.?/x")[0]).toMatch(/^\?delete|^delete/);
  });

  test("the files of tools", () => {
    expect(pathsOf("edit_file", { target_file: "../x" })).toMatchObject({
      ok: true,
      complete: true,
      workspace: "/home/u/proj",
      paths: [{ path: "/home/u/x", access: "write", inside: false, command: null }],
    });
    expect(pathsOf("read_file", { absolute_path: "file:///etc/passwd" })).toMatchObject({
      paths: [{ path: "/etc/passwd", access: "read", inside: false }],
    });
  });

  test("a program that is not known may use more", () => {
    expect(pathsOf("Bash", { command: "frobnicate a" })).toMatchObject({ complete: false });
    expect(pathsOf("Bash", { command: "cat a" })).toMatchObject({ complete: true });
  });
});

test("names on the standard input of an archiver are read", () => {
  const paths = (command: string): unknown =>
    new FactSet({ tool_name: "Bash", tool_input: { command }, cwd: "/w" }).valueOf("paths");
  expect(paths("printf '/etc/shadow\\na\\n' | cpio -o")).toMatchObject({
    paths: [
      { path: "/etc/shadow", access: "read" },
      { path: "/w/a", access: "read" },
    ],
  });
  expect(paths("echo /etc/shadow | cpio -i")).toMatchObject({ paths: [] });
});
