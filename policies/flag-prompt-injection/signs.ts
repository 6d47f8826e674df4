/** One way in which text tries to be obeyed. */
interface Sign {
  readonly kind: string;
  /** Words that it begins with. They are looked for first, so that the pattern runs in few places only. */
  readonly starts: readonly string[];
  /** Sticky, and bounded: held against the plain form of a text where one of `starts` stands. */
  readonly pattern: RegExp;
}

const signs: readonly Sign[] = [
  {
    kind: "asks to ignore earlier instructions",
    starts: ["ignore", "disregard", "forget", "override", "bypass"],
    pattern:
      /[a-z]+\s[^]{0,40}\b(?:previous|prior|above|earlier|preceding|all|your|any|other)\b[^]{0,30}\b(?:instructions?|prompts?|rules|directions?|guidelines|guardrails|policies)\b/y,
  },
  {
    kind: "gives the model another role",
    starts: ["you are", "you\nare"],
    pattern:
      /you\sare\s{1,8}(?:now|no\s{1,8}longer)\b[^]{0,60}\b(?:assistant|agent|ai|model|bot|mode|restricted|bound|developer|admin|root|dan)\b/y,
  },
  {
    kind: "gives the model another role",
    starts: ["new", "updated", "revised"],
    pattern: /[a-z]+\s{1,8}(?:system\s{1,8})?(?:instructions?|prompt|persona)\s{0,8}:/y,
  },
  {
    kind: "imitates the markup of a conversation",
    starts: [
      "<|",
      "[inst]",
      "[/inst]",
      "<<sys>>",
      "<</sys>>",
      "<s",
      "</s",
      "<function_",
      "</function_",
      "<tool_",
      "</tool_",
    ],
    pattern:
      /<\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id)\|>|\[\/?inst\]|<<\/?sys>>|<\/?(?:system|system-reminder|system_prompt|function_calls|function_results|tool_call|tool_use|tool_result)>/y,
  },
  {
    kind: "asks to hide something from the person",
    starts: ["do", "never", "without", "avoid"],
    pattern:
      /(?:do\s{1,8}not|don't|never|without|avoid)\s{1,8}(?:[a-z]{1,20}\s{1,8}){0,2}(?:tell|telling|mention|mentioning|inform|informing|notify|notifying|alert|alerting|ask|asking|show|showing|reveal|revealing)\b[^]{0,30}\b(?:user|human|person|developer|operator|owner)\b/y,
  },
  {
    kind: "asks to send secrets away",
    starts: [
      "send",
      "post",
      "upload",
      "forward",
      "exfiltrate",
      "transmit",
      "leak",
      "email",
      "e-mail",
      "submit",
      "append",
      "include",
    ],
    pattern:
      /[a-z-]+\s[^]{0,60}(?:\b(?:api\s{1,8}keys?|secrets?|credentials?|passwords?|access\s{1,8}tokens?|environment\s{1,8}variables|env\s{1,8}vars|ssh\s{1,8}keys?|private\s{1,8}keys?|conversation|chat\s{1,8}history|system\s{1,8}prompt)|\.env)\b[^]{0,60}\b(?:to|at|in|via)\b[^]{0,20}(?:https?:|[a-z0-9-]{1,60}\.[a-z]{2,}|@|url|webhook|server|address)/y,
  },
  {
    kind: "asks for the system prompt",
    starts: ["reveal", "print", "repeat", "output", "show", "disclose", "share"],
    pattern:
      /[a-z]+\s[^]{0,20}\b(?:your|the|all)\s{1,8}(?:system\s{1,8}prompt|(?:initial|hidden)\s{1,8}instructions|instructions\s{1,8}above|original\s{1,8}prompt)\b/y,
  },
  {
    kind: "gives orders to an AI",
    starts: ["ai", "llm", "language model", "assistant", "claude", "chatgpt", "copilot", "gemini", "gpt"],
    pattern:
      /[a-z]+\b[^]{0,40}\b(?:must|should|needs?\s{1,8}to|has\s{1,8}to|have\s{1,8}to|(?:is|are)\s{1,8}(?:required|instructed|authorized)\s{1,8}to|please)\b[^]{0,30}\b(?:run|execute|call|download|install|visit|delete|send|curl|fetch|write|commit|push|disable)\b/y,
  },
  {
    kind: "carries data in the address of an image",
    starts: ["!["],
    pattern:
      /!\[[^\]]{0,200}\]\(\s{0,8}https?:\/\/[^)\s]{0,300}[?&](?:data|d|q|c|content|msg|text|payload|secret|token|key|leak)=/y,
  },
];

const wordPart = /[a-z0-9_]/;

/** The ways in which a text, in plain form, tries to be obeyed. */
export function kindsOf(read: string): readonly string[] {
  return [...new Set(signs.filter((sign) => shows(read, sign)).map(({ kind }) => kind))];
}

function shows(read: string, { starts, pattern }: Sign): boolean {
  for (const start of starts) {
    for (let at = read.indexOf(start); at >= 0; at = read.indexOf(start, at + 1)) {
      if (wordPart.test(start[0] ?? "") && wordPart.test(read[at - 1] ?? "")) continue;
      pattern.lastIndex = at;
      if (pattern.test(read)) return true;
    }
  }
  return false;
}

/** Letters of other alphabets that look like Latin ones. */
const lookalikes: ReadonlyMap<string, string> = new Map(
  Object.entries({
    а: "a",
    е: "e",
    о: "o",
    р: "p",
    с: "c",
    у: "y",
    х: "x",
    і: "i",
    ј: "j",
    ѕ: "s",
    ԁ: "d",
    ո: "n",
    ɡ: "g",
    ο: "o",
    α: "a",
    ε: "e",
    ι: "i",
    ν: "v",
    ρ: "p",
    τ: "t",
    υ: "u",
    χ: "x",
    ı: "i",
    "’": "'",
  }),
);

const invisible =
  /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0]/g;
const foreign = /[\u0131\u0261\u0370-\u0577\u2019]/g;
const ascii = /^[\0-\x7f]*$/;

/** The text as a reader would take it: lower case, Latin letters, nothing invisible, no long runs of white space. */
export function plain(text: string): string {
  const latin = ascii.test(text)
    ? text.toLowerCase()
    : text
        .normalize("NFKC")
        .replace(invisible, "")
        .toLowerCase()
        .replace(foreign, (char) => lookalikes.get(char) ?? char);
  return latin.includes("  ") ? latin.replace(/\s{2,}/g, " ") : latin;
}

const tags = /[\u{e0020}-\u{e007e}]/gu;

/** The text that stands in tag characters: they are invisible, and models read them as ASCII. */
export function hiddenText(text: string): string {
  if (!text.includes("\udb40")) return "";
  return (text.match(tags) ?? [])
    .map((char) => String.fromCharCode((char.codePointAt(0) ?? 0) - 0xe0000))
    .join("");
}

const bidi = /[\u202a-\u202e\u2066-\u2069]/;
const zeroWidth = /[\u200b-\u200d\u2060-\u2064\ufeff]{8}/;

/** Kinds of characters that hide text from people. */
export function hidingKinds(text: string): readonly string[] {
  if (ascii.test(text)) return [];
  const found: string[] = [];
  if (hiddenText(text).length >= 4) found.push("has text in invisible tag characters");
  if (bidi.test(text)) found.push("has characters that turn the direction of text");
  if (zeroWidth.test(text)) found.push("has long runs of invisible characters");
  return found;
}
