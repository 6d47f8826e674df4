import type { WallName } from "../../src/containment/index.ts";

/** What an attack needs to know of the machine that the test has set up around it. */
export interface Target {
  /** Port on which the parent listens on 127.0.0.1, over TCP. */
  readonly port: number;
  /** Path of a socket that the parent listens on. */
  readonly socket: string;
  /** A file with a secret. */
  readonly secret: string;
  /** A folder that everybody may write to. */
  readonly folder: string;
  /** A process of the same user, which the attack may end. */
  readonly victim: number;
}

export interface AttackRow {
  readonly name: string;
  /** Each of these walls stops it alone. */
  readonly walls: readonly WallName[];
  /** Body of an asynchronous function that has all of Node.js; answers `done` where the attack worked. */
  readonly body: (target: Target) => string;
}

const connect = (to: string): string => `
  const socket = builtin("node:net").connect(${to});
  await new Promise((done, fail) => { socket.once("connect", done); socket.once("error", fail); });
  socket.destroy();
  return "done";`;
const read = (path: string): string =>
  `builtin("node:fs").readFileSync(${JSON.stringify(path)}); return "done";`;

/** What native code in a child would try, as far as JavaScript can say it. The documentation lists these rows. */
export const attacks: readonly AttackRow[] = [
  { name: "read `/etc/passwd`", walls: ["files"], body: () => read("/etc/passwd") },
  {
    name: "read a file of the pack, of another tenant or of the host",
    walls: ["files"],
    body: ({ secret }) => read(secret),
  },
  {
    name: "list the home folder",
    walls: ["files"],
    body: () => `builtin("node:fs").readdirSync(builtin("node:os").homedir()); return "done";`,
  },
  {
    name: "create a file in a folder that everybody may write to",
    walls: ["files"],
    body: ({ folder }) => `
      const fs = builtin("node:fs");
      fs.closeSync(fs.openSync(${JSON.stringify(`${folder}/created`)}, "w"));
      return "done";`,
  },
  {
    name: "change its own program",
    walls: ["files", "limits"],
    body: () => `
      const fs = builtin("node:fs");
      fs.closeSync(fs.openSync(process.argv[1], "r+"));
      return "done";`,
  },
  {
    name: "connect to a TCP port of the machine",
    walls: ["network"],
    body: ({ port }) => connect(`${port}, "127.0.0.1"`),
  },
  {
    name: "send a UDP packet",
    walls: ["network"],
    body: ({ port }) => `
      const socket = builtin("node:dgram").createSocket("udp4");
      await new Promise((done, fail) => { socket.once("error", fail); socket.bind(0, "0.0.0.0", done); });
      await new Promise((done, fail) =>
        socket.send("x", ${port}, builtin("node:os").networkInterfaces().lo ? "127.0.0.1" : "192.0.2.1", (error) => error ? fail(error) : done()));
      socket.close();
      return "done";`,
  },
  {
    name: "connect to a Unix socket of the machine",
    walls: ["files", "system-calls"],
    body: ({ socket }) => connect(`{ path: ${JSON.stringify(socket)} }`),
  },
  {
    name: "see another process in `/proc`",
    walls: ["files"],
    body: ({ victim }) => read(`/proc/${victim}/cmdline`),
  },
  {
    name: "send a signal to another process of the same user",
    walls: ["processes", "system-calls"],
    body: ({ victim }) => `process.kill(${victim}, 0); return "done";`,
  },
  {
    name: "start a program of the machine",
    walls: ["files", "system-calls"],
    body: () => `
      const { error } = builtin("node:child_process").spawnSync("/bin/true");
      if (error) throw error;
      return "done";`,
  },
  {
    name: "start another Node.js",
    walls: ["system-calls"],
    body: () => `
      const { error } = builtin("node:child_process").spawnSync(process.execPath, ["--version"]);
      if (error) throw error;
      return "done";`,
  },
];

/** System calls that native code would make, with arguments that harm nothing: as C, behind `syscall(SYS_…`. */
export const nativeAttacks: Readonly<Record<string, string>> = {
  socket: "2, 1, 0",
  socketpair: "1, 1, 0, pair",
  connect: "-1, 0, 0",
  bind: "-1, 0, 0",
  sendto: "-1, 0, 0, 0, 0, 0",
  clone3: "0, 0",
  execveat: "-1, 0, 0, 0, 0",
  ptrace: "-1, 0, 0, 0",
  process_vm_readv: "1, 0, 0, 0, 0, 0",
  pidfd_open: "1, 0",
  kill: "1, 0",
  mount: "0, 0, 0, 0, 0",
  umount2: "0, 0",
  pivot_root: "0, 0",
  chroot: "0",
  open_by_handle_at: "-1, 0, 0",
  unshare: "0x10000000",
  setns: "-1, 0",
  bpf: "-1, 0, 0",
  keyctl: "-1, 0, 0, 0, 0",
  add_key: "0, 0, 0, 0, 0",
  io_uring_setup: "0, 0",
  userfaultfd: "-1",
  perf_event_open: "0, 0, 0, 0, 0",
  memfd_create: "0, -1",
  init_module: "0, 0, 0",
  kexec_load: "0, 0, 0, 0",
  seccomp: "-1, 0, 0",
  personality: "-1",
  setuid: "0",
  capset: "0, 0",
  sethostname: "0, 0",
  reboot: "0, 0, 0, 0",
  swapon: "0, 0",
  inotify_init1: "-1",
  mknodat: "-1, 0, 0, 0",
  truncate: "0, 0",
  unlinkat: "-1, 0, 0",
  mkdirat: "-1, 0, 0",
};
