import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { isObject } from "@hookwarden/sandbox/json";
import { HookwardenError } from "hookwarden";

/** A name and a password for a registry. */
export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/**
 * The credentials that `docker login` or `oras login` saved for a registry; `null` if there are none. Read from
 * `config.json` in `$DOCKER_CONFIG`, by default `~/.docker`. Programs named under `credsStore` and `credHelpers` are not
 * started.
 *
 * @throws {HookwardenError} `file-unreadable` if the file exists and is malformed
 */
export async function savedCredentials(
  host: string,
  folder = process.env["DOCKER_CONFIG"] ?? join(homedir(), ".docker"),
): Promise<Credentials | null> {
  const path = join(folder, "config.json");
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch {
    return null;
  }
  try {
    const config: unknown = JSON.parse(text);
    const auths = isObject(config) && Object.hasOwn(config, "auths") ? config["auths"] : {};
    const saved = isObject(auths) && Object.hasOwn(auths, host) ? auths[host] : null;
    return isObject(saved) && typeof saved["auth"] === "string" ? decode(saved["auth"]) : null;
  } catch (error) {
    const message = `${path} is not JSON, so its credentials cannot be read`;
    throw new HookwardenError("file-unreadable", message, { file: path }, { cause: error });
  }
}

function decode(auth: string): Credentials | null {
  const text = Buffer.from(auth, "base64").toString("utf8");
  const colon = text.indexOf(":");
  return colon <= 0 ? null : { username: text.slice(0, colon), password: text.slice(colon + 1) };
}
