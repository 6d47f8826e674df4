import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { inject } from "vitest";

export const main = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));
const built = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly input?: string | Buffer;
  readonly env?: { readonly [name: string]: string };
}

/**
 * Runs the command line in a process of its own, as a shell would, without a terminal: the built one where it is of these
 * sources, because it starts in half the time.
 */
export async function cliProcess(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const child = start(args, options);
  child.stdin.on("error", () => undefined);
  child.stdin.end(options.input ?? "");
  const text = { out: "", err: "" };
  child.stdout.setEncoding("utf8").on("data", (data: string) => (text.out += data));
  child.stderr.setEncoding("utf8").on("data", (data: string) => (text.err += data));
  const code = await new Promise<number | null>((done, failed) =>
    child.on("close", done).on("error", failed),
  );
  return { code, ...text };
}

export function start(args: readonly string[], { cwd, env }: RunOptions = {}) {
  // `check` wants the types, which the build of `npm test` leaves out.
  const isBuilt = inject("isBuilt") && args[0] !== "check";
  return spawn(process.execPath, [isBuilt ? built : main, ...args], {
    cwd: cwd ?? tmpdir(),
    env: { ...environment(), NODE_OPTIONS: isBuilt ? "" : (process.env["NODE_OPTIONS"] ?? ""), ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
}

/** The environment of a command line, apart from the options of Node.js. */
export function environment(): { readonly [name: string]: string } {
  return {
    PATH: process.env["PATH"] ?? "",
    // Not the user's own cache of compiled packs.
    HOME: join(tmpdir(), "hookwarden-test-home"),
    // Types are stripped once, not once for each of the many processes.
    NODE_COMPILE_CACHE: join(tmpdir(), "hookwarden-test-cache"),
  };
}

/** A folder that goes away with the test. */
export async function folder(files: { readonly [path: string]: string | object } = {}) {
  const path = await mkdtemp(join(tmpdir(), "hookwarden-cli-"));
  await write(path, files);
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

export async function write(
  root: string,
  files: { readonly [path: string]: string | object },
): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const file = join(root, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, typeof content === "string" ? content : JSON.stringify(content));
  }
}

/** A pack with one hook that denies commands with `rm` in them, and one that marks results of tools. */
export const pack = {
  "hookwarden.json": { apiVersion: 1, hooks: ["no-rm", "mark"] },
  "no-rm/hook.json": {
    apiVersion: 1,
    name: "no-rm",
    version: "1.0.0",
    entry: "hook.js",
    on: [{ event: "PreToolUse", matcher: "Bash" }],
    reads: ["tool_input.command"],
    actions: ["deny"],
  },
  "no-rm/hook.js": `export default (event) =>
  String(event.tool_input.command).includes("rm") ? { action: "deny", reason: "it deletes things" } : undefined;
`,
  "mark/hook.json": {
    apiVersion: 1,
    name: "mark",
    version: "2.1.0",
    entry: "hook.js",
    on: [{ event: "PostToolUse" }],
    reads: ["tool_response"],
    actions: ["augment", "set_state"],
    state: { scope: "session", maxBytes: 64 },
    priority: 5,
  },
  "mark/hook.js": `export default (event, ctx) => [
  { action: "augment", text: "result " + ((ctx.state ?? 0) + 1) },
  { action: "set_state", value: (ctx.state ?? 0) + 1 },
];
`,
} as const;

export const bash = (command: string, more: object = {}): object => ({
  hook_event_name: "PreToolUse",
  session_id: "s",
  time: "2026-05-01T10:00:00Z",
  tool_name: "Bash",
  tool_input: { command },
  ...more,
});

export const lines = (...events: readonly (object | string)[]): string =>
  events.map((event) => `${typeof event === "string" ? event : JSON.stringify(event)}\n`).join("");

/** What differs from run to run: times and amounts of work. */
export function still(text: string): string {
  return text
    .replace(/[\d,]+ steps/g, "N steps")
    .replace(/[\d,]+ µs/g, "N µs")
    .replace(/[\d.]+ ms/g, "N ms")
    .replace(/[\d,]+ KiB/g, "N KiB")
    .replace(
      /( (?:continue|deny|ask|block|halt|allow)\s+)[\d.]+$/gm,
      (_, verdict: string) => `${verdict.trimEnd()} N`,
    );
}
