/** One way in which text tries to be obeyed. */
interface Sign {
  readonly kind: string;
  /** Held against the text in plain form: one line, lower case, without hidden characters. Every gap is bounded. */
  readonly test: RegExp;
}

export const signs: readonly Sign[] = [
  {
    kind: "asks to ignore earlier instructions",
    test: /\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:previous|prior|above|earlier|preceding|all|your|any|other)\b.{0,30}\b(?:instructions?|prompts?|rules|directions?|guidelines|guardrails|policies)\b/,
  },
  {
    kind: "gives the model another role",
    test: /\byou are (?:now|no longer)\b.{0,60}\b(?:assistant|agent|ai|model|bot|mode|restricted|bound|developer|admin|root|dan)\b|\b(?:new|updated|revised) (?:system )?(?:instructions?|prompt|persona) ?:/,
  },
  {
    kind: "imitates the markup of a conversation",
    test: /<\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id)\|>|\[\/?inst\]|<<\/?sys>>|<\/?(?:system|system-reminder|system_prompt|function_calls|function_results|tool_call|tool_use|tool_result)>/,
  },
  {
    kind: "asks to hide something from the person",
    test: /\b(?:do not|don't|never|without|avoid) (?:\w{1,20} ){0,2}(?:tell|telling|mention|mentioning|inform|informing|notify|notifying|alert|alerting|ask|asking|show|showing|reveal|revealing)\b.{0,30}\b(?:user|human|person|developer|operator|owner)\b/,
  },
  {
    kind: "asks to send secrets away",
    test: /\b(?:send|post|upload|forward|exfiltrate|transmit|leak|e-?mail|submit|append|include)\b.{0,60}(?:\b(?:api keys?|secrets?|credentials?|passwords?|access tokens?|environment variables|env vars|ssh keys?|private keys?|conversation|chat history|system prompt)|\.env)\b.{0,60}\b(?:to|at|in|via)\b.{0,20}(?:https?:|[a-z0-9-]{1,60}\.[a-z]{2,}|@|url|webhook|server|address)/,
  },
  {
    kind: "asks for the system prompt",
    test: /\b(?:reveal|print|repeat|output|show|disclose|share)\b.{0,20}\b(?:your|the|all) (?:system prompt|initial instructions|hidden instructions|instructions above|original prompt)\b/,
  },
  {
    kind: "gives orders to an AI",
    test: /\b(?:ai|llm|language models?|assistants?|ai agents?|claude|chatgpt|copilot|gemini|gpt)\b.{0,30}\b(?:must|should|needs? to|has to|have to|(?:is|are) (?:required|instructed|authorized) to|please)\b.{0,30}\b(?:run|execute|call|download|install|visit|delete|send|curl|fetch|write|commit|push|disable)\b/,
  },
  {
    kind: "carries data in the address of an image",
    test: /!\[[^\]]{0,200}\]\(\s{0,8}https?:\/\/[^)\s]{0,300}[?&](?:data|d|q|c|content|msg|text|payload|secret|token|key|leak)=/,
  },
];

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
  }),
);

const invisible =
  /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0]/g;
const foreign = /[\u0131\u0261\u0370-\u0577]/g;

/** The text as a reader would take it: lower case, one line, Latin letters, nothing invisible. */
export function plain(text: string): string {
  return text
    .normalize("NFKC")
    .replace(invisible, "")
    .toLowerCase()
    .replace(foreign, (char) => lookalikes.get(char) ?? char)
    .replace(/[\s\u2028\u2029]+/g, " ");
}

const tags = /[\u{e0020}-\u{e007e}]/gu;

/** The text that stands in tag characters: they are invisible, and models read them as ASCII. */
export function hiddenText(text: string): string {
  return (text.match(tags) ?? [])
    .map((char) => String.fromCharCode((char.codePointAt(0) ?? 0) - 0xe0000))
    .join("");
}

const bidi = /[\u202a-\u202e\u2066-\u2069]/;
const zeroWidth = /[\u200b-\u200d\u2060-\u2064\ufeff]{8}/;

/** Kinds of characters that hide text from people. */
export function hidingKinds(text: string): readonly string[] {
  const found: string[] = [];
  if (hiddenText(text).length >= 4) found.push("has text in invisible tag characters");
  if (bidi.test(text)) found.push("has characters that turn the direction of text");
  if (zeroWidth.test(text)) found.push("has long runs of invisible characters");
  return found;
}
