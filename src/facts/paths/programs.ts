import { codeEffects, takesFiles } from "../code/code.ts";
import {
  type Arguments,
  argumentsOf,
  hasOption,
  type Syntax,
  syntaxes,
  valuesOf,
} from "../commands/arguments.ts";
import { type ArgumentRole, named, type OptionRow, optionsOf } from "../commands/table.ts";
import { homeOf } from "../path-text.ts";
import type { ShellCommand } from "../shell/row.ts";
import { fromWord, isMany, unknown } from "../shell/text.ts";
import { isPlainWrapper } from "../shell/wrappers.ts";
import type { PathAccess } from "./row.ts";

export type Use = readonly [path: string, access: PathAccess];
type Rule = (args: Arguments) => readonly Use[];

const as =
  (access: PathAccess) =>
  (paths: readonly string[]): readonly Use[] =>
    paths.map((path) => [path, access]);
const [reads, writes, deletes, lists] = [as("read"), as("write"), as("delete"), as("list")];

const all =
  (use: typeof reads): Rule =>
  ({ operands }) =>
    use(operands);

/** Copies: the last operand is written, or the folder of `-t`. */
const copy =
  (source: typeof reads): Rule =>
  (args) => {
    const folders = valuesOf(args, "t", "target-directory");
    const { operands } = args;
    if (folders.length > 0) return [...source(operands), ...writes(folders)];
    // A single operand is no destination, if it is sure to be a single word: `rsync` lists it.
    if (operands.length === 1 && !isMany(operands[0] ?? "")) return source(operands);
    return [...source(operands.slice(0, -1)), ...writes(operands.slice(-1))];
  };

/** A pattern or script first, unless an option gives it. */
const afterScript =
  (use: (args: Arguments) => typeof reads, options: readonly string[], files: readonly string[]): Rule =>
  (args) => [
    ...use(args)(hasOption(args, ...options, ...files) ? args.operands : args.operands.slice(1)),
    ...reads(valuesOf(args, ...files)),
  ];

const inPlace = (args: Arguments): typeof reads =>
  args.options.some(([name]) => name === "i" || name === "in-place") ? writes : reads;

const archive: Rule = (args) => {
  const { operands } = args;
  // `tar czf FILE …` has its options without a dash.
  const bare =
    /^[Acdrtux][a-zA-Z]*$/.test(operands[0] ?? "") &&
    !args.options.some(([name]) => /^(?:[Acdrtux]|create|extract|get|list|append|update|diff)$/.test(name));
  const letters = args.options.map(([name]) => name).filter((name) => name.length === 1);
  const modes = bare ? (operands[0] ?? "") : letters.join("");
  const rest = bare ? operands.slice(1) : operands;
  const files = bare && modes.includes("f") ? rest.slice(0, 1) : valuesOf(args, "f", "file");
  const members = bare && modes.includes("f") ? rest.slice(1) : rest;
  const folders = valuesOf(args, "C", "directory", "one-top-level");
  if (/x/.test(modes) || hasOption(args, "extract", "get"))
    return [...reads(files), ...writes(folders.length > 0 ? folders : ["."])];
  if (/t/.test(modes) || hasOption(args, "list")) return reads(files);
  return [
    ...writes(files),
    ...(hasOption(args, "remove-files") ? deletes : reads)(members),
    ...reads(folders),
  ];
};

/** The folders that `find` searches, and what its actions do with what is found. */
const find: Rule = ({ operands, options }) => {
  const has = (...names: string[]): boolean => options.some(([name]) => names.includes(name));
  const searched = operands.length > 0 ? operands : ["."];
  return [
    ...(has("delete") ? deletes : lists)(searched),
    ...writes(
      options.flatMap(([name, value]) => (/^f(?:ls|print0?|printf)$/.test(name) && value ? [value] : [])),
    ),
  ];
};

/** `docker cp` and its kin: `name:path` is in a container. */
const container: Rule = (args) => {
  const [command, from = "", to = ""] = args.operands.filter((word) => word !== "container");
  const outputs = writes(valuesOf(args, "o", "output", "iidfile", "cidfile", "metadata-file"));
  if (command !== "cp") return outputs;
  const isLocal = (word: string): boolean => word !== "" && word !== "-" && !/^[^/.~]+:/.test(word);
  return [...reads([from].filter(isLocal)), ...writes([to].filter(isLocal))];
};

/** A letter says what it does with the archive after it. */
const lettered: Rule = (args) => {
  const [command = "", archive, ...files] = args.operands;
  if (archive === undefined) return [];
  if (/^-?[aurcqmsd]/.test(command)) return [...writes([archive]), ...reads(files)];
  // What comes out goes to a folder, which ends in a slash among the names of members.
  const folders = /^-?[xe]/.test(command) ? files.filter((file) => file.endsWith("/")) : [];
  return [...reads([archive]), ...writes([...valuesOf(args, "o", "w"), ...folders])];
};

/** The folders that `make install` gets to install to. */
const make: Rule = (args) => [
  ...reads(valuesOf(args, "f", "file", "makefile")),
  ...writes(
    args.operands.some((word) => word.includes("install"))
      ? args.operands.flatMap((word) => /^(?:DESTDIR|(?:exec_)?prefix|\w+dir)=([^]+)$/i.exec(word)?.[1] ?? [])
      : [],
  ),
];

const git: Rule = (args) => {
  const { operands, options } = args;
  const [command = "", first, second] = operands;
  const folders = reads(valuesOf(args, "C", "git-dir", "work-tree"));
  const outputs = folders.concat(
    writes(
      options.flatMap(([name, value]) =>
        /^(?:output|output-directory)$/.test(name) && value ? [value] : [],
      ),
    ),
  );
  // Relative paths start at the folder of `-C`.
  const [base = "."] = valuesOf(args, "C");
  const placed = (path = "."): string =>
    /^[/~\uFDD0]/.test(path) || base === "." ? path : `${base}/${path}`;
  if (command === "clone") return [...outputs, ...writes([placed(second)])];
  if (command === "init")
    return [...outputs, ...writes([placed(first), ...valuesOf(args, "git-dir", "work-tree")])];
  if ((command === "worktree" && first === "add") || (command === "bundle" && first === "create"))
    return writes(operands.slice(2, 3));
  if (command === "archive" || command === "format-patch")
    return [...outputs, ...writes(hasOption(args, "o") ? operands.slice(1, 2) : [])];
  // What such a command changes is in the work tree, or in the folder that it names.
  if (
    /^(?:apply|am|checkout|checkout-index|switch|restore|reset|clean|merge|pull|read-tree|rm|mv|stash)$/.test(
      command,
    )
  )
    outputs.push(...writes(valuesOf(args, "work-tree", "directory", "prefix")));
  if (/^(?:apply|am|hash-object)$/.test(command)) return [...outputs, ...reads(operands.slice(1))];
  return outputs;
};

interface Program extends Syntax {
  readonly uses: Rule;
}

const listers = "ls dir tree stat file du test [ realpath readlink dirname basename which cd pushd".split(
  " ",
);

const programs: ReadonlyMap<string, Program> = new Map<string, Program>([
  ...listers.map((name): [string, Program] => [name, { uses: all(lists) }]),
  ["cp", { short: "tS", long: ["target-directory", "suffix"], uses: copy(reads) }],
  ["mv", { short: "tS", long: ["target-directory", "suffix"], uses: copy(deletes) }],
  ["install", { short: "tmogS", long: ["target-directory", "mode", "owner", "group"], uses: copy(reads) }],
  [
    "grep",
    {
      short: "efmABC",
      long: ["regexp", "file", "max-count", "include", "exclude"],
      uses: afterScript(() => reads, ["e", "regexp"], ["f", "file"]),
    },
  ],
  ["egrep", { short: "efmABC", uses: afterScript(() => reads, ["e"], ["f"]) }],
  ["fgrep", { short: "efmABC", uses: afterScript(() => reads, ["e"], ["f"]) }],
  [
    "rg",
    {
      short: "efmABCgtT",
      long: ["regexp", "file", "glob", "type"],
      uses: afterScript(() => reads, ["e", "regexp", "files"], ["f", "file"]),
    },
  ],
  [
    "sed",
    {
      short: "efl",
      long: ["expression", "file"],
      uses: afterScript(inPlace, ["e", "expression"], ["f", "file"]),
    },
  ],
  ...["perl", "ruby"].map((name): [string, Program] => [
    name,
    {
      short: name === "perl" ? "eEIMm" : "eErICTFx",
      uses: (args) =>
        hasOption(args, "e", "E")
          ? inPlace(args)(args.operands)
          : [...as("execute")(args.operands.slice(0, 1)), ...as("any")(args.operands.slice(1))],
    },
  ]),
  [
    "redis-cli",
    {
      ...optionsOf("redis-cli"),
      // The server writes its data to the place in its settings.
      uses: ({ operands }) =>
        /^config set (?:dir|dbfilename|logfile|appendfilename|appenddirname|aclfile)$/i.test(
          operands.slice(0, 3).join(" "),
        )
          ? writes(operands.slice(3))
          : [],
    },
  ],
  [
    "socat",
    {
      uses: ({ operands }) =>
        operands.flatMap((word): readonly Use[] => {
          const [, kind = "", path = ""] = /^(open|create|creat|file|gopen):([^,]+)/i.exec(word) ?? [];
          const isWrite = /^crea/i.test(kind) || /,(?:creat|create|wronly|rdwr|append|trunc)/i.test(word);
          return path === "" ? [] : [[path, isWrite ? "write" : "read"]];
        }),
    },
  ],
  [
    "crontab",
    {
      short: "u",
      // A table from a file or the input takes the place of the one that the machine keeps.
      uses: (args) =>
        hasOption(args, "l", "e", "T", "V")
          ? []
          : [
              ...reads(args.operands.filter((file) => file !== "-")),
              ...(hasOption(args, "r") ? deletes : writes)(["/var/spool/cron"]),
            ],
    },
  ],
  ...["7z", "7za", "7zr", "7zz"].map((name): [string, Program] => [name, { short: "o", uses: lettered }]),
  ...["ar", "arj", "lha", "zoo", "rar"].map((name): [string, Program] => [name, { uses: lettered }]),
  ...["docker", "podman", "nerdctl", "kubectl", "oc"].map((name): [string, Program] => [
    name,
    { ...syntaxes.get(name), uses: container },
  ]),
  ["awk", { short: "vFf", uses: afterScript(() => reads, [], ["f"]) }],
  ...["make", "gmake"].map((name): [string, Program] => [
    name,
    { short: "CfIjlo", long: ["directory", "file", "makefile", "include-dir"], uses: make },
  ]),
  ["tar", { short: "fCTXIbKN", long: ["file", "directory", "exclude", "files-from"], uses: archive }],
  ["bsdtar", { short: "fCTX", long: ["file", "directory"], uses: archive }],
  ...["gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "zstd", "lz4", "compress"].map(
    (name): [string, Program] => [
      name,
      {
        short: "So",
        long: ["suffix", "threads"],
        uses: (args) =>
          (hasOption(args, "c", "stdout", "to-stdout", "l", "list", "t", "test") ? reads : writes)(
            args.operands,
          ).concat(writes(valuesOf(args, "o"))),
      },
    ],
  ),
  [
    "ssh-keygen",
    {
      short: "tbCNPmInVOfDwszRF",
      // Without an option that says otherwise, it makes a key.
      uses: (args) =>
        (hasOption(args, "y", "l", "e", "i", "B", "F", "L", "Y", "H") ? reads : writes)(valuesOf(args, "f")),
    },
  ],
  [
    "unzip",
    {
      short: "dxP",
      uses: (args) => [
        ...reads(args.operands.slice(0, 1)),
        ...writes([...valuesOf(args, "d"), "."].slice(0, 1)),
      ],
    },
  ],
  [
    "dd",
    {
      uses: ({ operands }) =>
        operands.flatMap((word): readonly Use[] =>
          word.startsWith("of=")
            ? [[word.slice(3), "write"]]
            : word.startsWith("if=")
              ? [[word.slice(3), "read"]]
              : [],
        ),
    },
  ],
  [
    "find",
    {
      long: "name iname path ipath regex iregex type size newer mtime ctime atime mmin maxdepth mindepth perm user group fls fprint fprint0 fprintf printf exec".split(
        " ",
      ),
      expression: true,
      uses: find,
    },
  ],
  [
    "patch",
    {
      short: "dipo",
      long: ["directory", "input", "output", "strip"],
      uses: (args) => [
        ...writes([...args.operands.slice(0, 1), ...valuesOf(args, "d", "directory", "o", "output")]),
        ...reads(valuesOf(args, "i", "input")),
      ],
    },
  ],
  [
    "curl",
    {
      ...syntaxes.get("curl"),
      uses: (args) => [
        ...writes(
          valuesOf(
            args,
            "o",
            "output",
            "output-dir",
            "c",
            "cookie-jar",
            "D",
            "dump-header",
            "trace",
            "trace-ascii",
          ),
        ),
        ...(hasOption(args, "O", "remote-name", "remote-name-all", "J") && !hasOption(args, "output-dir")
          ? writes(["."])
          : []),
        ...reads([
          ...valuesOf(args, "T", "upload-file", "K", "config", "netrc-file", "E", "cert", "key", "cacert"),
          ...valuesOf(
            args,
            "d",
            "data",
            "data-binary",
            "data-ascii",
            "json",
            "F",
            "form",
            "data-urlencode",
            "H",
            "header",
          ).flatMap((value) => /(?:^|=)[@<](.+)$/s.exec(value)?.[1]?.split(";")[0] ?? []),
        ]),
      ],
    },
  ],
  [
    "wget",
    {
      ...syntaxes.get("wget"),
      uses: (args) => [
        ...writes(
          valuesOf(args, "O", "output-document").length > 0
            ? valuesOf(args, "O", "output-document")
            : [valuesOf(args, "P", "directory-prefix")[0] ?? "."],
        ),
        ...writes(valuesOf(args, "o", "output-file", "a", "append-output", "save-cookies")),
        ...reads(
          valuesOf(
            args,
            "i",
            "input-file",
            "post-file",
            "body-file",
            "load-cookies",
            "config",
            "private-key",
            "certificate",
          ),
        ),
      ],
    },
  ],
  ["git", { ...syntaxes.get("git"), uses: git }],
  ["ssh", { ...syntaxes.get("ssh"), uses: (args) => reads(valuesOf(args, "i", "F", "E")) }],
  ...["ping", "dig", "nc", "ncat"].map((name): [string, Program] => [
    name,
    { ...syntaxes.get(name), uses: () => [] },
  ]),
  ["scp", { ...syntaxes.get("scp"), uses: remoteCopy }],
  ["rsync", { ...syntaxes.get("rsync"), uses: remoteCopy }],
]);

const interpreters = /^(?:ba|z|da|k|a|fi)?sh$|^(?:python|node|ruby|php|lua|deno|bun)[0-9.]*$/;

/** `host:path` is a place on another machine. */
function remoteCopy(args: Arguments): readonly Use[] {
  return copy(reads)(args).filter(([path]) => !/^[^/]*:/.test(path));
}

/** The paths that a command uses, as written, and whether that is all that its arguments name. */
export function pathsOfCommand(command: ShellCommand): {
  readonly uses: readonly Use[];
  readonly known: boolean;
} {
  const name = command.name ?? "";
  const inCode = usesOfCode(command);
  const program = programs.get(name);
  if (program) return { uses: [...program.uses(argumentsOf(command, program)), ...inCode], known: true };
  const options = optionsOf(name);
  if (options !== undefined) {
    const args = argumentsOf(command, options);
    const isEdit = hasOption(args, ...named(options.row.edits));
    const row = isEdit ? { ...options.row, operands: "write" as const } : options.row;
    const operands = inCode.length > 0 && !takesFiles(name) ? [] : operandUses(row, args.operands);
    const listed = hasOption(args, ...named(options.row.listed)) ? listedIn(command) : [];
    return {
      uses: [...optionUses(options.row, args), ...reads(listed), ...operands, ...inCode],
      known: true,
    };
  }
  // What it starts is a command of its own.
  if (isPlainWrapper(name)) return { uses: [], known: true };
  const args = argumentsOf(command, {});
  if (interpreters.test(name)) {
    const inline = hasOption(args, "c", "e", "eval", "p", "print", "r", "E");
    const script = inline ? undefined : args.operands[0];
    const rest = inline ? args.operands : args.operands.slice(1);
    return {
      uses: [
        ...as("execute")(script === undefined ? [] : [script]),
        ...as("any")(rest.filter(isPathLike)),
        ...inCode,
      ],
      known: false,
    };
  }
  const values = args.options.flatMap(([, value]) => (value === null ? [] : [value]));
  const parts = [...args.operands, ...values].flatMap((word) => [word, ...word.split(/[=@:,<]/).slice(1)]);
  const outputs = outputsOf(command);
  return {
    uses: [
      ...writes(outputs),
      ...as("any")(parts.filter((part) => isPathLike(part) && !outputs.includes(part))),
      ...inCode,
    ],
    known: command.argv.length <= 1,
  };
}

function optionUses(row: OptionRow, args: Arguments): readonly Use[] {
  return [
    ...reads(valuesOf(args, ...named(row.reads))),
    ...writes(valuesOf(args, ...named(row.writes)).filter((value) => value !== "-")),
  ];
}

function operandUses(row: OptionRow, operands: readonly string[]): readonly Use[] {
  const { operands: all = "any", first = all, last = all } = row;
  return operands.flatMap((operand, at): readonly Use[] => {
    const role: ArgumentRole = at === 0 ? first : at === operands.length - 1 ? last : all;
    if (role === "run" || role === "connect" || role === "listen" || role === "none") return [];
    return role === "any" && !isPathLike(operand) ? [] : [[operand, role]];
  });
}

/** The lines of what a command reads from its standard input. */
function listedIn({ input }: ShellCommand): readonly string[] {
  return input?.text == null
    ? []
    : fromWord(input.text)
        .split("\n")
        .filter((line) => line !== "");
}

/** Names that programs give to the option with the file that they write. */
const outputOption =
  /^-{1,2}(?:o|out|output|out-?(?:file|put-?file|dir|put-?dir)|log-?file|dump|save-?(?:as|to)?|export|write|dest(?:ination)?)(?:=([^]*))?$/i;

/** What a program that the table lacks writes, by the usual names of such options. */
function outputsOf(command: ShellCommand): readonly string[] {
  const args = command.argv.slice(1).map((word) => fromWord(word));
  return args.flatMap((arg, at) => {
    const found = outputOption.exec(arg);
    const value = found === null ? undefined : (found[1] ?? args[at + 1]);
    return value !== undefined && value.startsWith("/") ? [value] : [];
  });
}

/** The files that a program in another language names. */
function usesOfCode(command: ShellCommand): readonly Use[] {
  const text = command.input?.text ?? null;
  const effects = codeEffects(
    command.name ?? "",
    command.argv.slice(1).map((word) => fromWord(word)),
    text === null ? undefined : fromWord(text),
  );
  const home = homeOf(fromWord(command.directory)) ?? unknown("u");
  return (effects?.paths ?? []).map(([path, access]) => [path.replace(/^~(?=\/|$)/, () => home), access]);
}

/** Whether an argument of any program may be a path. */
function isPathLike(word: string): boolean {
  return (
    word !== "" &&
    !/\s/.test(word) &&
    !/^[a-z][a-z0-9+.-]*:\/\//i.test(word) &&
    (/[/.~]/.test(word) || word.includes("\uFDD0"))
  );
}
