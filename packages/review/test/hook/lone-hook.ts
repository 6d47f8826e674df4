import { acceptHooks, completePack, type HookManifest, type LoadedPack } from "hookwarden/pack";
import { sha256 } from "hookwarden/files";

/** A pack of one hook whose program is given as it stands, in the form that the bundler writes. */
export function lonePack(body: string, manifest: Partial<HookManifest> = {}): LoadedPack {
  const source = `var hook = ${body};\nexport { hook as default };\n`;
  const whole: HookManifest = {
    apiVersion: 1,
    name: "lone",
    version: "1.0.0",
    entry: "hook.js",
    on: [{ event: "PreToolUse" }],
    reads: ["*"],
    actions: ["deny", "notify"],
    ...manifest,
  };
  const pack = { apiVersion: 1, hooks: ["lone"] } as const;
  return completePack(pack, acceptHooks(pack, [{ folder: "", manifest: whole }]), [
    { key: sha256(source), name: "lone", source },
  ]);
}
