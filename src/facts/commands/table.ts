import type { Syntax } from "./arguments.ts";

/** What a program does with an argument. */
export type ArgumentRole =
  "read" | "write" | "delete" | "list" | "any" | "run" | "connect" | "listen" | "none";

/**
 * The options and operands of one program. Names of options are without dashes and separated by blanks; all that are
 * named here take a value. Options that are not named take none.
 */
export interface OptionRow {
  readonly values?: string;
  readonly reads?: string;
  readonly writes?: string;
  /** Options that make it change its operands in place; they take no value. */
  readonly edits?: string;
  /** Options with which it reads the files whose names are lines of its standard input. */
  readonly listed?: string;
  /** Values are command lines, which a shell or the program starts. */
  readonly runs?: string;
  /** Values are addresses. */
  readonly connects?: string;
  /** Values are addresses or ports where it waits for connections. */
  readonly listens?: string;
  /** Role of the operands; `any` where it is absent. */
  readonly operands?: ArgumentRole;
  /** Role of the first operand, and of the last one if there are several, where they differ. */
  readonly first?: ArgumentRole;
  readonly last?: ArgumentRole;
  /** It connects to a place that its arguments do not name. */
  readonly unnamed?: true;
  /** A word with one dash is one option: a letter with its value, or a name. */
  readonly whole?: true;
}

const editor = { operands: "write", values: "c cmd u S T", reads: "s" } as const;

/** Names of programs, separated by blanks, and their row. */
const groups: readonly (readonly [programs: string, row: OptionRow])[] = [
  [
    "echo printf true false : export pwd exit sleep whoami id uname kill set unset shift read local declare return break continue wait type alias hash ps env printenv seq expr let typeset readonly getopts ulimit umask times jobs fg bg disown history logger",
    { operands: "none" },
  ],
  // Reading
  ["base32 base64 base58 basenc basez ascii85 atobm", { values: "w wrap", operands: "read" }],
  [
    "cat tac rev wc sum cksum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum shasum crc32 comm zcat bzcat xzcat zstdcat lz4cat gzcat zless zmore zgrep zcmp zdiff more pg xmore bat batcat csvlook soelim tbl eqn pic nroff troff groff highlight glow readelf objdump nm size redcarpet w3mman expand unexpand ul",
    { operands: "read" },
  ],
  ["less", { writes: "o O log-file LOG-FILE", values: "p t x", reads: "k T lesskey-file", operands: "read" }],
  ["head tail", { values: "n c s lines bytes sleep-interval pid", operands: "read" }],
  ["cut colrm", { values: "d f b c output-delimiter delimiter fields bytes characters", operands: "read" }],
  ["fold fmt", { values: "w p g width prefix goal", operands: "read" }],
  ["nl", { values: "b d f h i l n s v w", operands: "read" }],
  ["pr", { values: "D h l N o S w W", operands: "read" }],
  ["paste", { values: "d delimiters", operands: "read" }],
  ["join", { values: "1 2 a v e o t j", operands: "read" }],
  ["uniq", { values: "f s w", operands: "read", last: "write" }],
  ["column", { values: "c s t o N output-width separator output-separator table-columns", operands: "read" }],
  ["look", { values: "t", operands: "read", first: "none" }],
  ["tr", { operands: "none" }],
  ["od", { values: "A j N S t w", operands: "read" }],
  ["hexdump hd strings", { values: "e n s t bytes radix encoding", reads: "f", operands: "read" }],
  ["espeak", { values: "v s p a k", reads: "f", writes: "w", operands: "none" }],
  ["file", { reads: "f files-from m magic-file", operands: "list" }],
  [
    "shuf",
    { values: "n i head-count input-range e", reads: "random-source", writes: "o output", operands: "read" },
  ],
  [
    "sort",
    {
      values: "k t S T key field-separator buffer-size temporary-directory parallel",
      reads: "files0-from random-source",
      writes: "o output",
      runs: "compress-program",
      operands: "read",
    },
  ],
  ["csplit", { values: "b n suffix-format digits", writes: "f prefix", operands: "none", first: "read" }],
  [
    "split",
    {
      values: "b l n a C f k prefix suffix-format digits bytes lines",
      runs: "filter",
      operands: "read",
      last: "write",
    },
  ],
  [
    "xxd uuencode uudecode",
    { values: "c g l s o seek len cols", writes: "o", operands: "read", last: "write" },
  ],
  [
    "iconv msgfilter msgmerge msgattrib msgcat msgconv msguniq",
    { values: "f t from-code to-code", writes: "o output output-file", reads: "i input", operands: "read" },
  ],
  ["dos2unix unix2dos", { writes: "n newfile", operands: "write" }],
  [
    "jq yq gron fx xq",
    {
      edits: "i inplace in-place",
      values: "arg argjson indent",
      reads: "f from-file rawfile slurpfile L",
      first: "none",
      operands: "read",
    },
  ],
  [
    "diff cmp sdiff diff3 colordiff",
    {
      values: "U C W x I label ifdef",
      reads: "exclude-from from-file to-file X",
      writes: "output o",
      operands: "read",
    },
  ],
  ["date", { values: "d s date set", reads: "f file r reference", operands: "none" }],
  [
    "pandoc",
    {
      values: "f t r w from to read write M V metadata variable shift-heading-level-by wrap columns",
      reads:
        "template css include-in-header H B A include-before-body include-after-body reference-doc bibliography defaults d metadata-file",
      writes: "o output extract-media log",
      runs: "F filter L lua-filter pdf-engine",
      operands: "read",
    },
  ],
  ["exiftool", { values: "ext if", writes: "o out filename w textout", operands: "read" }],
  ["expect tclsh wish", { operands: "read" }],
  ["minicom", { values: "D b c S", writes: "C", operands: "none" }],
  [
    "xterm uxterm rxvt urxvt",
    { values: "T geometry fn bg fg", runs: "e", connects: "display", operands: "none" },
  ],
  [
    "dialog whiptail zenity",
    {
      reads: "textbox file filename",
      values: "title backtitle menu yesno msgbox inputbox",
      operands: "none",
    },
  ],
  [
    "ffmpeg",
    {
      values: "f c r b ss t vf af filter_complex loglevel map codec preset",
      reads: "i",
      operands: "write",
      whole: true,
    },
  ],
  ["ffprobe", { values: "f v of show_entries loglevel", reads: "i", operands: "read", whole: true }],
  ["convert magick wkhtmltopdf wkhtmltoimage weasyprint", { operands: "read", last: "write" }],
  ["dpkg-deb", { operands: "read", last: "write" }],
  ["logsave", { first: "write", operands: "none" }],
  ["xmlstarlet xml", { edits: "L inplace", operands: "read" }],
  ["telnetd", { runs: "l", listens: "p", operands: "none" }],
  ["rpm2cpio dpkg-query", { operands: "read" }],
  ["enscript a2ps", { writes: "o p output", values: "P d", runs: "I filter", operands: "read" }],
  ["last lastb utmpdump who", { reads: "f file", operands: "none" }],
  ["dmesg", { reads: "F file K kmsg-file", operands: "none" }],
  [
    "journalctl",
    {
      reads: "file root D directory",
      writes: "cursor-file",
      values: "u unit n lines since until p priority t o output b",
      operands: "none",
    },
  ],
  [
    "terraform tofu",
    {
      values: "chdir var target",
      reads: "var-file",
      writes: "out state state-out backup",
      operands: "none",
      whole: true,
    },
  ],
  ["clamscan", { reads: "f file-list", writes: "l log copy move", operands: "read" }],
  ["sysctl", { reads: "p load", operands: "none" }],
  ["wall write", { values: "t timeout g", operands: "read" }],
  ["getent", { operands: "none" }],
  // Archives
  ["7z 7za 7zr", { writes: "o w", operands: "any" }],
  ["zip", { values: "P x i n b t tt", runs: "TT unzip-command", operands: "read", first: "write" }],
  ["ar arj lha zoo rar", { values: "p m", first: "none", operands: "any" }],
  ["unrar", { values: "p", first: "none", operands: "any", last: "write" }],
  ["arp", { operands: "none" }],
  ["pdftotext pdftohtml pdftops qpdf sox pdfunite", { operands: "read", last: "write" }],
  ["gs", { writes: "sOutputFile o", operands: "read" }],
  [
    "protoc",
    {
      values: "I proto_path plugin",
      writes: "cpp_out python_out java_out go_out js_out o descriptor_set_out",
      operands: "read",
    },
  ],
  ["valgrind", { values: "tool", writes: "log-file xml-file", operands: "none" }],
  ["time gtime", { values: "f format", writes: "o output", operands: "none" }],
  ["ldconfig", { values: "r", reads: "f", writes: "C", operands: "none" }],
  ["objcopy", { values: "I O B j R", operands: "read", last: "write" }],
  [
    "cpio pax",
    {
      values: "H C format",
      reads: "I E",
      writes: "O F file D directory",
      listed: "o create p pass-through w",
      runs: "rsh-command",
      operands: "write",
    },
  ],
  ["mksquashfs", { operands: "read", last: "write" }],
  ["unsquashfs", { writes: "d dest", operands: "read" }],
  [
    "genisoimage mkisofs xorriso",
    { writes: "o output", reads: "path-list", values: "V A", operands: "read" },
  ],
  [
    "restic borg duplicity",
    {
      values: "tag host keep-last r repo",
      reads: "p password-file files-from include-file exclude-file",
      writes: "target t",
      runs: "password-command o",
      operands: "any",
    },
  ],
  ["logrotate", { writes: "l log s state m", operands: "read" }],
  // Writing
  ["touch", { values: "d t date", reads: "r reference", operands: "write" }],
  ["mkdir mkfifo mknod", { values: "m mode", operands: "write" }],
  ["truncate fallocate", { values: "s l o size length", reads: "r reference", operands: "write" }],
  ["tee sponge", { operands: "write" }],
  ["rmdir unlink rimraf trash trash-put del-cli", { operands: "delete" }],
  ["rm srm", { operands: "delete" }],
  ["shred wipe", { values: "n s iterations size", reads: "random-source", operands: "delete" }],
  ["gio", { operands: "any" }],
  [
    "chmod chown chgrp chattr setcap chcon",
    { reads: "reference", values: "from", first: "none", operands: "write" },
  ],
  ["setfacl", { reads: "restore M X", values: "m x modify remove", operands: "write" }],
  ["strip patchelf chrpath", { values: "set-rpath set-interpreter", writes: "o", operands: "write" }],
  ["install-info update-alternatives", { operands: "write" }],
  [
    "vi vim vimdiff nvim view rvim gvim nano pico micro mcedit joe jed emacs emacsclient mg kak helix hx ne zile sudoedit rnano crontab2",
    editor,
  ],
  ["ed ex red", { values: "c p cmd", operands: "write" }],
  ["vipw vigr visudo", { operands: "write", writes: "f file" }],
  ["ln", { writes: "t target-directory", values: "S suffix", operands: "read", last: "write" }],
  [
    "cc gcc g++ clang clang++ tcc ld gold lld as cobc ghc ocamlopt ocamlc fpc gfortran rustc nasm yasm swiftc nim crystal dmd ldc2",
    {
      values: "x std l f D I L O W E emit edition crate-type target M",
      reads: "T include imacros specs",
      writes: "o out out-dir MF MT l-output save-temps",
      whole: true,
      runs: "wrapper B fplugin linker",
      operands: "read",
    },
  ],
  [
    "javac kotlinc scalac",
    { writes: "d s h", values: "cp classpath source target", operands: "read", whole: true },
  ],
  ["rustdoc rustfmt", { writes: "o output", values: "edition crate-name", operands: "read" }],
  [
    "tsc",
    {
      writes: "outFile outDir declarationDir tsBuildInfoFile generateTrace out",
      reads: "p project",
      values: "target t module m lib moduleResolution jsx",
      operands: "read",
    },
  ],
  [
    "esbuild swc rollup webpack vite parcel",
    { writes: "o outfile outdir file dir output output-path metafile", operands: "read" },
  ],
  [
    "go",
    {
      writes: "o cpuprofile memprofile coverprofile trace",
      runs: "exec toolexec vettool",
      values: "C mod tags run ldflags gcflags",
      operands: "none",
      whole: true,
    },
  ],
  [
    "cmake",
    {
      reads: "P C",
      writes: "prefix B install-prefix graphviz trace-redirect",
      values: "G D S E",
      operands: "none",
    },
  ],
  ["ctags etags cscope", { writes: "f o output", operands: "read" }],
  [
    "openssl",
    {
      reads: "in key cert CAfile inkey certfile signkey kfile rand config sigfile data",
      writes: "out keyout outform2 writerand sess_out keylogfile",
      values: "passin passout subj days newkey name inform outform k pass K iv md cipher engine2 servername",
      connects: "connect host proxy",
      runs: "engine provider",
      operands: "any",
    },
  ],
  [
    "gpg gpg2 gpgsm",
    {
      values:
        "r recipient u local-user passphrase cipher-algo s2k-mode keyserver homedir passphrase-fd pinentry-mode",
      reads: "passphrase-file",
      writes: "o output",
      runs: "exec photo-viewer",
      operands: "read",
    },
  ],
  [
    "age",
    { values: "r recipient", reads: "i identity R recipients-file", writes: "o output", operands: "read" },
  ],
  ["ssh-copy-id", { values: "p o", reads: "i F", operands: "connect" }],
  ["ssh-keyscan", { values: "p T t", reads: "f", operands: "connect" }],
  ["ssh-agent ssh-add", { values: "t a", runs: "P S s", operands: "read" }],
  [
    "tcpdump dumpcap tshark wireshark",
    { values: "i c s B G C W y M f b a Z T e Y", reads: "r F", writes: "w", runs: "z X", operands: "none" },
  ],
  ["iptables-save ip6tables-save nft-save", { writes: "f file", operands: "none" }],
  ["iptables-restore ip6tables-restore nft", { reads: "f file I includepath", operands: "any" }],
  ["dmidecode", { values: "s t", writes: "dump-bin", reads: "from-dump", operands: "none" }],
  [
    "varnishncsa varnishlog varnishd",
    { values: "g q F n", writes: "w P", reads: "f", runs: "C", operands: "none" },
  ],
  [
    "script",
    {
      values: "E m",
      writes: "t T log-timing log-in log-out log-io I O B",
      runs: "c command",
      operands: "write",
    },
  ],
  [
    "rlwrap",
    { values: "b p q s a t", reads: "f file", writes: "l logfile H history-filename", operands: "none" },
  ],
  ["screen", { values: "S T e h s t p", reads: "c", writes: "Logfile L-file", operands: "none" }],
  ["strace ltrace", { values: "e p P s u a E I S X O n", writes: "o output", operands: "none" }],
  ["gcore", { writes: "o", operands: "none" }],
  [
    "hashcat john",
    {
      values: "m a",
      writes: "o outfile potfile-path debug-file pot",
      reads: "r rules-file wordlist",
      operands: "read",
    },
  ],
  [
    "nmap masscan",
    {
      values: "p T max-retries script-args e S g output-format output-filename rate top-ports ports",
      reads: "iL excludefile datadir servicedb",
      writes: "oN oX oG oA oS",
      runs: "script",
      operands: "connect",
    },
  ],
  ["aspell ispell", { reads: "p d", values: "l lang", operands: "write", first: "none" }],
  [
    "latex pdflatex xelatex lualatex luatex tex pdftex etex",
    {
      writes: "output-directory jobname aux-directory recorder",
      reads: "include-directory fmt",
      operands: "read",
    },
  ],
  ["dvips", { writes: "o", operands: "read" }],
  [
    "pip pip3 uv poetry pipx",
    {
      reads: "r requirement c constraint",
      writes: "t target prefix root report log cache-dir",
      connects: "i index-url extra-index-url f find-links proxy trusted-host default-index index",
      operands: "none",
      unnamed: true,
    },
  ],
  [
    "npm pnpm yarn bun",
    {
      values: "w workspace tag loglevel otp access scope",
      reads: "userconfig",
      writes: "prefix C globalconfig cache pack-destination dir cwd",
      connects: "registry proxy https-proxy",
      operands: "none",
    },
  ],
  ["sqlite3", { values: "separator newline nullvalue", reads: "init", runs: "", operands: "any" }],
  [
    "pg_dump pg_dumpall mysqldump mongodump",
    {
      values: "t n U p d",
      writes: "f file r result-file o out T tab",
      connects: "h host",
      operands: "none",
      unnamed: true,
    },
  ],
  [
    "psql mysql mariadb pg_restore",
    {
      values: "U p d v c e P",
      reads: "f file",
      writes: "o output L log-file tee",
      connects: "h host",
      operands: "none",
    },
  ],
  [
    "redis-cli mongo mongosh mongorestore",
    { values: "p a n", reads: "eval", writes: "rdb o", connects: "h host uri", operands: "none" },
  ],
  [
    "docker podman nerdctl",
    {
      values: "e t f name network p w u entrypoint platform",
      reads: "env-file",
      writes: "o output iidfile cidfile metadata-file",
      operands: "none",
    },
  ],
  [
    "kubectl oc",
    {
      values: "n namespace o l context s server token",
      reads: "f filename k kubeconfig from-file from-env-file",
      operands: "none",
      unnamed: true,
    },
  ],
  // Network
  [
    "aria2c",
    {
      values: "s x j k split",
      reads: "i input-file conf-path",
      writes: "d dir o out l log save-session",
      connects: "all-proxy http-proxy https-proxy",
      runs: "on-download-complete on-download-start on-bt-download-complete on-download-error on-download-stop",
      operands: "connect",
    },
  ],
  ["axel", { values: "n s U N H", writes: "o output", operands: "connect" }],
  ["lwp-download", { operands: "connect", last: "write" }],
  ["lwp-request GET HEAD POST", { values: "m b t i c C H p", writes: "o", operands: "connect" }],
  [
    "ab hey wrk siege oha bombardier",
    {
      values: "n c t k r d H A m T b C P z q w Z f",
      reads: "p u D",
      writes: "e g o",
      connects: "X x",
      operands: "connect",
    },
  ],
  ["whois rwhois jwhois", { values: "p port", connects: "h host", operands: "connect" }],
  ["tftp atftp ftp ncftp lftp", { values: "P p m c k u", runs: "e", operands: "connect" }],
  ["ncftpget ncftpput", { values: "u p P", operands: "connect" }],
  ["smbclient", { values: "U p W n m", reads: "A", connects: "I", operands: "connect" }],
  ["rlogin rsh rexec", { values: "l p", first: "connect", operands: "none" }],
  [
    "mosquitto_pub mosquitto_sub mosquitto",
    { values: "t p u P i q", reads: "f c", connects: "h", operands: "none" },
  ],
  ["lp lpr cancel lpq lpstat", { values: "n d o P t u", connects: "h H", operands: "read" }],
  [
    "mail mailx mutt s-nail sendmail msmtp swaks ssmtp",
    {
      values: "s c b r f F t S",
      reads: "a A q attach",
      connects: "server relay",
      runs: "",
      operands: "none",
      unnamed: true,
    },
  ],
  ["socket", { runs: "p", values: "c", operands: "connect" }],
  ["hping3 hping", { values: "p s d e I i c", reads: "E file", operands: "connect" }],
  [
    "fping mtr traceroute tracepath ping6 arping",
    { values: "c i p t m s l q", reads: "f F file", operands: "connect" },
  ],
  ["ntpdate", { reads: "k", operands: "connect" }],
  ["sshfs curlftpfs", { values: "p o", runs: "", first: "connect", operands: "write" }],
  ["sshuttle", { connects: "r remote", runs: "e ssh-cmd", operands: "none" }],
  [
    "tailscale ngrok cloudflared localtunnel lt bore frpc chisel pagekite devtunnel rathole zrok serveo telebit",
    { values: "authtoken", operands: "none", unnamed: true },
  ],
  [
    "openvpn",
    {
      reads: "config ca cert key auth-user-pass",
      writes: "log log-append status writepid",
      runs: "up down client-connect route-up tls-verify plugin",
      connects: "remote",
      operands: "read",
    },
  ],
  ["wg-quick", { operands: "read" }],
  [
    "yt-dlp youtube-dl gallery-dl",
    {
      values:
        "f I playlist-items S format-sort match-filter chapter-filter filter option R retries r limit-rate u username p password sub-langs N",
      writes: "o output P paths",
      reads: "a batch-file cookies",
      runs: "exec",
      connects: "proxy",
      operands: "connect",
    },
  ],
  ["croc magic-wormhole wormhole transfer ffsend", { operands: "any", unnamed: true }],
  [
    "dnsmasq",
    {
      reads: "C conf-file",
      runs: "conf-script dhcp-script",
      writes: "pid-file dhcp-leasefile log-facility",
      operands: "none",
    },
  ],
  [
    "nginx apache2 apache2ctl httpd caddy lighttpd",
    { reads: "c f config include", values: "g k D C s p e", operands: "none" },
  ],
  [
    "certbot",
    {
      values: "d m email domain",
      reads: "c config",
      writes: "config-dir work-dir logs-dir",
      runs: "pre-hook post-hook deploy-hook renew-hook manual-auth-hook",
      operands: "none",
    },
  ],
  // Programs that start others
  [
    "gdb lldb cgdb",
    { reads: "x command core c symbols", values: "cd args pid p ix", runs: "", operands: "any" },
  ],
  ["man", { values: "S s L M", runs: "P pager H html", reads: "l C", operands: "none" }],
  ["crash", { operands: "any" }],
  ["fzf", { runs: "preview bind", values: "q query height", operands: "none" }],
  [
    "ansible ansible-playbook",
    {
      values: "m a e u",
      reads: "i inventory vault-password-file",
      runs: "become-exe ssh-common-args",
      operands: "read",
    },
  ],
  [
    "rpm rpmdb rpmquery rpmverify",
    { runs: "pipe", writes: "prefix root r", values: "eval E define D", operands: "any" },
  ],
  [
    "dpkg apt apt-get",
    { values: "t", writes: "root instdir admindir", runs: "", operands: "none", unnamed: true },
  ],
  ["meson", { values: "C", writes: "destdir", operands: "none" }],
  ["procmail", { reads: "m", operands: "any" }],
  ["systemd-run", { operands: "none" }],
];

const syntaxOf = (row: OptionRow): Syntax => {
  const { whole } = row;
  const names = [row.values, row.reads, row.writes, row.runs, row.connects, row.listens].flatMap((text) =>
    (text ?? "").split(" ").filter(Boolean),
  );
  return {
    short: names.filter((name) => name.length === 1).join(""),
    long: names.filter((name) => name.length > 1),
    ...(whole === undefined ? {} : { whole }),
  };
};

/** A row with its names in lists. */
export interface ProgramOptions extends Syntax {
  readonly row: OptionRow;
}

const programs = new Map<string, ProgramOptions>();
for (const [names, row] of groups)
  for (const name of names.split(" ")) programs.set(name, { ...syntaxOf(row), row });

/** Variables of the environment that hold a command line, which some program starts. */
export const commandVariables: ReadonlySet<string> = new Set(
  named(
    "GIT_SSH_COMMAND GIT_SSH GIT_EDITOR GIT_PAGER GIT_EXTERNAL_DIFF GIT_SEQUENCE_EDITOR GIT_PROXY_COMMAND GIT_ASKPASS SSH_ASKPASS SUDO_ASKPASS PAGER MANPAGER LESSOPEN LESSCLOSE EDITOR VISUAL RSYNC_RSH RSYNC_CONNECT_PROG CRASHPAGER PROMPT_COMMAND BROWSER FZF_DEFAULT_COMMAND BASH_ENV SYSTEMD_PAGER TAR_OPTIONS",
  ),
);

/** What the table says of a program; `undefined` for one that it lacks. */
export function optionsOf(name: string): ProgramOptions | undefined {
  return programs.get(name);
}

/** Names of options, as a list. */
export function named(names: string | undefined): readonly string[] {
  return names === undefined || names === "" ? [] : names.split(" ");
}
