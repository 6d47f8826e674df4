import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ClientName, Json } from "../../src/clients/index.ts";
import { passes, writeCanaryPack } from "../../src/doctor/canary-pack.ts";
import { freshInstall } from "../../src/doctor/examine.ts";
import { paths, tryPath } from "../../src/doctor/paths.ts";
import { programs } from "../../src/hook/programs.ts";
import { applyChange, planInstall, planUninstall } from "../../src/settings/plan.ts";
import { placesOf } from "../../src/settings/places.ts";
import { settingOf, switches } from "../../src/settings/switches.ts";

/** What a switch was seen to do: with hookwarden installed and the switch set, the call of a tool ran, or was denied. */
export type SwitchOutcome = "hooks off" | "no effect" | "unclear";

const [shell] = paths;

/** Sets each switch of a client once, in a file of the user, and lets the model call the shell. */
export async function proveSwitches(
  client: ClientName,
  binary: string,
  onResult: (setting: string, outcome: SwitchOutcome) => void,
): Promise<void> {
  for (const one of switches[client]) {
    if (one.spares?.includes("user")) continue;
    await using folder = await temporaryFolder();
    let program = binary;
    let set = async (_home: string, _cwd: string): Promise<void> => undefined;
    if ("variable" in one) {
      program = join(folder.path, "client");
      await writeFile(program, `#!/bin/sh\n${one.variable}=1 exec '${binary}' "$@"\n`);
      await chmod(program, 0o755);
    } else {
      const fileIn = (home: string, cwd: string): string | undefined =>
        one
          .files({ cwd, home, env: {}, places: placesOf(client, { cwd, home, env: {} }) })
          .find((path) => path.startsWith(home));
      // Only an administrator can set it, or only in a profile.
      if (fileIn("/h", "/h/p") === undefined || one.key.includes("*")) continue;
      set = async (home, cwd) => {
        const path = fileIn(home, cwd) as string;
        await mkdir(dirname(path), { recursive: true });
        const text = await readFile(path, "utf8").catch(() => "");
        await writeFile(
          path,
          path.endsWith(".toml") ? toml(text, one.key, one.off) : json(text, one.key, one.off),
        );
      };
    }
    const { outcome } = await tryPath(
      {
        client,
        binary: program,
        prepare: async (place) => {
          await freshInstall(passes)(place);
          await set(place.home, place.cwd);
        },
      },
      shell!,
    );
    onResult(
      settingOf(one),
      outcome === "ran" ? "hooks off" : outcome === "denied" ? "no effect" : "unclear",
    );
  }
}

/**
 * Installs hookwarden for the whole machine, lets the model call the shell, and uninstalls. Writes below `/etc`, so that it
 * is for containers only.
 *
 * @returns what became of the call; `null` where the client has no such configuration.
 */
export async function proveManaged(client: ClientName, binary: string): Promise<string | null> {
  const managed = placesOf(client, { cwd: "/" }).find(({ scope }) => scope === "managed");
  if (!managed) return null;
  try {
    const { outcome } = await tryPath(
      {
        client,
        binary,
        prepare: async ({ pack, hook }) => {
          await writeCanaryPack(pack, passes);
          const own = { node: process.execPath, client: programs().client };
          const changes = await planInstall(hook, own, managed);
          if (changes.some(({ file }) => file.mode !== null)) throw new Error(`${managed.path} is in use`);
          for (const change of changes) await applyChange(change);
        },
      },
      shell!,
    );
    return outcome;
  } finally {
    for (const change of await planUninstall(client, managed)) await applyChange(change);
  }
}

function toml(text: string, key: readonly string[], value: unknown): string {
  return `${key.join(".")} = ${JSON.stringify(value)}\n${text}`;
}

function json(text: string, key: readonly string[], off: boolean | string): string {
  const root = (text === "" ? {} : JSON.parse(text)) as Json;
  const nested = (value: Json, [name = "", ...rest]: readonly string[]): Json => ({
    ...value,
    [name]:
      rest.length > 0 ? nested((value[name] ?? {}) as Json, rest) : typeof off === "string" ? [off] : off,
  });
  return JSON.stringify(nested(root, key), null, 2);
}

async function temporaryFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp("/var/tmp/hookwarden-switch-");
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
