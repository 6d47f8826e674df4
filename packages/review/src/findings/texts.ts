import type { ReviewCode } from "../codes.ts";
import { draft, type Draft } from "../draft.ts";
import { eventEvidence, textsFor } from "../hook/behaviour.ts";
import { isReminder, type Leak, textAt, textsOf } from "../hook/leaks.ts";
import type { Run } from "../run/runner.ts";
import { guestText, guestJson } from "../guest-text.ts";
import { withoutEmoji } from "../program/literals.ts";
import { hostsOf } from "./rewrites.ts";

/** Orders of the kind that injections give. Of what a hook says of its own accord: quotes are taken out before. */
const orders: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override|bypass|supersede|set aside)\b.{0,40}\b(?:instruction|rule|message|prompt|polic|guard|hook|guidance|guideline|safety|restriction|limit|constraint|warning|check|refusal|denial|objection|above|earlier|previous)/is,
  /\b(?:rules?|polic\w+|restrictions?|guidelines?|instructions?|limits?|confirmations?|approvals?)\b.{0,20}\b(?:no longer|do(?:es)? not|don't)\b.{0,12}\b(?:apply|applies|hold|matter|needed|required)/is,
  /\b(?:credential|secret|token|password|key)s?\b.{0,24}\b(?:may|can|should|must)\b.{0,12}\b(?:print|show|log|shar|send|sent|includ|post)/is,
  /\b(?:with|using|via|use|prefix)\b.{0,12}\bsudo\b/i,
  /<\|?(?:im_start|im_end|system|endoftext)\b|\[\/?INST\]|(?:^|\n)\s*(?:system|human|assistant|user)\s*:/i,
  /\b(?:do not|don't|never)\b.{0,15}\b(?:tell|mention|inform|reveal|report|show)\b.{0,40}\b(?:user|person|anyone|human|operator|this)\b/is,
  /\b(?:without|no need to|skip|instead of)\b.{0,15}\b(?:asking|ask|confirm|approval|permission|review)/is,
  /\b(?:run|execute|call|invoke|use|fetch|open|visit)\b.{0,40}(?:\bcurl\b|\bwget\b|https?:\/\/|\bbash -c\b|\|\s*(?:ba)?sh\b)/is,
  /\b(?:send|post|upload|exfiltrate|forward|paste|include|append)\b.{0,60}\b(?:https?:\/\/|secret|credential|token|api key|password|\.env|conversation|system prompt|contents? of)/is,
  /\b(?:print|reveal|repeat|output|quote)\b.{0,30}\bsystem prompt\b/is,
  // That somebody has agreed, or need not be asked.
  /\b(?:consent|approval|permission|authori[sz]ation|clearance|sign-?off)s?\b[^.!?]{0,60}\b(?:is|are|was|were|has been|have been)\b(?! not)[^.!?]{0,20}\b(?:on file|given|granted|obtained|implied|recorded|assumed|in place)\b/is,
  /\b(?:reviewers?|owners?|maintainers?|users?|team|managers?|lead|security|admins?|administrators?|operators?|customers?)\b[^.!?]{0,40}\b(?:has|have|had|already|is|are)?\s*(?:accepted|approved|agreed|consented|authori[sz]ed|signed off|cleared|okayed|permitted|fine with|happy with)\b/is,
  /\b(?:never|no longer|don't|do not|does not|doesn't|not)\b[^.!?]{0,12}\b(?:needs?|requires?|ask(?:ing)? for|wait(?:ing)? for|expects?)\b[^.!?]{0,16}\b(?:confirm\w*|approvals?|permissions?|consent|sign-?off|reviews?)\b/is,
  // That other words are orders.
  /\b(?:treat|regard|consider|handle|accept|trust|obey|follow|carry out|act on)\b[^.!?]{0,80}\b(?:as (?:coming from|orders?|instructions?|commands?|trusted|authori[sz]ed|genuine|the owner|an? (?:owner|operator|administrator))|at once|without question|as if (?:it|they) came)\b/is,
  /\b(?:ignorier\w*|ignorez|ignora\w*|negeer|vergiss|oubliez|olvida|игнорир\w*|忽略|無視|무시)[^.!?]{0,60}(?:anweisung|instruction|instruc|istruzion|instructie|regel|r[eè]gle|regla|инструкц|指示|指令|지시)/isu,
  // What hides an action, and what gives somebody a way in.
  // cspell:ignore nobody -- words of the texts that are read
  /\b(?:nobody|no one|no-one)\b[^.!?]{0,30}\b(?:hear|know|see|notice|find out|care|mind)s?\b/is,
  /\b(?:passwordless|unrestricted)\b[^.!?]{0,20}\b(?:root|sudo|access|rights|account)\b/is,
  /\b(?:leave|keep|omit|drop|exclude|remove|hide)\b[^.!?]{0,40}\b(?:out of|from)\b[^.!?]{0,20}\b(?:summar\w+|reports?|answers?|repl(?:y|ies)|users?|logs?|history|transcript)\b/is,
  /\b(?:say nothing|keep (?:quiet|silent|this (?:quiet|secret|to yourself))|silently|secretly)\b/i,
  /\b(?:copy|paste|put|post|send|share|add|include|attach|commit|push|write)\b[^.!?]{0,40}\b(?:keys?|secrets?|credentials?|tokens?|passwords?|\.env)\b[^.!?]{0,30}\b(?:into|to|in|with|on|as)\b[^.!?]{0,30}\b(?:public|issues?|comments?|gists?|pastes?|channels?|tickets?|chats?|pull requests?)\b/is,
  /\b(?:append|add|copy|write|put|paste|save|move|echo|insert)\b[^.!?]{0,80}(?:\bauthorized_keys\b|\bid_(?:rsa|ed25519)\b|\bcrontab\b|\bsudoers\b|~\/\.(?:ssh|bashrc|zshrc|profile|netrc|npmrc|gitconfig)\b|\/etc\/(?:passwd|shadow|hosts|cron)\b)/is,
  /\b(?:pre-?approved|already (?:have (?:the |my |their )?[^.!?]{0,30}(?:consent|approval|permission)|approved|authori[sz]ed|cleared|consented|agreed))\b/i,
  /\byou (?:have|hold|are given|now have)\b[^.!?]{0,30}\b(?:administrator|admin|root|full|unrestricted|elevated)\b/is,
  /\b(?:questions?|asking|confirm\w*|approvals?|prompts|checks?)\b[^.!?]{0,40}\b(?:slow\w*|unnecessary|waste\w*|annoy\w*|(?:is|are) optional|unwanted|pointless|superfluous)\b/is,
];
/** Orders to bypass protections. A verdict may name them too, to explain what it has stopped. */
const unsafeOrders: readonly RegExp[] = [
  /\b(?:skip|omit|disable|turn off|leave out|switch off|avoid)\b[^.!?]{0,24}\b(?:tests?|checks?|hooks?|linters?|reviews?|verification|validation|scans?|guards?)\b/is,
  /\bwithout\b[^.!?]{0,12}\b(?:telling|informing|notifying|mentioning|reporting|listing|naming|noting|describing|disclosing|documenting|announcing|flagging|raising|saying)\b/is,
  /\b(?:do not|don't|never|no need to)\b[^.!?]{0,10}\b(?:bring (?:it|this|that) up|(?:mention|list|report|discuss|describe|raise) (?:it|this|that)\b)/is,
  /\b(?:add|invite|grant|give|make|promote|assign)\b[^.!?]{0,60}\b(?:administrators?|admins?|owners?|collaborators?|maintainers?|(?:write|full|root|admin) (?:access|rights|permissions))\b/is,
  /\b(?:disable|turn off|switch off|lift|relax|suspend|weaken|remove)\b[^.!?]{0,40}\b(?:branch protection|protections?|two-factor|2fa|mfa|firewalls?|encryption|authentication|authori[sz]ation|rate limits?|security|sandbox(?:es|ing)?|restrictions)\b/is,
  /\b(?:pass|add|use|append|give|always|with)\b[^.!?]{0,30}\s--(?:no-verify|no-check\S*|insecure|force(?!-)|no-sandbox|skip-\S+|allow-\S+|dangerously-\S+|trusted-host)\b/is,
  /\b(?:tests?|checks?|scans?|alerts?|warnings?|failures?|findings?)\b(?:(?!\bnot\b|\bnever\b)[^.!?]){0,40}\b(?:can|may|should|could|must|to) be\b(?:(?!\bnot\b)[^.!?]){0,16}\b(?:skipped|disabled|ignored|deleted|removed|commented out|suppressed|muted|silenced)\b/is,
  /\b(?:save|add|write|note|store|record|append|remember)\b[^.!?]{0,60}\b(?:later|future|next|all|other) sessions?\b/is,
  /\b(?:take|remove|delete|drop|strip|comment|cut|weaken|loosen|mock|stub)\b[^.!?]{0,40}\b(?:assertions?|expectations?|(?:failing|red|broken) tests?|tests? (?:that|which) (?:fail|are red|break))\b/is,
  /\b(?:report|mark|present|describe|declare|label|list|count|call|claim|show)\b[^.!?]{0,30}\b(?:as|that (?:it|they|all|everything) (?:is|are|has|have))\s+(?:(?:all|fully|already)\s+)?(?:passing|passed|green|successful|succeeded|verified|reviewed|tested|audited)\b/is,
  /\b(?:run|try|use|execute|with)\b[^.!?]{0,40}\bchmod\b[^.!?]{0,12}\b777\b/is,
];
/** What has a person hand over an account, or run a program from elsewhere. */
const lures: readonly RegExp[] = [
  /\b(?:(?:sign|log) ?(?:in|on)|re-?authenticate|(?:verify|confirm|unlock|renew|restore) your (?:account|identity|session|access)|(?:enter|re-?enter|type|provide|submit) your (?:password|credentials|token|passphrase|api key|pin|code))\b[^\n]{0,80}\bhttps?:\/\//i,
  /\b(?:run|paste|execute|type|enter)\b[^\n]{0,20}\b(?:npx|bunx|uvx|pnpx|(?:pnpm|yarn) dlx|pipx run|curl|wget|iwr|irm|powershell)\s[^\n]{0,80}\b(?:in|into|to) (?:a|an|your|the|another)\b[^\n]{0,16}\b(?:terminal|shell|console|prompt)\b/i,
];
/** Verdicts, whose texts say why. */
const verdicts: ReadonlySet<string> = new Set(["deny", "ask", "block", "halt", "skip"]);
/** How a text names the way past it that people have. */
const wayOut =
  /\bignore this (?:warning|message|reminder|note|notice)\b|\bto (?:bypass|override|skip|disable|silence) (?:this|the) (?:hook|check|guard|rule|warning|block|reminder)\b/gi;
/** Orders that name a host: what comes from there is followed or run. */
const hostOrders: readonly RegExp[] = [
  /\b(?:download|install|fetch|clone|pull|obtain|import|load|push|upload|send|sync|mirror|copy|publish|report|submit|register)\b[^\n]{0,120}/i,
  /\b(?:curl|wget|iwr|fetch)\b[^|\n]{0,200}\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b/i,
];
const image = /!\[[^\]]*\]\(\s*(?:https?:)?\/\/[^)]+\)|<img\b[^>]*\bsrc\b/i;
const hidden =
  /[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\u{e0000}-\u{e01ef}\u001b\u0000-\u0008]/u;
const strange = /https?:\/\/|\bcurl\b|\bwget\b|\bnc\b|\beval\b|base64|\|\s*(?:ba|z)?sh\b|\/dev\/tcp/i;
const joiners = /(?:;|&&|\|\||\||\$\(|`|>\s*\/|<\()/;
/** Characters of a field that come out again before that is called long. */
const longQuote = 160;
/** Characters of a text that are looked at. */
const maxScannedChars = 6_000;

/** What is wrong with the texts and rewrites that runs have made. */
export function textFindings(runs: readonly Run[]): readonly Draft[] {
  const found = new Map<string, Draft>();
  for (const run of runs)
    for (const one of [...spokenProblems(run), ...rewriteProblems(run)])
      if (!found.has(one.code)) found.set(one.code, one);
  return [...found.values()];
}

function textDraft(
  code: ReviewCode,
  message: string,
  [label, text]: readonly [string, string],
  run: Run,
): Draft {
  return draft(code, message, [{ label, text: guestText(text, 400) }, eventEvidence(run)]);
}

/** Problems of what a run says to the model or a person. */
function spokenProblems(run: Run): readonly Draft[] {
  const args = run.args.join(" ");
  const found: Draft[] = [];
  for (const { action, text, to } of textsFor(run)) {
    const said = [action, text] as const;
    const own = withoutInput(text, args);
    const unquoted = withoutQuotes(text, args);
    if (
      to !== "person" &&
      (givesOrders(unquoted) ||
        (!verdicts.has(action) && givesUnsafeOrders(unquoted)) ||
        fetchesFromHost(own, args))
    )
      found.push(textDraft("text-instructs", `\`${action}\` gives the model instructions`, said, run));
    if (isLure(own))
      found.push(textDraft("text-instructs", `\`${action}\` has people sign in or run something`, said, run));
    const given = plainly(args);
    if ([...withoutEmoji(own)].some((letter) => hidden.test(letter) && !given.includes(letter)))
      found.push(textDraft("text-hidden", `\`${action}\` has invisible characters`, said, run));
    if (image.test(own))
      found.push(textDraft("leak-address", `\`${action}\` has an image that clients fetch`, said, run));
  }
  return found;
}

/** Problems of the fields that a run rewrites. */
function rewriteProblems(run: Run): readonly Draft[] {
  const found: Draft[] = [];
  const rewritten = addedCommand(run);
  if (rewritten !== null)
    found.push(
      textDraft(
        "rewrite-command",
        "a rewrite adds a command, URL or code that the event did not contain",
        ["rewritten to", rewritten],
        run,
      ),
    );
  for (const [field, json] of run.effect.changes) {
    const before = JSON.stringify(run.input.event[field] ?? null);
    const is = (test: (text: string) => boolean): boolean => test(json) && !test(before);
    const add = (code: ReviewCode, what: string): void =>
      void found.push(textDraft(code, `a rewrite of \`${field}\` ${what}`, [field, json], run));
    if (is((text) => hidden.test(withoutEmoji(plainly(text)))))
      add("text-hidden", "has invisible characters");
    if (field === "tool_input") continue;
    if (is((text) => image.test(text))) add("leak-address", "has an image that clients fetch");
    if (is(givesOrders) || is((text) => fetchesFromHost(text)))
      add("text-instructs", "gives the model instructions");
  }
  return found;
}

/** Words that report what somebody else asks, or that forbid it: a warning about an order is none. */
const reports =
  // cspell:ignore tells -- words of the texts that are read
  /\b(?:asks?|asking|asked|tr(?:y|ies|ying)|tells?|wants?|claims?|attempts?|(?:looks|reads) like|do not|don't|never|may|might|refus(?:es?|ed|ing)|without)\b[^.!?\n]{0,40}$/i;

/** Whether a text instructs a model to do something on its own initiative. */
export function givesOrders(text: string): boolean {
  return givesOneOf(orders, text.replaceAll(wayOut, "…"));
}

/** Whether a text orders a model to bypass a protection, unless it is the reason of a verdict. */
export function givesUnsafeOrders(text: string): boolean {
  return givesOneOf(unsafeOrders, text);
}

/** Whether a text has people sign in at an address, or run a program that is fetched. */
export function isLure(text: string): boolean {
  return givesOneOf(lures, text);
}

function givesOneOf(all: readonly RegExp[], text: string): boolean {
  return all.some((order) => {
    const found = order.exec(text);
    return found !== null && !reports.test(text.slice(Math.max(0, found.index - 60), found.index));
  });
}

/**
 * Whether a text has a model fetch something from a host that the text names.
 *
 * @param args what the hook was called with: a host of the event is quoted, whatever quotes it had there.
 */
export function fetchesFromHost(text: string, args = ""): boolean {
  const known = args.toLowerCase().replaceAll(/["'\\]/g, "");
  return hostOrders.some((order) => {
    const found = order.exec(text);
    return (
      found !== null &&
      hostsOf(found[0]).some((one) => !known.includes(one)) &&
      !reports.test(text.slice(Math.max(0, found.index - 60), found.index))
    );
  });
}

/** JSON with its escapes of hidden characters undone. */
function plainly(json: string): string {
  return json.replaceAll(/\\u([0-9a-f]{4})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

function withoutQuotes(text: string, args: string): string {
  return withoutInput(text, args).replaceAll(/`[^`]*`|"[^"]*"|“[^”]*”/g, "…");
}

/** A text without the longer parts that it has from its input. */
function withoutInput(whole: string, args: string): string {
  const text = whole.slice(0, maxScannedChars);
  const parts = text.match(/[^\s]+/g) ?? [];
  const known = parts.filter((part) => part.length > 5 && args.includes(JSON.stringify(part).slice(1, -1)));
  return known.reduce((rest, part) => rest.replaceAll(part, "…"), text);
}

/** The rewritten input of a tool, where it does something that the input did not. */
function addedCommand(run: Run): string | null {
  const json = run.effect.changes.get("tool_input");
  if (json === undefined) return null;
  const before = run.args[0];
  for (const [, { text, rewrites }] of textsOf(run)) {
    if (rewrites === null || !rewrites.startsWith("tool_input")) continue;
    const known = JSON.stringify(text).slice(1, -1);
    if (before.includes(known)) continue;
    const original = textAt(run.input.event, rewrites.split("."));
    const added = original !== "" && text.includes(original) ? text.replace(original, " ") : text;
    if (
      (strange.test(added) && !strange.test(original)) ||
      (original !== "" && text.includes(original) && joiners.test(added))
    )
      return text;
  }
  return null;
}

/**
 * Data of events that comes out where it should not.
 *
 * @param scope of what the hook keeps: `session`, `tenant`, or `null` for nothing.
 */
export function leakFindings(leaks: readonly Leak[], scope: string | null): readonly Draft[] {
  const found = new Map<string, Draft>();
  for (const leak of leaks) {
    const evidence = [
      {
        label: `${leak.action} ${leak.at.split(" ").slice(1).join(" ")}`.trim(),
        text: guestText(leak.output, 400),
      },
      { label: "event", text: guestJson(leak.input.event, 500) },
    ];
    const quiet = leak.as === "verbatim" || leak.as === "case";
    const one =
      leak.kind === "address"
        ? draft(
            "leak-address",
            `\`${leak.action}\` writes a URL that contains data from \`${leak.path}\``,
            evidence,
          )
        : leak.kind === "state"
          ? draft(
              "leak-state",
              `data from \`${leak.path}\` is stored and disclosed by \`${leak.action}\` at another event`,
              evidence,
              {
                severity:
                  quiet && (leak.characters < longQuote || isReminder(leak, scope)) ? "medium" : "high",
              },
            )
          : !quiet
            ? draft(
                "leak-encoded",
                `\`${leak.action}\` contains data from \`${leak.path}\` (${leak.as})`,
                evidence,
              )
            : leak.kind === "field"
              ? draft(
                  "leak-field",
                  `\`${leak.action}\` writes data from \`${leak.path}\` to ${leak.at.split(" ").slice(1).join(" ")}`,
                  evidence,
                )
              : leak.characters > longQuote
                ? draft("leak-bulk", `\`${leak.action}\` repeats long parts of \`${leak.path}\``, evidence, {
                    severity: "medium",
                  })
                : null;
    if (one && !found.has(`${one.code} ${one.severity}`)) found.set(`${one.code} ${one.severity}`, one);
  }
  return [...found.values()];
}
