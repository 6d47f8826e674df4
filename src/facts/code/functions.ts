import type { PathAccess } from "../paths/row.ts";
import type { Call } from "./calls.ts";
import type { Value } from "./values.ts";

/** What a call does. */
export interface CallEffects {
  readonly paths?: readonly (readonly [Value, PathAccess])[];
  /** Command lines, and lists of words. */
  readonly commands?: readonly Value[];
  readonly hosts?: readonly Value[];
  /** It connects, also where its arguments name no host. */
  readonly connects?: true;
  /** It waits for connections. */
  readonly listens?: true;
  /** It runs a command that its arguments do not show. */
  readonly hides?: true;
  /** It runs texts of its own language. */
  readonly code?: readonly Value[];
}

type Effect = (call: Call) => CallEffects;

/** What a method is called on, or else what a function gets first. */
const targetOf = ({ receiver, args, named }: Call): Value | undefined =>
  receiver.text === undefined
    ? (args[0] ?? named.get("path") ?? named.get("file") ?? named.get("name"))
    : receiver;
const path =
  (access: PathAccess): Effect =>
  (call) => {
    const target = targetOf(call);
    return { paths: target === undefined ? [] : [[target, access]] };
  };
const all =
  (access: PathAccess): Effect =>
  ({ args }) => ({ paths: args.flatMap((arg) => arg.list ?? [arg]).map((arg) => [arg, access] as const) });
const transfer =
  (source: PathAccess): Effect =>
  ({ receiver, args }) => {
    const [from, to] = receiver.text !== undefined && args.length === 1 ? [receiver, args[0]] : args;
    return { paths: [...(from ? [[from, source] as const] : []), ...(to ? [[to, "write"] as const] : [])] };
  };
const writingMode =
  /^(?:r?[bt]?\+[bt]?|[wax][bt+]{0,3}|r\+.*|>{1,2}.*|\+[<>].*|O_.*(?:WRONLY|RDWR|CREAT).*)$/;

/** `open(path, mode)`, Perl's `open(F, ">path")` and `open(F, ">", path)`, `path.open(mode)`. */
const open: Effect = (call) => {
  const { receiver, args, named } = call;
  const texts = args.map(({ text }) => text);
  const arrow = texts.findIndex((text) => text !== undefined && /^(?:\+?[<>]|>>|\|)/.test(text));
  if (arrow >= 0) {
    const [, mode = "", glued = ""] = /^(\+?[<>]{1,2}|\|)\s*([^]*)$/.exec(texts[arrow] ?? "") ?? [];
    if (mode === "|") return { commands: [{ text: glued }] };
    const target = glued === "" || glued.startsWith(":") ? args[arrow + 1] : { text: glued };
    return { paths: target === undefined ? [] : [[target, mode === "<" ? "read" : "write"]] };
  }
  if (args[1]?.text === "-|" || args[1]?.text === "|-") return { commands: args.slice(2) };
  const target = targetOf(call);
  if (target?.text?.startsWith("|")) return { commands: [{ text: target.text.slice(1) }] };
  if (target?.text?.endsWith("|")) return { commands: [{ text: target.text.slice(0, -1) }] };
  const mode =
    named.get("mode")?.text ??
    texts.slice(receiver.text === undefined ? 1 : 0).find((text) => text !== undefined && text.length < 12);
  const access: PathAccess = mode !== undefined && writingMode.test(mode) ? "write" : "read";
  if (target?.text !== undefined && /^[a-z][a-z0-9+.-]*:\/\//i.test(target.text))
    return { hosts: [target], connects: true };
  const remaining = args.filter((arg) => arg !== target && arg.text !== undefined && arg.text !== mode);
  return {
    paths: [target, ...remaining].flatMap((arg) => (arg === undefined ? [] : [[arg, access] as const])),
  };
};

/** Functions that start commands whatever they are called with. */
const certain = /^(?:os|subprocess|child_process|pty|asyncio)\.(?!path\.|run$)/;

/** A command as a text, as a list of words, or as a program with its arguments. */
const run: Effect = ({ name, args, named }) => {
  const given = [...args, ...["args", "cmd", "command"].flatMap((key) => named.get(key) ?? [])];
  const [first, ...rest] = given.filter(({ text, list }) => text !== undefined || list !== undefined);
  if (first === undefined) return given.length > 0 && certain.test(name) ? { hides: true } : {};
  if (first.list !== undefined) return { commands: [first] };
  const executable = named.get("executable");
  if (executable !== undefined) return { commands: [first, executable] };
  const words =
    rest[0]?.list ??
    (/^(?:os\.)?(?:exec|spawn)[lv]|^(?:spawn|execFile|spawnSync|execFileSync|system|exec|run|ProcessBuilder)$/.test(
      name.replace(/^.*\.(?!exec|spawn)/, ""),
    )
      ? rest
      : []);
  return { commands: [words.length > 0 ? { list: [first, ...words] } : first] };
};

const connect: Effect = ({ args, named }) => {
  const parts = args.flatMap((arg) => arg.list ?? [arg]);
  const host = parts.find(
    ({ text }) => text !== undefined && /[a-z.:]/i.test(text) && !/^(?:AF_|SOCK_|tcp|udp|inet)/.test(text),
  );
  const more = named.get("host") ?? named.get("PeerAddr") ?? named.get("hostname");
  return { hosts: [host, more].filter((value) => value !== undefined), connects: true };
};

/** Functions of many meanings, which connect where they are given an address. */
const connectToAddress: Effect = ({ args }) => {
  const addresses = args.slice(0, 2).filter(({ text }) => /^(?:https?|ftps?|wss?):\/\//i.test(text ?? ""));
  return addresses.length === 0 ? {} : { hosts: addresses, connects: true };
};
/** Functions that write to their `file`. */
const writeNamed: Effect = ({ named }) => {
  const file = named.get("file") ?? named.get("con");
  return file === undefined ? {} : { paths: [[file, "write"]] };
};

const listen: Effect = () => ({ listens: true });
/** A name of many meanings: only `*` says that it is about connections. */
const bind: Effect = ({ args }) => (args[0]?.text === "*" ? { listens: true } : {});
const evaluate: Effect = ({ args }) => ({ code: args.slice(0, 1) });

const groups: readonly (readonly [names: string, effect: Effect])[] = [
  [
    "writeFile writeFileSync appendFile appendFileSync createWriteStream outputFile outputFileSync truncate truncateSync chmod chmodSync chown chownSync utimes mkdir mkdirSync mkdtemp mkdirp makedirs mkfifo mknod file_put_contents FileWriter FileOutputStream PrintWriter RandomAccessFile savefig to_csv to_json to_pickle to_excel to_parquet savetxt extractall extractAllTo mkpath make_path ensureDir ensureDirSync ensureFile spurt sink saveRDS",
    path("write"),
  ],
  ["write_text write_bytes touch", path("write")],
  [
    "os.OpenFile OpenFile os.Create os.WriteFile ioutil.WriteFile os.Mkdir os.MkdirAll os.Truncate os.Chmod File.create fs.write fs.create_dir fs.create_dir_all Files.write Files.writeString Files.createFile Files.createDirectories Files.newBufferedWriter WriteAllText WriteAllBytes WriteAllLines AppendAllText createFile StreamWriter ofstream std.ofstream creat write_file File.Create",
    path("write"),
  ],
  ["write cat write.csv write.table writeLines dput dump", writeNamed],
  [
    "File.write IO.write IO.binwrite Deno.writeTextFile Deno.writeFile Deno.writeTextFileSync Bun.write",
    path("write"),
  ],
  [
    "rm rmSync rmdir rmdirSync unlink unlinkSync remove removedirs rmtree rimraf rimrafSync remove_tree rm_rf rm_r rmtree_unsafe remove_dir removeSync emptyDir emptyDirSync delete deleteFile deleteIfExists remove_entry_secure del",
    path("delete"),
  ],
  [
    "os.Remove os.RemoveAll fs.remove_file fs.remove_dir fs.remove_dir_all Files.delete Files.deleteIfExists File.Delete Directory.Delete remove_all fs.remove_all filesystem.remove_all deleteTree deleteDirectory",
    path("delete"),
  ],
  ["File.delete File.unlink FileUtils.rm FileUtils.rm_f Deno.remove", all("delete")],
  [
    "copyFile copyFileSync cp cpSync copy copy2 copyfile copytree copySync cp_r link linkSync symlink symlinkSync hardlink symlink_to",
    transfer("read"),
  ],
  ["move rename renameSync moveSync mv replace_file", transfer("delete")],
  [
    "readFile readFileSync createReadStream readdir readdirSync read_text read_bytes file_get_contents readfile show_source highlight_file php_strip_whitespace parse_ini_file FileReader FileInputStream read_csv read_json read_table loadtxt genfromtxt slurp readlines readLines readAllLines readAllBytes listdir scandir walk File.read IO.read File.readlines IO.readlines IO.binread Deno.readTextFile Deno.readFile source_file load_file dofile loadfile getline fileread importdata",
    path("read"),
  ],
  [
    "os.Open os.ReadFile ioutil.ReadFile os.ReadDir fs.read fs.read_to_string File.open_read Files.readString Files.readAllLines Files.lines Files.newBufferedReader ReadAllText ReadAllBytes ReadAllLines ifstream std.ifstream",
    path("read"),
  ],
  [
    "open fopen openSync io.open File.open codecs.open gzip.open popen_file file File.new open_file IO.sysopen os.open",
    open,
  ],
  [
    "system execSync popen popen2 popen3 popen4 capture2 capture2e capture3 shell_exec passthru proc_open pcntl_exec getoutput getstatusoutput check_output check_call Popen execute spawn spawnSync execFile execFileSync execv execve execvp execvpe execl execle execlp spawnl spawnlp spawnv spawnvp ProcessBuilder create_subprocess_shell create_subprocess_exec createProcess exec_command execa execaSync execaCommand execaCommandSync posix_spawn posix_spawnp $ $.sync io.popen IO.popen Open3.popen3 subprocess.run subprocess.call os.system child_process.exec Bun.spawn Deno.Command shell startProcess System.cmd System.shell exec.Command exec.CommandContext syscall.Exec syscall.ForkExec os.StartProcess Command.new Process.Start Process.start Process.run execvP posix_spawnp std.system",
    run,
  ],
  ["exec run call", run],
  [
    "urlopen urlretrieve fetch axios requests.get requests.post requests.put requests.request httpx.get httpx.post http.get https.get http.request https.request got superagent curl_init curl_exec HTTPConnection HTTPSConnection FTP SMTP SMTP_SSL Telnet getstore mirror Net.HTTP.get Net.HTTP.post Net.HTTP.get_response Net.FTP URI.open open_uri create_connection createConnection connect connectSync fsockopen pfsockopen stream_socket_client socket_connect TCPSocket TCPSocket.new TCPSocket.open TCPSocket.gethostbyname UDPSocket Socket Socket.tcp IO.Socket.INET.new IO.Socket.INET6.new IO.Socket.SSL.new tls.connect net.connect ssl.wrap_socket Dial net.Dial dgram sendto websocket WebSocket EventSource XMLHttpRequest ftp_connect mail ClientSession aiohttp.request open_connection urlread webread urlwrite socket.connect socket.tcp socketConnection make.socket DialTimeout DialTCP net.DialTCP tls.Dial syscall.Connect http.Get http.Post http.PostForm TcpStream.connect UdpSocket.bind TcpClient ConnectAsync Socket.connect",
    connect,
  ],
  ["get post put patch head request download download.file url getJSON", connectToAddress],
  [
    "syscall.Listen net.ListenTCP TcpListener.bind TcpListener ListenAndServe listen createServer TCPServer TCPServer.new UDPServer ServerSocket socket_create_listen socket_listen stream_socket_server net.Listen http.ListenAndServe",
    listen,
  ],
  ["bind", bind],
  ["eval Function vm.runInNewContext vm.runInThisContext runInContext", evaluate],
];

const effects = new Map<string, Effect>(
  groups.flatMap(([names, effect]) => names.split(" ").map((name) => [name, effect] as const)),
);

/** The effect of a function, by its whole name or by its last parts. */
function effectNamed(name: string): Effect | undefined {
  let rest = name.replace(/\$/g, "").replace(/[?!]$/, "");
  for (;;) {
    const effect = effects.get(rest);
    if (effect !== undefined) return effect;
    const dot = rest.indexOf(".");
    if (dot < 0) return undefined;
    rest = rest.slice(dot + 1);
  }
}

/** Whether calls of a function have an effect. */
export function isEffective(name: string): boolean {
  return effectNamed(name) !== undefined;
}

/** What a call does; nothing for a function that is not in the table. */
export function effectsOfCall(call: Call): CallEffects {
  // A method of a list or a pattern.
  if (call.receiver.list !== undefined || call.receiver.fields !== undefined) return {};
  return effectNamed(call.name)?.(call) ?? {};
}
