import { baseName, isFloating, isGlob, isStream, isWithin, parentOf, resolvePath } from "../lib/paths.ts";
import { isUnknown } from "../lib/marks.ts";

/** What kind of place a path is, as far as losing it goes. */
export type Place = "root" | "system" | "home" | "inside-system" | "workspace" | "floating" | "ordinary";

/** Folders of `/` that a machine or its people cannot do without. */
const systemFolders: ReadonlySet<string> = new Set([
  "/bin",
  "/boot",
  "/dev",
  "/etc",
  "/home",
  "/lib",
  "/lib32",
  "/lib64",
  "/media",
  "/mnt",
  "/opt",
  "/proc",
  "/root",
  "/run",
  "/sbin",
  "/srv",
  "/sys",
  "/usr",
  "/var",
  "/Applications",
  "/Library",
  "/System",
  "/Users",
  "/Volumes",
]);

/** Folders where a part, too, is the machine's and not a project's. */
const systemInside: readonly string[] = [
  "/bin",
  "/boot",
  "/dev",
  "/etc",
  "/lib",
  "/lib64",
  "/media",
  "/mnt",
  "/proc",
  "/sbin",
  "/srv",
  "/sys",
  "/usr",
  "/var/lib",
  "/Library",
  "/System",
  "/Volumes",
];

/** Classifies the place that a path leads to. */
export function placeOf(target: string, cwd: string, workspace: string): Place {
  const path = resolvePath(target, cwd);
  if (isFloating(path)) return "floating";
  if (isStream(path) || path.startsWith("/dev/shm/")) return "ordinary";
  // Everything in a folder is the folder.
  const folder = isEverything(baseName(path)) ? parentOf(path) : path;
  if (folder === "/") return "root";
  const parent = parentOf(folder);
  if (parent === "/" && (systemFolders.has(folder) || isGlob(folder) || isUnknown(folder))) return "system";
  if (parent === "/home" || parent === "/Users") return "home";
  if (folder !== workspace && isWithin(folder, workspace) && workspace !== "/") return "ordinary";
  if (isWithin(workspace, folder) || folder === "." || folder.startsWith("..")) {
    return isUnknown(baseName(path)) ? "ordinary" : "workspace";
  }
  return systemInside.some((system) => isWithin(folder, system)) ? "inside-system" : "ordinary";
}

/** Whether a name, as a pattern, stands for all names. */
function isEverything(name: string): boolean {
  return isUnknown(name) || (isGlob(name) && /^[.*?]+$/.test(name.replace(/\[[^\]]*\]/g, "?")));
}

const disks = /^\/dev\/(?:[shv]d[a-z*?[]|xvd|nvme|mmcblk|r?disk|md\d|dm-|mapper\/|loop\d)/;

/** Whether a path is a disk or a part of one. */
export function isDisk(target: string, cwd: string): boolean {
  return disks.test(resolvePath(target, cwd));
}

export const placeNames: { readonly [P in Place]: string } = {
  root: "the whole file system",
  system: "a system directory",
  home: "a home directory",
  "inside-system": "a part of the system",
  workspace: "the whole working directory",
  floating: "a place that is not known before it runs",
  ordinary: "an ordinary place",
};
