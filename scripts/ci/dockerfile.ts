/**
 * Runs the instructions of deploy/Dockerfile step by step without a container engine: each stage is a folder, and each
 * RUN a namespace in which the stage's folders lie at their paths (bubblewrap, as root). Then it starts the entry point
 * as the image would, as its user with a read-only root, and requests a decision. Linux, as root.
 */
import { execFileSync, spawn } from "node:child_process";
import { chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import type { Readable } from "node:stream";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const work = mkdtempSync(join(tmpdir(), "hookwarden-dockerfile-"));

interface Instruction {
  readonly name: string;
  readonly text: string;
}

interface Stage {
  readonly name: string;
  readonly folder: string;
  workdir: string;
  user: string;
  entry: string[];
  readonly env: { [name: string]: string };
}

function instructions(): Instruction[] {
  const text = readFileSync(`${root}deploy/Dockerfile`, "utf8").replaceAll("\\\n", " ");
  return text
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.startsWith("#"))
    .map((line) => ({ name: line.split(" ", 1)[0] as string, text: line.slice(line.indexOf(" ") + 1) }));
}

/** The command line that runs something in the stage's namespace. */
function inside(stage: Stage, readOnly: boolean): string[] {
  const bind = readOnly ? "--ro-bind" : "--bind";
  const own = ["src", "packages", "app"].flatMap((name) => {
    const folder = join(stage.folder, name);
    return existsSync(folder) ? [bind, folder, `/${name}`] : [];
  });
  const state = join(stage.folder, "var/lib/hookwarden");
  if (existsSync(state)) own.push("--bind", state, "/var/lib/hookwarden");
  const settings = join(stage.folder, "etc/hookwarden");
  if (existsSync(settings)) own.push("--ro-bind", settings, "/etc/hookwarden");
  const system = [
    "/usr",
    "/etc/ssl",
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/passwd",
    "/etc/group",
    "/etc/ld.so.cache",
  ];
  return [
    "bwrap",
    "--die-with-parent",
    "--tmpfs",
    "/",
    // Parents of mounts are otherwise for root only.
    ...["/etc", "/opt", "/opt/node", "/var", "/var/lib"].flatMap((path) => [
      "--perms",
      "0755",
      "--dir",
      path,
    ]),
    "--dev",
    "/dev",
    "--proc",
    "/proc",
    "--tmpfs",
    "/tmp",
    ...system.flatMap((path) => ["--ro-bind-try", path, path]),
    ...["bin", "sbin", "lib", "lib64"].flatMap((name) => ["--symlink", `usr/${name}`, `/${name}`]),
    // The image's Node.js.
    "--ro-bind",
    process.execPath,
    "/opt/node/node",
    "--chdir",
    stage.workdir,
    "--setenv",
    "PATH",
    "/opt/node:/usr/local/bin:/usr/bin:/bin",
    ...own,
    ...(readOnly ? ["--remount-ro", "/"] : []),
    ...Object.entries(stage.env).flatMap(([name, value]) => ["--setenv", name, value]),
  ];
}

function run(stage: Stage, command: string): void {
  if (command.startsWith("apt-get ")) {
    for (const program of ["/usr/bin/bwrap", "/usr/bin/prlimit"])
      if (!existsSync(program)) throw new Error(`${program} is missing`);
    return console.log("   (this machine's bubblewrap and util-linux are used)");
  }
  const created = /^(?:mkdir|install -d [^/]*) ?(\/[\w/]+)/.exec(command)?.[1];
  if (created) mkdirSync(join(stage.folder, created), { recursive: true });
  const line = [...inside(stage, false), "sh", "-euc", command.replace(/^mkdir \/\w+ && /, "")];
  execFileSync(line[0]!, line.slice(1), { stdio: ["ignore", "inherit", "inherit"] });
}

function copy(stage: Stage, text: string, stages: readonly Stage[]): void {
  const from = /^--from=(\w+) /.exec(text)?.[1];
  const [source, target] = text.replace(/^--from=\w+ /, "").split(" ") as [string, string];
  const base = from ? stages.find(({ name }) => name === from)!.folder : root;
  const to = join(stage.folder, target === "." ? stage.workdir : target);
  mkdirSync(dirname(to), { recursive: true });
  if (source !== ".") return cpSync(join(base, source), to, { recursive: true });
  // As deploy/Dockerfile.dockerignore has it: what is committed, and changes to it.
  const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
  });
  for (const file of files.split("\n").filter((name) => name !== "" && existsSync(join(root, name))))
    cpSync(join(root, file), join(to, file));
}

/** Builds all stages. @returns the last one, which is the image. */
function build(): Stage {
  const stages: Stage[] = [];
  for (const { name, text } of instructions()) {
    console.log(`-- ${name} ${text}`);
    const stage = stages.at(-1);
    if (name === "FROM") {
      const called = / AS (\w+)$/.exec(text)?.[1] ?? "image";
      const folder = join(work, called);
      mkdirSync(folder);
      stages.push({ name: called, folder, workdir: "/", user: "0:0", entry: [], env: { HOME: "/tmp" } });
    } else if (!stage) throw new Error(`${name} before FROM`);
    else if (name === "WORKDIR") {
      stage.workdir = text;
      mkdirSync(join(stage.folder, text), { recursive: true });
    } else if (name === "COPY") copy(stage, text, stages);
    else if (name === "RUN") run(stage, text);
    else if (name === "USER") stage.user = text;
    else if (name === "ENTRYPOINT" || name === "CMD") stage.entry.push(...(JSON.parse(text) as string[]));
    else if (name === "ENV") {
      for (const pair of text.split(" ")) stage.env[pair.split("=")[0]!] = pair.slice(pair.indexOf("=") + 1);
    } else if (!["EXPOSE", "VOLUME", "HEALTHCHECK", "STOPSIGNAL"].includes(name))
      throw new Error(`what does ${name} do?`);
  }
  return stages.at(-1)!;
}

/** Starts the image's entry point, and requests what an operator would. */
async function start(image: Stage): Promise<void> {
  const [uid, gid] = image.user.split(":").map(Number) as [number, number];
  const state = join(image.folder, "var/lib/hookwarden");
  chownSync(state, uid, gid);
  const drop = [
    "setpriv",
    `--reuid=${uid}`,
    `--regid=${gid}`,
    "--clear-groups",
    "--no-new-privs",
    "--bounding-set=-all",
  ];
  const [bwrap, ...rest] = [...inside(image, true), ...drop, ...image.entry];
  const child = spawn(bwrap!, ["--info-fd", "3", ...rest], {
    stdio: ["ignore", "inherit", "inherit", "pipe"],
  });
  const exited = new Promise<number | null>((done) => child.once("exit", done));
  const serverPid = pidFrom(child.stdio[3] as Readable);
  try {
    const url = "http://127.0.0.1:8787";
    const ready = async (): Promise<{ containment: { missing: string[] } }> => {
      for (let tries = 0; tries < 100; tries++) {
        const response = await fetch(`${url}/ready`).catch(() => null);
        if (response?.ok) return (await response.json()) as { containment: { missing: string[] } };
        await new Promise((done) => setTimeout(done, 200));
      }
      throw new Error("the server was not ready in time");
    };
    const { containment } = await ready();
    if (containment.missing.length > 0)
      throw new Error(`containment lacks ${containment.missing.join(", ")}`);
    const keyFile = join(state, "operator.key");
    while (!existsSync(keyFile)) await new Promise((done) => setTimeout(done, 50));
    const key = readFileSync(keyFile, "utf8").trim();
    const overview = await fetch(`${url}/v1/admin/overview`, { headers: { authorization: `Bearer ${key}` } });
    console.log(`-- ready, all layers of containment in force; GET /v1/admin/overview: ${overview.status}`);
    if (!overview.ok) throw new Error("the operator's key was refused");
  } finally {
    // Bubblewrap forwards no signals, and the server would outlive it.
    process.kill(await serverPid, "SIGTERM");
  }
  const status = await exited;
  console.log(`-- SIGTERM: exit status ${status}`);
  if (status !== 0) throw new Error("the server did not end in order");
}

/** The process that bubblewrap has started, as it reports it. */
async function pidFrom(info: Readable): Promise<number> {
  let text = "";
  for await (const chunk of info) text += String(chunk);
  return (JSON.parse(text) as { readonly "child-pid": number })["child-pid"];
}

try {
  await start(build());
  console.log(`${basename("deploy/Dockerfile")}: every instruction ran`);
} finally {
  rmSync(work, { recursive: true, force: true });
}
