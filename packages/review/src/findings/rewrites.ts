import type { Severity } from "../codes.ts";
import { draft, type Draft } from "../draft.ts";
import { eventEvidence } from "../hook/behaviour.ts";
import { textAt, textsOf } from "../hook/leaks.ts";
import { protecting } from "../program/options.ts";
import { guestText } from "../guest-text.ts";
import type { Run } from "../run/runner.ts";

const commandPath = /(?:^|\.)(?:command|cmd|script)$/;
const host =
  /(?<![\w.@/-])(?:[a-z][a-z0-9+.-]*:\/\/|[\w.-]+@)?((?:[a-z0-9-]+\.)+[a-z]{2,24}|\d{1,3}(?:\.\d{1,3}){3})(?=[/:\s"'?#]|$)/gi;
/** Ends of names that are files rather than hosts. */
const fileEnds =
  /\.(?:[cm]?[jt]sx?|json|ya?ml|toml|md|txt|sh|py|rb|go|rs|lock|log|sql|csv|tgz|gz|tar|zip|html?|css|env|example|conf|cfg|ini|xml|pdf|png|iso|img|bin|db|bak|plan|tf|new|old|out|pem|key|patch|diff|mjs)$/i;
/** Options and settings that switch a protection off. */
const weakening =
  /(?<=^|\s)(?:--(?:insecure|no-verify(?:-ssl)?|no-check-certificate|no-gpg-check\w*|no-check\S*|no-sandbox|skip-\S+|disable-\S+|allow-\S+|privileged|unsafe-perm|unsafe\S*|trusted-host\S*|force(?:-yes)?|yes|assume-yes|auto-approve|dangerously-\S+|nogpgcheck|legacy-peer-deps|net(?:work)?[= ]host|pid[= ]host|cap-add\S*|accept-new-host-keys|volume|mount|device|mirror|all|exec|upload-pack|user[= ](?:root|0))|(?<=\bcurl\b[^|;&\n]*\s)-\w*k\w*|-k|-y|-f|-v|-u (?:root|0))(?==|\s|$)|(?:Proxy(?:Command|Jump)|(?:Permit)?LocalCommand)[= ]|(?:LD_PRELOAD|NODE_OPTIONS|PYTHONPATH|GIT_SSH_COMMAND|core\.hooksPath|credential\.helper)=|StrictHostKeyChecking[= ](?:no|accept-new)|UserKnownHostsFile[= ]\/dev\/null|(?:verify|ssl|tls|sslVerify)\w*[=: ]+(?:false|0|off|no)\b|NODE_TLS_REJECT_UNAUTHORIZED=0|(?<=^|[\s;&|])sudo\s/gi;

/** Rewrites that send a command elsewhere, widen permissions, or take an option away that protects. */
export function rewriteFindings(runs: readonly Run[]): readonly Draft[] {
  const found: Draft[] = [];
  for (const run of runs) {
    if (run.effect.changes.size === 0) continue;
    for (const { text, rewrites } of textsOf(run).values()) {
      if (rewrites === null) continue;
      const before = textAt(run.input.event, rewrites.split("."));
      if (before === "" || before === text) continue;
      const severe = severeProblem(before, text);
      // Words of texts that the review made are no operands.
      const isCommand = commandPath.test(rewrites) && run.input.origin !== "made";
      const what =
        severe ?? (isCommand ? operandProblem(before, text) : placeProblem(rewrites, before, text));
      if (what === null) continue;
      const { words, severity } = what;
      if (found.some((one) => one.severity === severity)) continue;
      found.push(
        draft(
          "rewrite-target",
          `a rewrite of \`${rewrites}\` ${words}`,
          [
            { label: "before", text: guestText(before, 400) },
            { label: "after", text: guestText(text, 400) },
            eventEvidence(run),
          ],
          { severity },
        ),
      );
    }
  }
  return found;
}

interface RewriteProblem {
  readonly words: string;
  readonly severity: Severity;
}

/** What a rewrite adds to a command or puts in place of what it acts on; `null` for nothing. */
function operandProblem(before: string, after: string): RewriteProblem | null {
  const [had, has] = [operandsOf(before), operandsOf(after)];
  const gained = has.filter(
    ({ word }) => !before.includes(word) && !placeholder.test(word) && /[\p{L}/]/u.test(word),
  );
  const lost = had.find(
    ({ word, isObject }) =>
      isObject && !has.some((one) => one.word.endsWith(word) || isLonger(one.word, word)),
  );
  if (gained.length === 0)
    return lost === undefined
      ? null
      : { words: `takes \`${lost.word.slice(0, 60)}\` away`, severity: "medium" };
  return lost !== undefined && gained.some(({ isObject }) => isObject)
    ? { words: `puts \`${shown(gained)}\` in place of \`${lost.word.slice(0, 60)}\``, severity: "high" }
    : { words: `adds \`${shown(gained)}\``, severity: "medium" };
}

/** Whether a list with commas has all that another one has, and more. */
function isLonger(list: string, than: string): boolean {
  const all = list.split(",");
  return all.length > 1 && than.split(",").every((one) => all.includes(one));
}

/** Fields that say where a tool acts. */
const placePath = /(?:^|\.)(?:file_path|notebook_path|path|url|uri|host)$/;

/** What a rewrite does to the place where a tool acts; `null` where the place keeps its name, or is written otherwise only. */
function placeProblem(path: string, before: string, after: string): RewriteProblem | null {
  const nameOf = (place: string): string => /[^/\\]*$/.exec(place.replace(/[/\\]+$/, ""))?.[0] ?? "";
  return placePath.test(path) && nameOf(after) !== nameOf(before)
    ? { words: `puts \`${after.slice(0, 60)}\` in place of \`${before.slice(0, 60)}\``, severity: "high" }
    : null;
}

function shown(operands: readonly Operand[]): string {
  return operands
    .map(({ word }) => word)
    .join(" ")
    .slice(0, 60);
}

interface Operand {
  readonly word: string;
  /** What a command acts on: no program and no command of a program. */
  readonly isObject: boolean;
}

/** What stands for something that was taken out, or is known to the shell only. */
const placeholder = /^[$[<{*]|redacted|masked|removed|hidden/i;

/** The words of a command line that are no options, without quotes and comments. */
function operandsOf(text: string): readonly Operand[] {
  const parts = text.replaceAll(/(?<=^|\s)#.*/g, "").split(/(?:\|\||&&|[;|&\n])/);
  return parts.flatMap((part) => {
    const words = part.replaceAll(/["'\\]/g, "").match(/\S+/g) ?? [];
    return words.flatMap((word, at) =>
      at === 0 || word.startsWith("-") ? [] : [{ word, isObject: at > 1 }],
    );
  });
}

/** What a rewrite does that always has to be explained. */
function severeProblem(before: string, after: string): RewriteProblem | null {
  const words = weakened(before, after);
  return words === null ? null : { words, severity: "high" };
}

const negated = /\b(?:not|never|don't|without)\s+(?:[a-z]{1,3}\s+)?([a-z]{4,})/gi;

/** A negation that is lost although the word that it is about is still there: a rule becomes its opposite. */
function lostNegation(before: string, after: string): string | null {
  const of = (text: string): readonly string[] =>
    [...text.matchAll(negated)].map(([, word = ""]) => word.toLowerCase());
  const kept = new Set(of(after));
  const words = new Set(after.toLowerCase().match(/[a-z]+/g));
  return of(before).find((word) => words.has(word) && !kept.has(word)) ?? null;
}

function weakened(before: string, after: string): string | null {
  const known = new Set(hostsOf(before));
  const added = hostsOf(after).find((one) => !known.has(one));
  if (added !== undefined) return `sends it to \`${added.slice(0, 60)}\``;
  const lost = (before.match(protecting) ?? []).find(
    (one) => !after.includes(one.replace(/=.*/, "")) && !replaced(one, after),
  );
  if (lost !== undefined) return `takes \`${lost}\` away`;
  const had = new Set(before.match(weakening));
  const weaker = (after.match(weakening) ?? []).find((one) => !had.has(one));
  if (weaker !== undefined) return `adds \`${weaker.trim()}\``;
  const opposite = lostNegation(before, after);
  if (opposite !== null) return `takes the negation of \`${opposite}\` away`;
  const [was, is] = [modeOf(before), modeOf(after)];
  return is !== null && (was === null ? (is & writableByAll) !== 0 : (is & ~was) !== 0)
    ? "widens permissions"
    : null;
}

function replaced(option: string, after: string): boolean {
  return option === "--force-with-lease" ? !/(?:^|\s)(?:--force|-f)(?:\s|$)/.test(after) : false;
}

/** The hosts that a text names. */
export function hostsOf(text: string): readonly string[] {
  return [...text.matchAll(host)]
    .filter(({ 0: whole, 1: name = "", index }) => {
      const isFile = fileEnds.test(name);
      // `x.example/` is a host; `config.example` is a file.
      return !isFile || (name.endsWith(".example") && text[index + whole.length] === "/");
    })
    .map(([, name = ""]) => name.toLowerCase());
}

/** The bit of a file's mode with which everyone may write. */
const writableByAll = 0o002;
const numericMode =
  /\b(?:chmod\s+(?:-\w+\s+)*|(?:mkdir|install|mkfifo)\s.*?(?:-m\s*|--mode[= ]))([0-7]{3,4})\b/;
const symbolicMode =
  /\b(?:chmod\s+(?:-\w+\s+)*|(?:mkdir|install|mkfifo)\s.*?(?:-m\s*|--mode[= ]))\S*[ao][ugoa]*[+=]\w*w/;
const mask = /\bumask\s+0?([0-7]{1,3})\b/;

/** The mode that a command gives files, and `null` where it leaves that to others. */
function modeOf(text: string): number | null {
  const found = numericMode.exec(text)?.[1];
  if (found !== undefined) return Number.parseInt(found, 8);
  if (symbolicMode.test(text)) return writableByAll;
  const masked = mask.exec(text)?.[1];
  return masked === undefined ? null : 0o777 & ~Number.parseInt(masked, 8);
}
