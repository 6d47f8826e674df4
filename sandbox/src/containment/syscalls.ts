/** A condition on one argument of a system call, by its low 32 bits unless stated otherwise. */
export type Condition =
  | { readonly argument: number; readonly oneOf: readonly number[] }
  | { readonly argument: number; readonly mask: number; readonly equals: number }
  /** All 64 bits are zero: a null pointer. */
  | { readonly argument: number; readonly zero: true };

export interface SyscallRow {
  /** Number on x86-64; `null` where the architecture does not have it. */
  readonly x64: number | null;
  /** Number on arm64; `null` where the architecture does not have it. */
  readonly arm64: number | null;
  readonly when?: Condition;
}

const CLONE_THREAD = 0x0001_0000;
/** Every flag of clone(2) that makes a namespace: NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET, NEWTIME. */
const CLONE_NEW = 0x7e02_0080;
const AF_UNIX = 1;
const ioctls = {
  TCGETS: 0x5401,
  TIOCGWINSZ: 0x5413,
  FIONREAD: 0x541b,
  FIONBIO: 0x5421,
  FIONCLEX: 0x5450,
  FIOCLEX: 0x5451,
};
const prctls = { PR_SET_PDEATHSIG: 1, PR_SET_NAME: 15, PR_GET_NAME: 16, PR_SET_VMA: 0x5356_4d41 };

/** A row with its numbers on x86-64 and arm64. */
function row(x64: number | null, arm64: number | null, when?: Condition): SyscallRow {
  return when === undefined ? { x64, arm64 } : { x64, arm64, when };
}

/**
 * What a contained child may ask of the kernel: what Node.js 24 and the C library use once a process runs. Every other
 * call, present or future, answers `ENOSYS`. An allow-list, because a deny-list is out of date with the next kernel;
 * `ENOSYS`, because libc and libuv then use an older call instead, so that a missing row costs speed rather than breaking
 * a newer Node.js.
 */
export const childSyscalls = {
  // Inherited descriptors. None of these calls creates a socket.
  read: row(0, 63),
  write: row(1, 64),
  readv: row(19, 65),
  writev: row(20, 66),
  pread64: row(17, 67),
  close: row(3, 57),
  dup: row(32, 23),
  dup2: row(33, null),
  dup3: row(292, 24),
  fcntl: row(72, 25),
  ioctl: row(16, 29, { argument: 1, oneOf: Object.values(ioctls) }),
  pipe2: row(293, 59),
  eventfd2: row(290, 19),
  poll: row(7, null),
  ppoll: row(271, 73),
  epoll_create1: row(291, 20),
  epoll_ctl: row(233, 21),
  epoll_wait: row(232, null),
  epoll_pwait: row(281, 22),
  shutdown: row(48, 210),
  getsockname: row(51, 204),
  getsockopt: row(55, 209),
  // Files: the root contains only what the child may read.
  open: row(2, null),
  openat: row(257, 56),
  stat: row(4, null),
  fstat: row(5, 80),
  lstat: row(6, null),
  newfstatat: row(262, 79),
  statx: row(332, 291),
  statfs: row(137, 43),
  fstatfs: row(138, 44),
  access: row(21, null),
  faccessat: row(269, 48),
  faccessat2: row(439, 439),
  readlink: row(89, null),
  readlinkat: row(267, 78),
  lseek: row(8, 62),
  getdents64: row(217, 61),
  getcwd: row(79, 17),
  chdir: row(80, 49),
  // Memory.
  mmap: row(9, 222),
  mprotect: row(10, 226),
  munmap: row(11, 215),
  mremap: row(25, 216),
  madvise: row(28, 233),
  brk: row(12, 214),
  membarrier: row(324, 283),
  pkey_mprotect: row(329, 288),
  pkey_alloc: row(330, 289),
  pkey_free: row(331, 290),
  // Threads of this process, never another process. clone3 hides its flags from filters, so it is not here.
  clone: row(56, 220, { argument: 0, mask: CLONE_THREAD, equals: CLONE_THREAD }),
  futex: row(202, 98),
  set_robust_list: row(273, 99),
  set_tid_address: row(218, 96),
  rseq: row(334, 293),
  arch_prctl: row(158, null),
  sched_yield: row(24, 124),
  sched_getaffinity: row(204, 123),
  sched_getparam: row(143, 121),
  sched_getscheduler: row(145, 120),
  gettid: row(186, 178),
  tgkill: row(234, 131),
  exit: row(60, 93),
  exit_group: row(231, 94),
  rt_sigaction: row(13, 134),
  rt_sigprocmask: row(14, 135),
  rt_sigreturn: row(15, 139),
  sigaltstack: row(131, 132),
  restart_syscall: row(219, 128),
  // Bubblewrap applies the filter before it executes Node.js, and its first process waits for it.
  execve: row(59, 221),
  wait4: row(61, 260),
  prctl: row(157, 167, { argument: 0, oneOf: Object.values(prctls) }),
  // Questions about itself and the machine.
  getpid: row(39, 172),
  getppid: row(110, 173),
  getuid: row(102, 174),
  geteuid: row(107, 175),
  getgid: row(104, 176),
  getegid: row(108, 177),
  capget: row(125, 90),
  uname: row(63, 160),
  sysinfo: row(99, 179),
  getrusage: row(98, 165),
  prlimit64: row(302, 261, { argument: 2, zero: true }),
  getrandom: row(318, 278),
  // Time.
  clock_gettime: row(228, 113),
  clock_getres: row(229, 114),
  clock_nanosleep: row(230, 115),
  nanosleep: row(35, 101),
  gettimeofday: row(96, 169),
  time: row(201, null),
} as const satisfies Record<string, SyscallRow>;

/** What the bundler's child needs besides: it starts esbuild, in the same namespaces, and talks to it. */
export const startingSyscalls = {
  clone: row(56, 220, { argument: 0, mask: CLONE_NEW, equals: 0 }),
  vfork: row(58, null),
  fork: row(57, null),
  kill: row(62, 129),
  socketpair: row(53, 199, { argument: 0, oneOf: [AF_UNIX] }),
  // The runtime of Go.
  mincore: row(27, 232),
  tkill: row(200, 130),
  pselect6: row(270, 72),
  waitid: row(247, 95),
  setsockopt: row(54, 208),
} as const satisfies Record<string, SyscallRow>;
