import { backends } from "../../sandbox/src/containment/backends.ts";
import { childSyscalls, startingSyscalls } from "../../sandbox/src/containment/syscalls.ts";
import type { WallName } from "@hookwarden/sandbox";
import { type WallRow, wallTable } from "../../sandbox/src/containment/walls.ts";
import { attacks, nativeAttacks } from "../../sandbox/test/containment/attacks.ts";
import { code, markdownNotice, table } from "./text.ts";

const walls = Object.entries(wallTable) as readonly (readonly [WallName, WallRow])[];
/** Backends by name, with what each has of the walls; the last one is every other platform. */
const columns: readonly (readonly [string, ReadonlySet<WallName>])[] = [
  ...backends.map(
    (row) =>
      [row.name, new Set<WallName>([...row.walls, "limits"])] as readonly [string, ReadonlySet<WallName>],
  ),
  ["macOS, Windows", new Set()],
];

/** docs/containment.md */
export function containmentPage(): string {
  return `# Containment

${markdownNotice}

Containment is what is left when a JavaScript engine is broken and a hook's author runs any code in the child process: the
walls of the operating system. They are around every child process that touches a stranger's code: the sandboxes of both
engines, also where the fork server starts them, the bundler with the esbuild process that it starts, the type checker and
the linter. Node's own permission model stays on top of them; see [the threat model](threat-model.md).

\`containment\` is an option of \`createWarden\`, \`createSandbox\`, \`createServer\`, \`loadPack\` and \`buildBundle\`, and
\`--containment\` of every command that starts child processes:

| value            | what it does                                                                                             |
| ---------------- | -------------------------------------------------------------------------------------------------------- |
| \`auto\` (default) | puts up the walls that the machine can have                                                              |
| \`required\`       | puts up all of them, or refuses with [\`containment-missing\`](errors.md), which says which and what to install |
| \`none\`           | puts up none of them                                                                                     |

What the machine can do is tried once a process, with one start of \`node --version\`. \`describeContainment()\` answers what is
in force and why a wall is missing; a server writes the same to its log when it starts, and names walls in \`/ready\`.

## The walls

${table(
  ["wall", "what broken code can no longer do", "what it still can", "where it is missing"],
  walls.map(([name, { stops, leaves, install }]) => [code(name), stops, leaves || "nothing", install]),
)}

\`required\` is met by bubblewrap and util-linux on Linux, on x86-64 and arm64, where unprivileged user namespaces are allowed.
Containers often forbid them: then \`auto\` uses what is left, and the container's own walls have to do. Programs are run
from fixed paths in \`/usr/bin\`; nothing is looked up in an environment.

## What each platform has

Backends are tried in this order.

${table(
  ["wall", ...columns.map(([name]) => name)],
  walls.map(([name]) => [code(name), ...columns.map(([, has]) => (has.has(name) ? "yes" : "no"))]),
)}

## What a broken engine can do

Each row is an attack that the tests run in a child without any lock of Node.js, behind each backend and behind none, on the
machine that runs them.

${table(
  ["attack", ...columns.map(([name]) => name)],
  attacks.map(({ name, walls: stopping }) => [
    name,
    ...columns.map(([, has]) => (stopping.some((wall) => has.has(wall)) ? "stopped" : "works")),
  ]),
)}

Behind bubblewrap a native library also tries these system calls, and each answers \`ENOSYS\`: ${Object.keys(
    nativeAttacks,
  )
    .map(code)
    .join(", ")}, and \`clone\` of a process.

## System calls

The filter is an allow-list: a deny-list is out of date with the next kernel. What is not on it answers \`ENOSYS\` rather than
\`EPERM\`, because libc and libuv then use an older call, so that a newer Node.js loses speed rather than breaks. A program
for another architecture, or for the x32 interface, is killed. A child may make ${Object.keys(childSyscalls).length} calls:

${Object.entries(childSyscalls)
  .map(([name, row]) => ("when" in row ? `${code(name)} (some arguments)` : code(name)))
  .join(", ")}.

The bundler's child starts esbuild, and may also make these: ${Object.entries(startingSyscalls)
    .map(([name, row]) => ("when" in row ? `${code(name)} (some arguments)` : code(name)))
    .join(", ")}.

\`execve\` is allowed because bubblewrap applies the filter before it executes Node.js. There is one program that a
sandbox's child can see, Node.js, and it can only take the place of the child itself, behind the same walls; the bundler can
also see that of esbuild.

## Limits

\`RLIMIT_DATA\` is twice the memory that a child is meant to hold, and 1 GiB that Node.js reserves and never touches: it stops
what grows faster than the parent can watch. Below it the parent watches the memory that is really used, and kills. \`RLIMIT_AS\`
is not set, because WebAssembly and Go reserve address space by the gigabyte; \`RLIMIT_NPROC\` is not, because it counts
all processes of the user, and the filter forbids new ones anyway. Files cannot be written (\`RLIMIT_FSIZE\` 0), and there are no
core dumps.

No cgroup is made: a process cannot be put into one that limits memory without moving the host process too. Limit the host's
own with \`MemoryMax=\` and \`TasksMax=\` of systemd, or with the container's; its children are in it.

## Cost

Nothing for a call. The start of a child takes a few milliseconds more, and each holds one more process of about 2 MB.
\`npm run measure:containment\` measures both on your machine.
`;
}
