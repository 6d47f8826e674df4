import { resolvePath } from "./paths.ts";
import { isUnknown } from "./marks.ts";
import { isDownloader } from "./programs.ts";
import type { Invocation } from "./commands.ts";

/** The files that a command fills with something downloaded, in the form of `resolvePath`. */
export function downloadedBy(invocation: Invocation): readonly string[] {
  if (!isDownloader(invocation)) {
    const { name, args, input: read, redirects, cwd } = invocation;
    // `curl … | tee file`
    if (name !== "tee" || !read?.from.some(isDownloader)) return [];
    return [...args, ...redirects.map(({ target }) => target)].map((file) => resolvePath(file, cwd));
  }
  const { args, cwd, redirects } = invocation;
  const files = redirects.filter(({ operator }) => operator.startsWith(">")).map(({ target }) => target);
  args.forEach((arg, at) => {
    const glued = /^(?:--output=|--output-document=|-[oO])(.+)$/.exec(arg)?.[1];
    if (glued !== undefined) files.push(glued);
    else if (/^(-[a-zA-Z]*[oO]|--output|--output-document)$/.test(arg)) files.push(args[at + 1] ?? "");
    // `curl -O URL` and `wget URL` name the file after the address.
    if (/^[a-z]+:\/\//.test(arg)) files.push(/^[^?#]*\/([^/?#]*)/.exec(arg)?.[1] ?? "");
  });
  return files.filter((file) => file !== "" && !isUnknown(file)).map((file) => resolvePath(file, cwd));
}
