import type { Invocation } from "../lib/commands.ts";

/** Commands that connect to places of their settings, and that other policies ask about or that only manage this machine. */
const others =
  /^(?:(?:npm|pnpm|yarn|bun) (?!publish\b|login\b|adduser\b)|(?:npx|pip3?|uv|uvx|pipx|poetry|conda|cargo|go|gem|bundle|composer|apt|apt-get|yum|dnf|apk|brew|pacman|dpkg|kubectl|oc|helm|terraform|pg_dump|pg_dumpall|mysqldump|mongodump|mosquitto_pub|mosquitto_sub)(?: |$)|(?:docker|podman)(?: (?!pull\b|push\b|login\b)|$))/;
/** What the programs of services say about themselves alone. */
const talk = /^\S+ (?:--version|--help|-V|-h|version|help|completion|alias|config|configure)(?: |$)|^\S+ -v$/;
/** Help at the end, where no option takes it as its value. */
const help = /(?:^| )[^-\s]\S* (?:-h|--help)$|^aws (?:[a-z0-9-]+ ){0,3}help$/;
/** What the programs of clouds do on this machine alone. */
const alone =
  /^(?:aws .* --generate-cli-skeleton$|gcloud (?:info|auth (?:list|configure-docker))(?: |$)|az (?:account (?:set|show|list)|devops configure)(?: |$))/;

/** Whether a command that names no host needs no question here. */
export function isLeftToOthers({ name, args }: Invocation): boolean {
  const line = [name, ...args].join(" ");
  return [others, talk, help, alone].some((known) => known.test(line));
}

/** Whether a command sends the content of a file. */
export function sendsFile({ name, args }: Invocation): boolean {
  if (name !== "curl" && name !== "wget") return false;
  return args.some((arg, at) => {
    if (/^(-T|--upload-file|--post-file|--body-file)(=|$)/.test(arg)) return true;
    const value = /^(-d|-F|--data.*|--form|--json)$/.test(args[at - 1] ?? "")
      ? arg
      : /^(?:-[dF]|--data[a-z-]*=|--form=|--json=)(.+)$/.exec(arg)?.[1];
    return value !== undefined && /^@|=[@<]/.test(value);
  });
}
