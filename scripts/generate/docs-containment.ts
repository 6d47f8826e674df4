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
  return [introSection(), wallsSection(), attacksSection(), syscallsSection(), limitsSection()].join("");
}

function introSection(): string {
  return `# Containment

${markdownNotice}

Containment confines a child process with the means of the operating system. It is what remains if a JavaScript engine is
compromised and a hook's author runs arbitrary code there. It surrounds every child process that touches untrusted code: the
sandboxes of both engines, including those that the fork server spawns, the compiler with its esbuild process, the type
checker and the linter. Node's own permission model applies in addition; see [the threat model](threat-model.md).

\`containment\` is an option of \`createWarden\`, \`createSandbox\`, \`createServer\`, \`loadPack\` and \`buildBundle\`, and
\`--containment\` of every command that starts child processes:

| value            | what it does                                                                                             |
| ---------------- | -------------------------------------------------------------------------------------------------------- |
| \`auto\` (default) | applies the layers that the machine supports                                                              |
| \`required\`       | applies all layers, or refuses with [\`containment-missing\`](errors.md), which names what is missing and what to install |
| \`none\`           | applies none                                                                                     |

Support is probed once per process, by starting \`node --version\`. \`describeContainment()\` returns what is
in force and why a layer is missing; a server writes the same to its log at startup, and lists the layers in \`/ready\`.

`;
}

function wallsSection(): string {
  return `## The layers

${table(
  ["layer", "what compromised code cannot do", "what it still can do", "if it is missing"],
  walls.map(([name, { stops, leaves, install }]) => [code(name), stops, leaves || "nothing", install]),
)}

\`required\` is satisfied by bubblewrap and util-linux on Linux, on x86-64 and arm64, if unprivileged user namespaces are
allowed. Containers often forbid them: then \`auto\` uses what is available, and you depend on the container's own isolation.
Programs are run from fixed paths in \`/usr/bin\`; no environment variables are consulted.

## Support by platform

Backends are tried in this order.

${table(
  ["layer", ...columns.map(([name]) => name)],
  walls.map(([name]) => [code(name), ...columns.map(([, has]) => (has.has(name) ? "yes" : "no"))]),
)}

`;
}

function attacksSection(): string {
  return `## What a compromised engine can do

Each row is an attack that the tests run in a child without the restrictions of Node.js, with each backend and with none, on
the machine that runs them.

${table(
  ["attack", ...columns.map(([name]) => name)],
  attacks.map(({ name, walls: stopping }) => [
    name,
    ...columns.map(([, has]) => (stopping.some((wall) => has.has(wall)) ? "stopped" : "works")),
  ]),
)}

With bubblewrap, a native library also tries these system calls, and each fails with \`ENOSYS\`: ${Object.keys(
    nativeAttacks,
  )
    .map(code)
    .join(", ")}, and \`clone\` of a process.

`;
}

function syscallsSection(): string {
  return `## System calls

The filter is an allow-list, because a deny-list is out of date with the next kernel. Other calls fail with \`ENOSYS\` rather
than \`EPERM\`, because libc and libuv then fall back to an older call, so a newer Node.js becomes slower instead of failing. A
program for another architecture, or for the x32 interface, is killed. A child may make ${Object.keys(childSyscalls).length} calls:

${Object.entries(childSyscalls)
  .map(([name, row]) => ("when" in row ? `${code(name)} (some arguments)` : code(name)))
  .join(", ")}.

The compiler's child starts esbuild, and may also make these: ${Object.entries(startingSyscalls)
    .map(([name, row]) => ("when" in row ? `${code(name)} (some arguments)` : code(name)))
    .join(", ")}.

\`execve\` is allowed because bubblewrap applies the filter before it executes Node.js. A sandbox's child can see only one
program, Node.js, which could only replace the child itself, inside the same containment; the compiler can also see esbuild.

`;
}

function limitsSection(): string {
  return `## Limits

\`RLIMIT_DATA\` is twice the intended memory of a child, plus 1 GiB that Node.js reserves and never touches: it stops growth
that is faster than the parent's sampling. Below it, the parent monitors resident memory, and kills the child. \`RLIMIT_AS\`
is not set, because WebAssembly and Go reserve address space by the gigabyte; \`RLIMIT_NPROC\` is not, because it counts
all processes of the user, and the filter forbids new ones anyway. Files cannot be written (\`RLIMIT_FSIZE\` 0), and there are no
core dumps.

No cgroup is created, because a process cannot be placed into a memory-limited one without moving the host process too. Limit
the host's cgroup with \`MemoryMax=\` and \`TasksMax=\` of systemd, or with your container runtime; its children are included.

## Cost

Calls cost nothing extra. Starting a child takes a few milliseconds longer, and each child needs one additional process of
about 2 MB. \`npm run measure:containment\` measures both on your machine.
`;
}
