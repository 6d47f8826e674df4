import type { PathAccess } from "../paths/row.ts";
import type { Lexis } from "./tokens.ts";

/** What a text that a pattern captures is. */
export type Capture = PathAccess | "run" | "connect" | "connect-somewhere" | "listen";

/** A language that programs on the command line are written in. */
export interface Language extends Lexis {
  /** A parser for all of the language. */
  readonly parser?: "python" | "javascript";
  /** Quoted texts in it are data, neither paths nor command lines. */
  readonly isEditing?: true;
  /** Its statements are SQL. */
  readonly isSql?: true;
  /** Options whose value is a program. */
  readonly options: RegExp;
  /** Flags up to and including such a letter, with which the program may share a word, as in `-ne'…'`. */
  readonly flags?: RegExp;
  /** The first operand is a program, and not a file with one. */
  readonly operand?: true;
  /** Every operand is a program. */
  readonly operands?: true;
  /** Programs come from files, and from the standard input only where `-` says so. */
  readonly isCompiled?: true;
  /** Operands are files that it edits; programs come from the standard input all the same. */
  readonly operandIsFile?: true;
  /** Without a program in the arguments, it is read from the standard input. */
  readonly input?: true;
  /** Ways to use files, hosts and commands that are no calls of functions; the first group is the text. */
  readonly patterns?: readonly (readonly [pattern: RegExp, what: Capture])[];
}

const none = /^(?!)/;
const hash: Lexis = { comments: ["#"] };
const slashes: Lexis = { comments: ["//", "/*"] };
const shellQuotes: Lexis = { comments: ["#"], backquotes: "command" };

const awk: Language = {
  ...hash,
  options: /^(?:-e|--source)$/,
  operand: true,
  patterns: [
    [/\bprintf?\b[^;}\n|>]{0,200}>{1,2}\s{0,4}"([^"]{1,400})"/g, "write"],
    [
      /\b[A-Za-z_]\w{0,40}\s{0,4}=\s{0,4}"(\/[^"]{1,400})"(?=[^]{0,400}\bprintf?\b[^;}\n|>]{0,80}>{1,2}\s{0,4}[A-Za-z_])/g,
      "write",
    ],
    [/getline\b[^;}\n<]{0,80}<\s{0,4}"([^"]{1,400})"/g, "read"],
    [/"([^"]{1,400})"\s{0,4}\|&?\s{0,4}getline/g, "run"],
    [/\bprintf?\b[^;}\n|]{0,200}\|&?\s{0,4}"([^"]{1,400})"/g, "run"],
    [/\/inet6?\/(?:tcp|udp)\/0\/([^/"]{1,255})\//g, "connect"],
    [/\/inet6?\/(?:tcp|udp)\/\d{1,5}\/(")/g, "connect-somewhere"],
    [/\/inet6?\/(?:tcp|udp)\/([1-9]\d{0,4})\/0\/0/g, "listen"],
  ],
};
const tex: Language = {
  comments: ["%"],
  options: none,
  operands: true,
  patterns: [
    [
      /\\(?:verbatim|lstinput|VerbatimI)?[iI]np?ut(?:listing|minted)?\*?(?:\[[^\]]{0,80}\])?\{([^}]{1,400})\}/g,
      "read",
    ],
    [/\\(?:input|include|openin\S{0,40}=)\s{0,4}\{?([^\s{}\\]{1,400})/g, "read"],
    [/\\openout\S{0,40}?=\s{0,4}([^\s{}\\]{1,400})/g, "write"],
    [/\\write18\s{0,4}\{([^}]{1,400})\}/g, "run"],
  ],
};
const make: Language = {
  ...hash,
  options: /^(?:--eval|-E)$/,
  input: true,
  patterns: [
    [/\$\(file\s{1,4}>{1,2}\s{0,4}([^,)\s]{1,400})/g, "write"],
    [/\$\(file\s{0,4}<\s{0,4}([^,)\s]{1,400})/g, "read"],
    [/\$\(shell\s{1,4}([^)]{1,400})/g, "run"],
    [/(?:^|\n)\t([^\n]{1,400})/g, "run"],
    [/:\s{0,4};([^\n]{1,400})/g, "run"],
    [/(?:^|\n)-?include\s{1,4}(\S{1,400})/g, "read"],
  ],
};
const vim: Language = {
  comments: [],
  options: /^(?:-c|--cmd|-S|\+)$/,
  patterns: [
    [
      /(?:^|[|:\n]|\s)(?:w|write|sav|saveas|wq|up|update|x|xit|redir)!?\s{0,4}(?:>{1,2}\s{0,4})([^\s|]{1,400})/g,
      "write",
    ],
    [/(?:^|[|:\n])\s{0,4}(?:w|write|sav|saveas|wq)!?[ \t]{1,4}([^\s|>!][^\s|]{0,400})/g, "write"],
    [/\bredir!?\s{1,4}>{1,2}\s{0,4}([^\s|]{1,400})/g, "write"],
    [
      /(?:^|[|:\n])\s{0,4}(?:e|edit|r|read|sp|split|vs|vsplit|tabe|so|source)!?[ \t]{1,4}([^\s|!][^\s|]{0,400})/g,
      "read",
    ],
    [/(?:^|[|:\n])\s{0,4}(?:r|read|w|write)?\s{0,4}!([^|]{1,400})/g, "run"],
  ],
};
const ed: Language = { ...vim, options: none, input: true, operandIsFile: true };
const editor: Language = { ...vim, input: true, operandIsFile: true };
const pager: Language = {
  comments: [],
  options: /^\+$/,
  input: true,
  operandIsFile: true,
  patterns: [
    [/(?:^|\n)\s{0,4}!\s{0,4}([^\n]{1,400})/g, "run"],
    [/(?:^|\n)s\s{0,4}(\/[^\s]{1,400})/g, "write"],
    [/(?:^|\n):e\s{1,4}([^\s]{1,400})/g, "read"],
  ],
};
const lisp: Language = {
  comments: [";;"],
  options: /^-{1,2}(?:c|e|x|eval|evaluate)$/,
  input: true,
  patterns: [
    [
      /\((?:write-region|append-to-file|write-file|copy-file|call-with-output-file|with-output-to-file|open-output-file|make-directory|with-open-file\s{1,4}\(\w{1,40})\s[^()]{0,200}"([^"]{1,400})"[^()"]{0,80}[()]/g,
      "write",
    ],
    [
      /\((?:insert-file-contents|insert-file|find-file|load|load-file|open-input-file|call-with-input-file|with-input-from-file)\s{1,4}"([^"]{1,400})"/g,
      "read",
    ],
    [/\((?:delete-file|delete-directory|rename-file)\s{1,4}"([^"]{1,400})"/g, "delete"],
    [
      /\((?:shell-command|shell-command-to-string|call-process|start-process|system\*?|term|run-program|uiop:run-program|process)\s{1,4}(?:"[^"]{1,40}"\s{1,4}nil\s{1,4})?"([^"]{1,400})"/g,
      "run",
    ],
    [
      /\((?:url-copy-file|url-retrieve|url-retrieve-synchronously|http-get|http-request|open-network-stream\s{1,4}"[^"]{0,80}"\s{1,4}\S{1,40})\s{1,4}"([^"]{1,400})"/g,
      "connect",
    ],
  ],
};
const sed: Language = {
  comments: [],
  isEditing: true,
  options: /^(?:-[a-zA-Z]*e|--expression)$/,
  operand: true,
  patterns: [
    [/(?:^|[;\n{}\d$/!,#|~])\s{0,4}[wW]\s{1,4}([^\s;}][^\n;}]{0,400})/g, "write"],
    [/[/|,#~:!@][gpiIme0-9]{0,6}w\s{1,4}([^\s;}][^\n;}]{0,400})/g, "write"],
    [/(?:^|[;\n{}\d$/!,])\s{0,4}[rR]\s{1,4}([^\s;}][^\n;}]{0,400})/g, "read"],
    [/(?:^|[;\n{}\d$!])\s{0,4}e\s{1,4}([^\n]{1,400})/g, "run"],
    // `s/a/b/e` runs what comes out.
    ...["/", "\\|", ",", "#", "@"].map((mark): readonly [RegExp, Capture] => {
      const part = `(?:\\\\.|[^${mark}\\\\\\n])`;
      return [new RegExp(`s${mark}${part}{0,400}${mark}(${part}{1,400})${mark}[gpiIm0-9]{0,6}e`, "g"), "run"];
    }),
  ],
};
const gdb: Language = {
  ...hash,
  options: /^(?:-{1,2}(?:ex|eval-command|iex|init-eval-command|o|O|one-line))$/,
  patterns: [
    [
      /^(?:dump|append)(?:\s+(?:binary|ihex|srec|tekhex|verilog))?(?:\s+(?:memory|value))?\s+(\S{1,400})/g,
      "write",
    ],
    [/^(?:set\s+logging\s+file|save\s+\S+|generate-core-file)\s+(\S{1,400})/g, "write"],
    [/^(?:source|restore|exec-file|add-symbol-file|file)\s+(\S{1,400})/g, "read"],
    [/^(?:!|shell\s+|platform\s+shell\s+|pipe\s+[^|]*\|\s*)([^]{1,400})/g, "run"],
  ],
};
const database: Language = {
  comments: ["--"],
  options: /^(?:-cmd|-{1,2}c|-{1,2}e|--command|--execute|--eval|--query|-[qQ])$/,
  operands: true,
  input: true,
  isSql: true,
  // The commands of the clients themselves, by line.
  patterns: [
    [
      /(?:^|\n)\s{0,4}\.(?:import|output|once|read|o|excel)\b[^\n|]{0,80}["']?\|\s{0,4}([^\n"']{1,400})/g,
      "run",
    ],
    [/(?:^|\n)\s{0,4}\.(?:sh|she|shel|shell|sy|sys|syst|syste|system)\s{1,4}([^\n]{1,400})/g, "run"],
    [
      /(?:^|\n)\s{0,4}\.(?:output|once|log|trace|save|backup|clone|dump)\s{1,4}(?:-\w{1,20}\s{1,4}|(?:main|temp)\s{1,4}){0,4}["']?([^\s"'|]{1,400})/g,
      "write",
    ],
    [
      /(?:^|\n)\s{0,4}\.(?:read|import|load|open|restore|cd)\s{1,4}(?:-\w{1,20}\s{1,4}|(?:main|temp)\s{1,4}){0,4}["']?([^\s"'|]{1,400})/g,
      "read",
    ],
    [/\\(?:!|setenv)\s{0,4}([^\n]{1,400})/g, "run"],
    [/(?:^|\n)\s{0,4}(?:system|pager|\\P)\s{1,4}([^\n;]{1,400})/g, "run"],
    [/\\(?:o|out|g|gx|w|write)\s{1,4}['"]?\|\s{0,4}([^'"\n]{1,400})/g, "run"],
    [/\\set\s{1,4}\w{1,60}\s{1,4}`([^`\n]{1,400})`/g, "run"],
    [/\\(?:o|out|g|gx|w|write|s)\s{1,4}['"]?([^\s'"|]{1,400})/g, "write"],
    [/(?:^|\n)\s{0,4}(?:tee|\\T)\s{1,4}([^\s;]{1,400})/g, "write"],
    [/\\(?:i|ir|include|include_relative|lo_import)\s{1,4}['"]?([^\s'"]{1,400})/g, "read"],
    [/(?:^|\n)\s{0,4}(?:source|\\\.)\s{1,4}([^\s;]{1,400})/g, "read"],
    [/\\copy\s[^\n]{0,400}?\sfrom\s{1,4}(?!program\s)([^\s'"(]{1,400})/gi, "read"],
    [/\\copy\s[^\n]{0,400}?\sto\s{1,4}(?!program\s)([^\s'"(]{1,400})/gi, "write"],
    [/\\lo_export\s{1,4}\S{1,40}\s{1,4}['"]?([^\s'"]{1,400})/g, "write"],
  ],
};
/** Operands are parts of one command, and an address may be an option's value. */
const redis: Language = {
  comments: ["#"],
  options: none,
  input: true,
  operandIsFile: true,
  patterns: [
    [
      /\bconfig\s{1,4}set\s{1,4}(?:dir|dbfilename|logfile|appendfilename|appenddirname|aclfile)\s{1,4}["']?([^\s"']{1,400})/gi,
      "write",
    ],
  ],
};
const tcl: Language = {
  ...hash,
  options: /^-c$/,
  input: true,
  patterns: [
    [/\b(?:exec|spawn)\s{1,4}([^\n;\]]{1,400})/g, "run"],
    [/\bopen\s{1,4}["{]?([^\s"}]{1,400})["}]?\s{1,4}["{]?[wa]/g, "write"],
    [/\b(?:open|source)\s{1,4}["{]?([^\s"}\]]{1,400})/g, "read"],
    [/\bsocket\s{1,4}(?:-\w+\s{1,4}\S+\s{1,4})?([a-z0-9][^\s\]]{0,255})\s/gi, "connect"],
  ],
};
const powershell: Language = {
  ...hash,
  options: /^-(?:c|command|commandwithargs)$/i,
  operand: true,
  patterns: [
    [
      /\b(?:Out-File|Set-Content|Add-Content|Tee-Object|Export-\w+|New-Item|Clear-Content)\b(?:\s+-(?:FilePath|Path|LiteralPath|Force|Append|Encoding \w+))*\s+["']?([^\s"'|;-][^\s"'|;]{0,400})/gi,
      "write",
    ],
    [/(?<!-)>{1,2}\s{0,4}["']?([^\s"'|;&]{1,400})/g, "write"],
    [
      /\b(?:Remove-Item|rm|del|rd)\b(?:\s+-(?:Path|LiteralPath|Recurse|Force))*\s+["']?([^\s"'|;-][^\s"'|;]{0,400})/gi,
      "delete",
    ],
    [
      /\b(?:Get-Content|gc|cat|type|Import-\w+|Select-String)\b(?:\s+-(?:Path|LiteralPath|Raw))*\s+["']?([^\s"'|;-][^\s"'|;]{0,400})/gi,
      "read",
    ],
    [
      /\b(?:iwr|irm|Invoke-WebRequest|Invoke-RestMethod|wget|curl|TCPClient\(|DownloadString\(|DownloadFile\()[^;|\n]{0,80}?["']?((?:https?:\/\/)?[a-z0-9-]+(?:\.[a-z0-9-]+)+)/gi,
      "connect",
    ],
  ],
};
const macros: Language = {
  ...hash,
  options: none,
  input: true,
  patterns: [
    [/\b(?:syscmd|esyscmd)\(`?([^')]{1,400})/g, "run"],
    [/\bs?include\(`?([^')]{1,400})/g, "read"],
  ],
};
const puppet: Language = {
  ...hash,
  options: /^(?:-e|--execute)$/,
  patterns: [
    [/\bfile\s{0,4}\{\s{0,4}["']([^"']{1,400})["']/g, "write"],
    [/\b(?:file|template)\(\s{0,4}["']([^"']{1,400})/g, "read"],
    [/\bexec\s{0,4}\{\s{0,4}["']([^"']{1,400})["']/g, "run"],
  ],
};
const perlPatterns: Language["patterns"] = [
  [/<\s{0,2}["']?(\/[^\s"'>]{1,400})>/g, "read"],
  [/\bunlink\s{0,4}\(?\s{0,4}(?:glob\s{0,4}\(?\s{0,4}["']|<)([^"'>]{1,400})/g, "delete"],
];
const phpPatterns: Language["patterns"] = [
  [
    /\barray_(?:map|walk)\s{0,4}\(\s{0,4}["'](?:unlink|rmdir)["']\s{0,4},\s{0,4}glob\(\s{0,4}["']([^"']{1,400})/g,
    "delete",
  ],
];

const groups: readonly (readonly [names: string, language: Language])[] = [
  [
    "python pypy ipython bpython jython",
    { ...hash, parser: "python", options: /^-[A-Za-z]*c$/, input: true },
  ],
  [
    "node nodejs bun tsx ts-node qjs d8",
    { ...slashes, parser: "javascript", options: /^(?:-[A-Za-z]*[ep]|--eval|--print)$/, input: true },
  ],
  ["deno", { ...slashes, parser: "javascript", options: /^eval$/, input: true }],
  ["jrunscript jjs", { ...slashes, parser: "javascript", options: /^-e$/, input: true }],
  [
    "jshell",
    {
      ...slashes,
      options: none,
      input: true,
      patterns: [
        [/(?:^|\n)\s{0,4}\/save\s{1,4}(?:-\w{1,20}\s{1,4}|\d\S{0,20}\s{1,4})?(\S{1,400})/g, "write"],
        [/(?:^|\n)\s{0,4}\/open\s{1,4}(\S{1,400})/g, "read"],
      ],
    },
  ],
  ["groovy scala kotlin java", { ...slashes, options: /^-e$/, input: true }],
  [
    "go gccgo rustc cargo-script gcc cc tcc clang g++ c++ clang++ javac kotlinc scalac csc dotnet swift swiftc zig dart crystal v nim dmd rdmd ldc2 fpc gfortran",
    { ...slashes, options: none, isCompiled: true },
  ],
  [
    "perl cpan",
    {
      ...shellQuotes,
      options: /^-[A-Za-z0-9]*[eE]$/,
      flags: /^-(?:[acnpsStTuUwWX]|[0l][0-7]{0,6}){1,12}[eE]/,
      input: true,
      patterns: perlPatterns,
    },
  ],
  [
    "ruby irb jruby",
    {
      ...shellQuotes,
      options: /^-[A-Za-z]*e$/,
      flags: /^-(?:[acnplswSUvW]|0[0-7]{0,6}){1,12}e/,
      input: true,
    },
  ],
  [
    "php",
    {
      comments: ["//", "/*"],
      backquotes: "command",
      options: /^-[rRBE]$/,
      input: true,
      patterns: phpPatterns,
    },
  ],
  ["lua luajit texlua", { comments: ["--"], options: /^-e$/, input: true }],
  ["julia", { ...shellQuotes, options: /^(?:-[eE]|--eval|--print)$/, input: true }],
  ["R Rscript r rscript littler", { ...hash, options: /^(?:-e|--expression)$/, input: true }],
  [
    "octave octave-cli matlab scilab",
    { comments: ["%"], options: /^-{1,2}(?:eval|r|batch|e)$/, input: true },
  ],
  ["osascript", { comments: ["--"], options: /^-e$/, input: true }],
  ["elixir iex erl", { ...hash, options: /^-{1,2}(?:e|eval)$/ }],
  ["ghc ghci runghc", { comments: ["--"], options: /^-e$/ }],
  ["guile racket sbcl clisp emacs emacsclient csi gosh", lisp],
  ["gimp gimp-console", { ...hash, options: /^(?:-b|--batch)$/, input: true }],
  ["less more most", pager],
  [
    "gnuplot",
    {
      ...shellQuotes,
      options: /^-e$/,
      input: true,
      patterns: [[/\bset\s{1,4}(?:output|table|print)\s{1,4}["']([^"']{1,400})["']/g, "write"]],
    },
  ],
  ["awk gawk mawk nawk goawk original-awk", awk],
  ["tex latex pdftex pdflatex xelatex lualatex luatex xetex etex", tex],
  ["make gmake gnumake", make],
  ["vim vi nvim view rvim gvim vimdiff rview", editor],
  ["ex", vim],
  ["ed red", ed],
  ["sed gsed", sed],
  ["gdb lldb cgdb", gdb],
  [
    "sqlite3 sqlite psql mysql mariadb duckdb pgcli mycli litecli sqlcmd cockroach clickhouse-client",
    database,
  ],
  ["redis-cli valkey-cli keydb-cli", redis],
  ["tclsh wish expect", tcl],
  ["pwsh powershell", powershell],
  ["m4", macros],
  ["puppet", puppet],
];

const languages = new Map<string, Language>(
  groups.flatMap(([names, language]) => names.split(" ").map((name) => [name, language] as const)),
);

/** The language that a program interprets, by its name, also with a version such as `python3.12`. */
export function languageOf(name: string): Language | undefined {
  return (
    languages.get(name) ?? languages.get(name.replace(/[0-9.]+$/, "")) ?? languages.get(name.toLowerCase())
  );
}

const ids = new Map(groups.map(([, language], at) => [language, at]));

/** A number that no other language has. */
export function idOf(language: Language): number {
  return ids.get(language) ?? -1;
}
