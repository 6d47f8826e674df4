import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { access, readdir, readFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { parse } from "jsonc-parser";
import { parse as parseToml } from "smol-toml";
import { clients, type ClientName, clientNames, type Json } from "../clients/index.ts";
import { mark } from "./command.ts";
import { isOurs } from "./entry.ts";
import { type Place, placesOf, otherPlacesOf, type Scope } from "./places.ts";
import { findSwitches, type FoundSwitch } from "./switches.ts";

/** How long a client may take to say its version, in milliseconds. */
const versionTimeoutMs = 10_000;

/** One hook that a client has, ours or another's, in the order of the file. */
export interface FoundHook {
  readonly event: string;
  readonly command: string;
  readonly ours: boolean;
}

export interface FoundPlace {
  readonly scope: Scope;
  readonly path: string;
  readonly state: "absent" | "read" | "unreadable";
  readonly hooks: readonly FoundHook[];
}

export interface FoundClient {
  readonly name: ClientName;
  readonly title: string;
  /** Path of its program; `null` if it is not in `PATH`. */
  readonly path: string | null;
  readonly version: string | null;
  readonly places: readonly FoundPlace[];
  /** Settings that keep hookwarden's hooks from running, where there are some. */
  readonly off: readonly FoundSwitch[];
}

/** Every supported client: whether it is installed, and which hooks it has for this folder. */
export function findClients(cwd: string): Promise<FoundClient[]> {
  return Promise.all(
    clientNames.map(async (name) => {
      const path = await findProgram(clients[name].binary);
      const [version, ...places] = await Promise.all([
        path === null ? null : versionOf(path),
        ...placesOf(name, { cwd }).map(hooksAt),
        ...otherPlacesOf(name, { cwd }).map(hooksAt),
      ]);
      const installed = places.filter(({ hooks }) => hooks.some(({ ours }) => ours));
      const off = await findSwitches(
        name,
        { cwd },
        installed.map(({ scope }) => scope),
      );
      return { name, title: clients[name].title, path, version, places, off };
    }),
  );
}

/** The first program of a name in `PATH`; `null` if there is none. */
export async function findProgram(name: string): Promise<string | null> {
  for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
    if (folder === "") continue;
    const path = join(folder, name);
    try {
      await access(path, constants.X_OK);
      return path;
    } catch {
      // Not in this folder.
    }
  }
  return null;
}

/** The version that a program says it has; `null` if it says none. */
export function versionOf(path: string): Promise<string | null> {
  return new Promise((done) => {
    execFile(path, ["--version"], { timeout: versionTimeoutMs, encoding: "utf8" }, (_, out) => {
      done(/\d+\.\d+\.\d+[\w.-]*/.exec(out)?.[0] ?? null);
    });
  });
}

async function hooksAt(place: Place): Promise<FoundPlace> {
  const { scope, path } = place;
  try {
    const hooks = place.kind === "file" ? hooksIn(await readFile(path, "utf8"), place) : await filesIn(path);
    return { scope, path, state: "read", hooks };
  } catch (error) {
    const state = (error as NodeJS.ErrnoException).code === "ENOENT" ? "absent" : "unreadable";
    return { scope, path, state, hooks: [] };
  }
}

function hooksIn(text: string, { layout, path }: Place): FoundHook[] {
  const isToml = path.endsWith(".toml");
  const root = objectOf(isToml ? parseToml(text) : parse(text, [], { allowTrailingComma: true }));
  const events = layout === "at-root" ? root : objectOf(root["hooks"]);
  return Object.entries(events).flatMap(([event, groups]) =>
    listOf(groups).flatMap((group) =>
      listOf(group["hooks"] ?? [group]).map((hook) => ({
        event,
        command: String(hook["command"] ?? hook["bash"] ?? hook["url"] ?? hook["type"] ?? ""),
        ours: isOurs(hook),
      })),
    ),
  );
}

/** Hooks that are files of their own: a plugin, a script, or a file of entries. */
async function filesIn(folder: string): Promise<FoundHook[]> {
  const found: FoundHook[] = [];
  for (const name of (await readdir(folder)).sort()) {
    const path = join(folder, name);
    const text = await readFile(path, "utf8").catch(() => "");
    if (name.endsWith(".json")) {
      found.push(
        ...hooksIn(text, { scope: "user", kind: "file", path }).map((hook) => ({
          ...hook,
          ours: hook.command.includes(mark),
        })),
      );
    } else found.push({ event: name.replace(/\.\w+$/, ""), command: path, ours: text.includes(mark) });
  }
  return found;
}

function objectOf(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

function listOf(value: unknown): Json[] {
  return Array.isArray(value) ? value.map(objectOf) : [];
}
