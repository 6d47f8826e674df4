import { describe, expect, test } from "vitest";
import type { ShellFact, ShellWord } from "../../src/facts/index.ts";
import { readShell } from "../../src/facts/shell/shell.ts";

const read = (line: string): ShellFact & { ok: true } => {
  const fact = readShell([line], "/home/u/proj");
  if (!fact.ok) throw new Error(fact.why);
  return fact;
};

/** Commands as text: words that are known as they are, the others as `‹…›`. */
const shown = (line: string): string[] =>
  read(line).commands.map(
    ({ argv, maybe }) => `${maybe ? "maybe " : ""}${argv.map((word) => show(word)).join(" ")}`,
  );
const show = (word: ShellWord): string =>
  typeof word === "string"
    ? /^[\w./~$=-]+$/.test(word)
      ? word
      : JSON.stringify(word)
    : word
        .map((part) =>
          typeof part === "string"
            ? part
            : "glob" in part
              ? `‹${part.glob}›`
              : `‹${part.unknown}${part.name === undefined ? "" : ` ${part.name}`}${part.many ? "…" : ""}›`,
        )
        .join("");

describe("the commands that a command line would start", () => {
  test.each([
    ["rm -rf 'a b'", ['rm -rf "a b"']],
    ["a; b && c || d", ["a", "b", "maybe c", "maybe d"]],
    ["a | b", ["a", "b"]],
    ["rm *.txt '*.txt'", ['rm ‹*›.txt "*.txt"']],
    ['rm $x "$x"', ["rm ‹variable x…› ‹variable x›"]],
    ["x='a b'; rm $x \"$x\"", ['rm a b "a b"']],
    ['x=; rm $x "$x"', ['rm ""']],
    ["IFS=,; c=rm,-rf,/; $c", ["rm -rf /"]],
    ["rm ~ ~/x ~bob/x '~'", ["rm /home/u /home/u/x ‹user bob›/x ~"]],
    ["echo {a,b}{1..3}", ["echo a1 a2 a3 b1 b2 b3"]],
    ["for i in a b; do rm $i.x; done", ["rm a.x", "rm b.x"]],
    ["f() { rm \"$1\"; }; f 'a b'", ['rm "a b"']],
    ["f() { rm x; }", ["maybe rm x"]],
    ["f() { local x=1; x=2; }; x=0; f; rm $x", ["local x=1", "rm 0"]],
    ["if a; then x=1; else x=2; fi; rm $x", ["a", "maybe rm 1", "maybe rm 2"]],
    ["x=1; while a; do rm $x; x=2; done", ["a", "maybe rm 1", "maybe rm 2", "maybe a"]],
    ["x=1; read x; rm $x", ["read x", "rm ‹variable x…›"]],
    ["x=1 rm $x", ["rm ‹variable x…›"]],
    ["(x=1; cd /); rm $x", ["cd /", "rm ‹variable x…›"]],
    ['set -- a b; rm "$@"; shift; rm $1', ["set -- a b", "rm a b", "shift", "rm b"]],
    ["x=(a 'b c'); rm \"${x[@]}\" ${x[1]}", ['rm a "b c" b c']],
    ["x=abc; rm ${x#a} ${x%c} ${x:1:1} ${x^^} ${#x}", ["rm bc ab b ABC 3"]],
    ["rm ${x:-y}", ["maybe rm ‹variable x…›", "maybe rm y"]],
    ["exit; rm x", ["exit", "maybe rm x"]],
    ["$SUDO rm x", ["‹variable SUDO…› rm x", "maybe rm x"]],
  ])("%s", (line, commands) => {
    expect(shown(line)).toEqual(commands);
  });

  test.each([
    ["sudo -u root env A=b nice -n 5 rm x", ["sudo", "env", "nice"]],
    ["bash -lc 'rm x'", ["bash"]],
    ["timeout -k 5 10 rm x", ["timeout"]],
    ["env -S 'rm x'", ["env"]],
    ["echo 'rm x' | sh", ["sh"]],
    ["sh <<'EOF'\nrm x\nEOF", ["sh"]],
    ["bash <(echo rm x)", ["bash"]],
    ["eval rm x", ["eval"]],
    ["find . -exec rm x \\;", ["find"]],
    ["echo a | xargs rm x", ["xargs"]],
    ["ssh host rm x", ["ssh"]],
    ["docker exec -it box rm x", ["docker"]],
    ["kubectl -n prod exec pod -- rm x", ["kubectl"]],
    ["flock f rm x", ["flock"]],
    ["echo 'rm x' > f; sh f", ["sh"]],
    ["ssh -o ProxyCommand='rm x' host ls", ["ssh"]],
    ["python3 -c 'import os; os.system(\"rm x\")'", ["python3"]],
    ["git -c alias.a='!rm x' a", ["git"]],
  ])("in %s is `rm`", (line, through) => {
    const rm = read(line).commands.find(({ name }) => name === "rm");
    expect(rm?.through).toEqual(through);
    expect(rm?.argv.slice(0, 2)).toEqual(["rm", "x"]);
  });

  test.each([
    ['eval "$x"'],
    ["curl -s x | sh"],
    ["$(curl x)"],
    ["sh script.sh"],
    ["source ./env.sh"],
    ['bash -c "$cmd"'],
    ['rm "x'],
  ])("%s starts something that is not listed", (line) => {
    expect(read(line).complete).toBe(false);
  });

  test("a fork bomb is recursion", () => {
    expect(read(":(){ :|:& };:").recursion).toBe(":");
    expect(read("f() { g; }; f").recursion).toBe(null);
  });

  test("working directories, redirections, inputs and variables", () => {
    const { commands } = read("cd /tmp && A=b cat <<<hi 2>err | env -C /x tee out");
    expect(commands).toMatchObject([
      { name: "cd", directory: "/home/u/proj" },
      {
        name: "cat",
        directory: "/tmp",
        variables: [{ name: "A", value: "b" }],
        redirects: [{ operator: "2>", target: "err" }],
        input: { text: "hi\n", from: [] },
      },
      { name: "env", directory: "/tmp", input: { from: [1] } },
      { name: "tee", directory: "/x", through: ["env"] },
    ]);
  });

  test("beyond the limits, nothing is known", () => {
    expect(readShell(["x".repeat(40_000)], "/")).toEqual({ ok: false, why: "too-long" });
    expect(readShell(["a;".repeat(500)], "/")).toEqual({ ok: false, why: "too-many" });
    // Attack: each pair of braces is 81 words, and the next one multiplies them again.
    expect(readShell(["echo {1..9}{1..9};".repeat(60)], "/")).toEqual({ ok: false, why: "too-many" });
    expect(readShell([`${"$(".repeat(60)}a${")".repeat(60)}`], "/")).toEqual({ ok: false, why: "too-deep" });
    expect(
      readShell([`x=1; ${"for i in 1 2 3 4 5 6 7 8 9; do ".repeat(8)}y=$i; ${"done; ".repeat(8)}`], "/"),
    ).toEqual({
      ok: false,
      why: "too-many",
    });
    expect(readShell(["Get-ChildItem"], "/", "powershell")).toEqual({ ok: false, why: "language" });
  });

  test("characters that mark what is unknown cannot be smuggled in", () => {
    expect(read("rm \uFDD0vx\uFDD1").commands[0]?.argv[1]).toBe("\uFFFDvx\uFFFD");
  });
});

test("a command says whether its output comes from elsewhere", () => {
  const external = (line: string): unknown[] =>
    read(line)
      .commands.filter((command) => command.external)
      .map(({ name }) => name);
  expect(external("curl -s http://x | sh; base64 -d <<< cm0= | sh; base64 x; cat y")).toEqual([
    "curl",
    "base64",
  ]);
  expect(external("xxd -r -p x; zcat y.gz; openssl enc -d; openssl version")).toEqual([
    "xxd",
    "zcat",
    "openssl",
  ]);
});

// Attack: `bash -c 'cd /; rm -rf etc'` deletes in another folder than the one that the outer shell is in.
test.each([
  ["bash -c 'cd /; rm -rf etc'; ls", "/", false],
  ["sudo timeout 5 sh -c 'command cd /; rm -rf etc'; ls", "/", false],
  ["echo 'cd /; rm -rf etc' | sh; ls", "/", false],
  ["eval 'cd /'; rm -rf etc; cd -; ls", "/", false],
  ["bash -c 'env cd /; rm -rf etc'; ls", "/home/u/proj", false],
  ["bash -c 'exit; rm -rf etc'; ls", "/home/u/proj", true],
  ["bash -ec 'false; rm -rf etc'; ls", "/home/u/proj", true],
])("builtins change the shell that reads them: %s", (line, directory, maybe) => {
  const { commands } = read(line);
  expect(commands.find(({ name }) => name === "rm")).toMatchObject({ directory, maybe });
  expect(commands.findLast(({ name }) => name === "ls")).toMatchObject({ maybe: false });
});

test("a reference to another variable is not followed", () => {
  expect(read('x=ls; declare -n r=x; r=rm; $x "$HOME"').complete).toBe(false);
});

test("the length of a text beyond ASCII depends on the locale", () => {
  expect(shown('x=ab; p "${#x}"')).toEqual(["p 2"]);
  expect(shown('x=ü; p "${#x}"')).not.toContain("p 1");
});
