import { SOME_HOME, TAINTED, UNKNOWN } from "./marks.ts";

const longestPath = 4096;

/** The home directory that a working directory lies in; a placeholder where it is not known. */
export function homeOf(cwd: string): string {
  const found = /^(\/(?:home|Users)\/[^/]+|\/root)(?:\/|$)/.exec(cwd);
  return found?.[1] ?? SOME_HOME;
}

/** Whether a path begins with something that only the running shell knows. */
export function isFloating(path: string): boolean {
  return path.startsWith(UNKNOWN) || path.startsWith(TAINTED);
}

/**
 * Brings a path into one form: absolute where that is known, else starting with `.`, `..` or a mark; without `//`,
 * `.` and `..` in the middle. Links are not followed: a hook cannot see them.
 */
export function resolvePath(text: string, cwd: string): string {
  const path = text.slice(0, longestPath);
  const whole = path.startsWith("/") || isFloating(path) ? path : `${cwd}/${path}`;
  const out: string[] = [];
  const absolute = whole.startsWith("/");
  for (const part of whole.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") out.push(part);
    else if (out.length > 0 && out.at(-1) !== "..") {
      // What lies above an unknown place is unknown too.
      if (!isFloating(out[0] ?? "") || out.length > 1) out.pop();
    } else if (!absolute) out.push(part);
  }
  if (absolute) return `/${out.join("/")}`;
  return out[0] === ".." || isFloating(out[0] ?? "") ? out.join("/") : [".", ...out].join("/");
}

/** Whether `path` is `folder` or lies in it. Both in the form of `resolvePath`. */
export function isWithin(path: string, folder: string): boolean {
  if (folder === "/") return path.startsWith("/");
  return path === folder || path.startsWith(`${folder}/`);
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

export function parentOf(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash <= 0 ? path.slice(0, slash + 1) : path.slice(0, slash);
}

/** Whether a part of a path stands for many names. */
export function isGlob(text: string): boolean {
  return /[*?[]|[@+!]\(/.test(text);
}

/**
 * Whether a shell pattern can stand for a name. A bracket counts as any one character. Takes time in proportion to the
 * product of both lengths at most.
 */
export function globMatches(pattern: string, name: string): boolean {
  const glob = pattern.replace(/\[[^\]]*\]/g, "?");
  let g = 0;
  let star = -1;
  let resume = 0;
  for (let n = 0; n < name.length;) {
    if (glob[g] === "*") {
      star = g++;
      resume = n;
    } else if (g < glob.length && (glob[g] === "?" || glob[g] === name[n])) {
      g++;
      n++;
    } else if (star >= 0) {
      g = star + 1;
      n = ++resume;
    } else return false;
  }
  while (glob[g] === "*") g++;
  return g === glob.length;
}

const streams =
  /^\/dev\/(?:null|zero|full|tty\w*|std(?:in|out|err)|(?:fd|tcp|udp|pt[sy])\/.*)$|^\/proc\/self\/fd\/\d+$/;

/** Whether a path is a terminal, a connection or another file that keeps nothing. */
export function isStream(path: string): boolean {
  return streams.test(path);
}
