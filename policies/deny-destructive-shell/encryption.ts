import type { PathUse } from "hookwarden/hook";
import { type Invocation, textOf } from "../lib/commands.ts";
import { type Finding, quoted, softened } from "../lib/findings.ts";
import { UNKNOWN } from "../lib/marks.ts";
import { isFloating, isWithin } from "../lib/paths.ts";

/** Programs that encrypt files, and the arguments with which they do; they are joined by blanks. */
const encryption: ReadonlyMap<string, RegExp> = new Map([
  ...["gpg", "gpg2"].map((name): [string, RegExp] => [
    name,
    / (?:-[a-z]*[ce]|--symmetric|--encrypt|--encrypt-files) /,
  ]),
  ["openssl", /^ (?:enc|rsautl|pkeyutl|cms|smime) (?!(?:.* )?-d(?:ecrypt)? )(?:.* )?-in /],
  ["ccrypt", /^(?!.* (?:-d|--decrypt|-c|--cat) )/],
  ["ccencrypt", /^/],
  ["mcrypt", /^(?!.* (?:-d|--decrypt) )/],
  ["age", /^(?!.* (?:-d|--decrypt) )/],
  ["zip", / (?:-[a-zA-Z]*[eP]|--encrypt|--password)/],
  ...["7z", "7za", "7zr", "rar"].map((name): [string, RegExp] => [name, /^ [au] (?:.* )?-(?:p|hp)/]),
]);

/** Arguments of encryption whatever the program is called. */
const unmistakable = / (?:--cipher-algo|--symmetric|--encrypt) /;

/** Files outside the workspace that a command encrypts: with the key gone, they are lost. */
export function encrypted(
  paths: readonly PathUse[],
  invocations: readonly Invocation[],
  workspace: string,
): readonly Finding[] {
  const found = new Set<Invocation>();
  for (const { path, command, access } of paths) {
    const invocation = command === null ? undefined : invocations[command];
    if (invocation === undefined || access === "write") continue;
    const line = ` ${invocation.args.join(" ")} `;
    const test = invocation.name.includes(UNKNOWN) ? unmistakable : encryption.get(invocation.name);
    if (!test?.test(line)) continue;
    const target = textOf(path);
    if (!isFloating(target) && target.startsWith("/") && !isWithin(target, workspace)) found.add(invocation);
  }
  return [...found].map((invocation) =>
    softened(
      { verdict: "ask", reason: `${quoted(invocation)} encrypts files outside the working directory` },
      invocation,
    ),
  );
}

/** Programs that encrypt. */
export const encrypters: readonly string[] = [...encryption.keys()];
