import type { Invocation } from "./commands.ts";
import { isUnknown } from "./marks.ts";
import { inlineProgram } from "./programs.ts";

/** What a program in another language does with files and hosts, as far as its text shows. */
export interface Effects {
  /** Texts that may be paths of files that it reads. */
  readonly reads: readonly string[];
  /** Texts that may be paths of files that it writes or deletes. */
  readonly writes: readonly string[];
  /** Hosts that it connects to; `undefined` where it makes no connection, empty where the host is not known. */
  readonly hosts: readonly string[] | undefined;
}

const awks: ReadonlySet<string> = new Set(["awk", "gawk", "mawk", "nawk"]);
const longestProgram = 16_384;

/** Calls by which programs of python, node, perl, ruby, php, lua and awk connect. */
const connecting =
  /\b(?:urlopen|urlretrieve|urllib|requests\.|httpx|aiohttp|http\.client|ftplib|smtplib|telnetlib|socket|create_connection|fetch\(|axios|XMLHttpRequest|net\.(?:connect|createConnection|Socket)|https?\.(?:get|request)|tls\.connect|dgram|Net::(?:HTTP|FTP|SMTP)|open-uri|URI\.(?:open|parse)|IO::Socket|LWP|HTTP::Tiny|TCPSocket|UDPSocket|fsockopen|stream_socket_client|curl_(?:init|exec)|ftp_connect|getstore|\/inet\/)/;
/** Calls that write or delete what they are given. */
const writing =
  /(?:\b(?:writeFile|writeFileSync|appendFile|appendFileSync|createWriteStream|rmSync|rm|rmdir|rmdirSync|unlink|unlinkSync|rename|renameSync|copyFile|copyFileSync|write_text|write_bytes|remove|removedirs|rmtree|touch|mkdir|makedirs|chmod|chown|truncate|file_put_contents|move|copy|copyfile|FileUtils\.\w+|File\.(?:write|delete|unlink|rename)|IO\.write|symlink)\s{0,4}\(?[^;\n]{0,200}$|\bopen\s{0,4}\(?[^;\n]{0,200}$|>\s{0,4}$)/;
/** A mode of `open` that writes, after the path. */
const writingMode =
  /^["'`]?\s{0,4},\s{0,4}(?:mode\s{0,4}=\s{0,4})?["'`](?:[rwax+b]{0,3}[wax+][rwax+b]{0,3}|>{1,2})["'`]/;
const opening = /\bopen\s{0,4}\(?\s{0,4}["'`]?$/;

/** Reads the program text that an interpreter was given; `undefined` where there is none. */
export function effectsOf(invocation: Invocation): Effects | undefined {
  const program = (inlineProgram(invocation) ?? awkProgram(invocation))?.slice(0, longestProgram);
  if (program === undefined) return undefined;
  const [reads, writes, hosts]: [string[], string[], string[]] = [[], [], []];
  for (const { text, start, end } of literalsOf(program)) {
    const host =
      /^(?:https?|ftp|wss?|tcp):\/\/([^/:?#"'\s]{1,253})/i.exec(text)?.[1] ??
      /^\/inet\/(?:tcp|udp)\/[^/]*\/([^/]+)/.exec(text)?.[1];
    if (host !== undefined) hosts.push(host);
    else if (
      /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i.test(text) &&
      /^["'`]\s{0,4},\s{0,4}\d/.test(program.slice(end, end + 12))
    )
      hosts.push(text);
    else if (isPathLike(text)) (isWritten(program, start, end) ? writes : reads).push(text);
  }
  return {
    reads,
    writes,
    hosts: connecting.test(program) || hosts.length > 0 ? hosts : undefined,
  };
}

function awkProgram({ name, args }: Invocation): string | undefined {
  return awks.has(name) ? args.find((arg) => !arg.startsWith("-")) : undefined;
}

function isWritten(program: string, start: number, end: number): boolean {
  const before = program.slice(Math.max(0, start - 160), start);
  const rest = program.slice(end, end + 40);
  if (opening.test(before)) return writingMode.test(rest);
  return writing.test(before.slice(before.lastIndexOf(";") + 1)) && !/\bread/i.test(before.slice(-24));
}

/** A text without blanks that has a slash, a dot or a home sign, as paths do. */
function isPathLike(text: string): boolean {
  return (
    text.length > 1 &&
    text.length < 512 &&
    /^[~./\w-][^\s"'`<>|*?(){}]*$/.test(text) &&
    /[./~]/.test(text) &&
    !isUnknown(text)
  );
}

interface Literal {
  readonly text: string;
  /** Offset of the first character, and of the closing quote. */
  readonly start: number;
  readonly end: number;
}

const mostLiterals = 64;

/** The string literals of a program, in any of the usual quotes. One pass. */
function literalsOf(program: string): readonly Literal[] {
  const found: Literal[] = [];
  let quote = "";
  let text = "";
  let start = 0;
  for (let at = 0; at < program.length && found.length < mostLiterals; at++) {
    const char = program[at] ?? "";
    if (char === "\\") text += program[++at] ?? "";
    else if (quote === "" && /["'`]/.test(char)) [quote, text, start] = [char, "", at + 1];
    else if (char === quote) {
      found.push({ text, start, end: at });
      quote = "";
    } else text += char;
  }
  return found;
}
