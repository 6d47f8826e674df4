import { resolvePath } from "./paths.ts";
import { isUnknown } from "./marks.ts";
import type { Invocation } from "./commands.ts";

/** The files that a command fills with something downloaded or decoded, in the form of `resolvePath`. */
export function downloadedBy(invocation: Invocation): readonly string[] {
  const { name, args, input, redirects, cwd, external } = invocation;
  // `curl … | tee file`
  const copies = name === "tee" && input?.from.some((source) => source.external);
  if (!external && !copies) return [];
  const files = redirects.filter(({ operator }) => operator.startsWith(">")).map(({ target }) => target);
  if (copies) files.push(...args);
  else files.push(...outputsOf(args));
  return files.filter((file) => file !== "" && !isUnknown(file)).map((file) => resolvePath(file, cwd));
}

/** Where downloaders write to: the value of an option, or the last part of an address. */
function outputsOf(args: readonly string[]): readonly string[] {
  return args.flatMap((arg, at) => {
    const glued = /^(?:--output=|--output-document=|-[oO])(.+)$/.exec(arg)?.[1];
    if (glued !== undefined) return [glued];
    if (/^(-[a-zA-Z]*[oO]|--output|--output-document)$/.test(arg)) return args.slice(at + 1, at + 2);
    // `curl -O URL` and `wget URL` name the file after the address.
    return /^[a-z]+:\/\//.test(arg) ? [/^[^?#]*\/([^/?#]*)/.exec(arg)?.[1] ?? ""] : [];
  });
}
