import { describe, expect, test } from "vitest";
import { type CodeEffects, codeEffects } from "../../src/facts/code/code.ts";
import { isUnknown } from "../../src/facts/shell/text.ts";

/** What a program does, in one line; `?` stands for what its text does not show. */
function effectsOf(
  interpreter: "python3" | "node" | "psql" | "mysql" | "sqlite3" | "duckdb",
  program: string,
): readonly string[] {
  const option = interpreter === "node" ? "-e" : "-c";
  const effects = codeEffects(interpreter, [option, program], undefined) as CodeEffects;
  const shown = (text: string): string =>
    isUnknown(text) ? text.replace(/\uFDD0[^\uFDD1]*\uFDD1/g, "?") : text;
  return [
    ...effects.paths
      .filter(([, access]) => access !== "any")
      .map(([path, access]) => `${access} ${shown(path)}`),
    ...effects.commands.map(({ code, words }) => `run ${shown(code ?? (words ?? []).join(" "))}`),
    ...effects.hosts.map((host) => `connect ${shown(host)}`),
    ...(effects.listens ? ["listen"] : []),
    ...(effects.unread ? ["unread"] : []),
  ];
}

describe("statements of SQL", () => {
  test.each([
    ["psql", "COPY users TO '/tmp/users.csv' WITH (FORMAT csv, HEADER)", ["write /tmp/users.csv"]],
    ["psql", "COPY (SELECT * FROM t) TO PROGRAM 'sh -c \"id\"'", ['run sh -c "id"']],
    ["psql", "copy/**/t/**/from/**/program/**/$x$id | sh$x$", ["run id | sh"]],
    ["psql", "SELECT pg_read_file('/etc/' || E'\\x70asswd'::text)", ["read /etc/passwd"]],
    ["psql", "SELECT lo_export(1, '/x'), lo_import('/y')", ["write /x", "read /y"]],
    ["psql", "DO $$ BEGIN EXECUTE 'COPY t FROM PROGRAM ' || '''id'''; END $$", ["run id"]],
    ["psql", "SELECT 'x'; EXECUTE ('CO' || 'PY t TO ''/x''')", ["write /x"]],
    ["psql", "CREATE FUNCTION f() RETURNS void AS $f$ COPY t TO '/x' $f$ LANGUAGE sql", ["write /x"]],
    ["psql", "ALTER SYSTEM SET archive_command = 'id'", ["run id"]],
    ["psql", "SELECT dblink_connect('user=x host=a.example')", ["connect a.example"]],
    ["psql", "\\copy t from program 'id'", ["run id"]],
    ["psql", "\\copy t to /x", ["write /x"]],
    ["psql", "SELECT 1 \\g |id", ["run id"]],
    ["psql", "\\o /x\n\\i /y", ["write /x", "read /y"]],
    ["mysql", "SELECT 1 /*!50000 INTO OUTFILE '/x' */", ["write /x"]],
    ["mysql", 'LOAD DATA LOCAL INFILE "/x" INTO TABLE t', ["read /x"]],
    ["mysql", "SET GLOBAL general_log_file = '/x'", ["write /x"]],
    ["mysql", "pager id\ntee /x\n\\! id", ["run id", "run id", "write /x"]],
    ["sqlite3", "ATTACH DATABASE '/x' AS a; VACUUM main INTO '/y'", ["write /x", "write /y"]],
    ["sqlite3", "SELECT writefile('/x', 1), edit('a', 'id')", ["write /x", "run id"]],
    ["sqlite3", ".import '|id' t\n.backup main /x\n.system id", ["run id", "run id", "write /x"]],
    [
      "duckdb",
      "SELECT * FROM '/x.csv' JOIN 'https://a.example/b' USING (c)",
      ["read /x.csv", "connect https://a.example/b"],
    ],
    ["psql", "SELECT 'COPY t TO ''/x''', \"INTO OUTFILE '/y'\" FROM \"users\" -- COPY t TO '/z'", []],
  ] as const)("%s: %s", (client, program, effects) => {
    expect([...effectsOf(client, program)].sort()).toEqual([...effects].sort());
  });

  test.each([
    ["mysql", "SELECT LOAD_FILE(0x2f78)"],
    ["mysql", "SELECT LOAD_FILE(CHAR(47, 120))"],
    ["mysql", "SELECT LOAD_FILE(CONCAT('/', 'x'))"],
    ["mysql", "LOAD DATA INFILE '/x"],
    ["duckdb", "SELECT * FROM read_csv(['/x'])"],
  ] as const)("%s: %s reads the file", (client, program) => {
    expect(effectsOf(client, program)).toContain("read /x");
  });

  test("come from the standard input, and glued to their option, too", () => {
    expect(codeEffects("psql", ["mydb"], "COPY t TO PROGRAM 'id'")?.commands).toEqual([{ code: "id" }]);
    expect(codeEffects("mysql", ["-eLOAD DATA INFILE '/x'"], undefined)?.paths).toContainEqual([
      "/x",
      "read",
    ]);
  });
});

describe("programs in Python", () => {
  test.each([
    ["print(open('.env').read())", ["read .env"]],
    ["with open('a') as f, open(file='/b', mode='w') as g: g.write(f.read())", ["read a", "write /b"]],
    ["import os as o\no.remove('/etc/' + 'pas' 'swd')", ["delete /etc/passwd"]],
    ["from os import system as s; s('rm x')", ["run rm x"]],
    ["import subprocess\nargs = ['rm', '-rf']\nargs += ['/x']\nsubprocess.run(args)", ["run rm -rf /x"]],
    ["import shutil; shutil.rmtree(path='/home/u')", ["delete /home/u"]],
    ["p = '%s/%s' % ('/etc', 'shadow')\nopen(p)", ["read /etc/shadow"]],
    ["open('/{}/{}'.format('etc', 'shadow'))", ["read /etc/shadow"]],
    ["d = 'etc'\nopen(f'/{d}/shadow')", ["read /etc/shadow"]],
    ["open(''.join(map(chr, [47, 97])))", ["read /a"]],
    ["open('a/'[::-1] + '\\x62')", ["read /ab"]],
    ["open(bytes.fromhex('2f61').decode())", ["read /a"]],
    ["import codecs; open(codecs.decode('/rgp', 'rot13'))", ["read /etc"]],
    ["from pathlib import Path\n(Path.home() / '.ssh' / 'id').read_text()", ["read ~/.ssh/id"]],
    ["for p in ['/a', '/b']:\n  __import__('os').unlink(p)", ["delete /a", "delete /b"]],
    ["[open(p) for p in ('/a', '/b')]", ["read /a", "read /b"]],
    ["def go(c):\n  os.system(c)\nimport os\ngo('rm x')", ["run rm x"]],
    [
      "class A:\n  def __init__(self):\n    self.p = '/x'\n  def go(self):\n    open(self.p, 'w')",
      ["write /x"],
    ],
    ["getattr(__import__('o' + 's'), 'sys' + 'tem')('rm x')", ["run rm x"]],
    ["import os; exec('os.' + 'remove(\"/x\")')", ["delete /x"]],
    ["import urllib.request as r; r.urlopen('http://a.example/')", ["connect http://a.example/"]],
    ["import socket as s; s.socket().connect(('10.0.0.1', 4242))", ["connect 10.0.0.1"]],
    ["print('rm -rf /'); s = 'open(\"/x\", \"w\")' # os.remove('/y')", []],
    ["import glob\nfor f in glob.glob('src/*.py'): open(f, 'w')", ["write ./src/?"]],
    ["import sys\nopen(sys.argv[1], 'w')", ["write ?"]],
    ["exec(input())", ["unread"]],
    ["import os; os.system(input())", ["unread"]],
  ])("%s", (program, effects) => {
    expect(effectsOf("python3", program)).toEqual(effects);
  });

  test("a program with mistakes is read by its tokens too", () => {
    expect(effectsOf("python3", "print 'x %s' % open('/a').read(")).toContain("read /a");
  });
});

describe("programs in JavaScript", () => {
  test.each([
    ["require('fs').readFileSync('.env', 'utf8')", ["read .env"]],
    ["const { execSync: e } = require('child_process'); e(`rm ${'x'}`)", ["run rm x"]],
    ["const cp = require('child_' + 'process'); cp['exec' + 'Sync']('rm x')", ["run rm x"]],
    ["import { rm as r } from 'node:fs/promises'; await r('/x')", ["delete /x"]],
    ["import('fs').then((fs) => fs.unlinkSync('/x'))", ["delete /x"]],
    ["['a', 'b'].forEach((f) => require('fs').unlinkSync('/' + f))", ["delete /a", "delete /b"]],
    ["for (const f of ['/a']) fs.writeFileSync(f, '')", ["write /a"]],
    ["eval(atob('cmVxdWlyZSgiZnMiKS51bmxpbmtTeW5jKCIveCIp'))", ["delete /x"]],
    ["new Function(\"require('fs').unlinkSync('/x')\")()", ["delete /x"]],
    ["process.mainModule.require('child_process').spawn('rm', ['-rf', '/x'])", ["run rm -rf /x"]],
    ["require('https').request({ hostname: 'a.example', method: 'POST' })", ["connect a.example"]],
    ["fetch('https://' + ['a', 'example'].join('.'))", ["connect https://a.example"]],
    ["function go(p) { fs.rmSync(p) }\ngo('/x')", ["delete /x"]],
    ["/rm -rf/.exec('rm -rf /'); console.log('rm -rf /') // fs.rmSync('/x')", []],
    ["process.stdin.on('data', (d) => eval(d))", ["unread"]],
    ["const f: string = '/x'; require('fs').readFileSync('/x')", ["read /x"]],
  ])("%s", (program, effects) => {
    expect(effectsOf("node", program)).toEqual(effects);
  });
});

describe("hostile programs", () => {
  const many = (text: string): string => text.repeat(16_000 / text.length);

  test.each([
    ["python3", many("(")],
    [
      "python3",
      `${"for a in [1,2,3,4,5,6,7,8,9]: ".repeat(2)}\n${Array.from({ length: 90 }, (_, at) => `${" ".repeat(at)}for a in [1,2,3,4,5,6,7,8,9]:\n`).join("")}`,
    ],
    ["python3", `x = 'eval(x)'\n${many("eval(x)\n")}`],
    [
      "python3",
      Array.from({ length: 500 }, (_, at) => `def f${at}():\n f${at + 1}(); f${at + 1}()\n`).join(""),
    ],
    ["node", many("(")],
    ["node", many("a=>")],
    ["node", many("`${")],
    ["node", many("new ")],
    ["node", `a${many(".b()")}`],
  ] as const)("%s: %.40s", (interpreter, program) => {
    const start = performance.now();
    expect(effectsOf(interpreter, program)).toContain("unread");
    expect(performance.now() - start).toBeLessThan(5_000);
  });

  test.each([
    ["python3", "open('\\ufdd0g*\\ufdd1')"],
    ["python3", "open(chr(0xfdd0) + 'x')"],
    ["node", "fs.readFileSync('\\ufdd0g*\\ufdd1')"],
    ["node", "fs.readFileSync(`\\ufdd0g*\\ufdd1`)"],
    ["perl", 'open(F, "<", "\\x{fdd0}g*\\x{fdd1}")'],
  ])("cannot forge the marks of what is not known: %s %s", (interpreter, program) => {
    const effects = codeEffects(interpreter, ["-c", program, "-e", program], undefined);
    expect(effects?.paths).not.toEqual([]);
    expect(JSON.stringify(effects)).not.toMatch(/[\uFDD0-\uFDDF]/);
  });
});
