import { foreignSigns } from "./languages.ts";

/** One way in which text tries to be obeyed. */
export interface Sign {
  readonly kind: string;
  /** What it adds to the score; `enough` is a finding. */
  readonly weight: number;
  /** Words that it begins with. They are looked for first, so that the pattern runs in few places only. */
  readonly starts: readonly string[];
  /** Sticky, and bounded: held against the plain form of a text where one of `starts` stands. */
  readonly pattern: RegExp;
}

/** The score from which on a text is flagged. */
export const enough = 3;

const ignoring = "asks to ignore earlier instructions";
const role = "gives the model another role";
const markup = "imitates the markup of a conversation";
const turn = "imitates a turn of a conversation";
const order = "gives orders to the model";
const hiding = "asks to hide something from the person";

/** The signs of English texts, and those that have no language. */
export const signs: readonly Sign[] = [
  {
    kind: ignoring,
    weight: 3,
    starts: [
      "ignore",
      "disregard",
      "forget",
      "override",
      "bypass",
      "discard",
      "neglect",
      "do not follow",
      "don't follow",
      "stop following",
    ],
    pattern:
      /(?!ignore[ds]|disregards|overrid(?:den|es)|bypass(?:ed|es)|discard(?:ed|s)|neglect(?:ed|s))[a-z']+\s[^.;{}()|]{0,40}?\b(?:(?:(?:previous|prior|above|earlier|preceding|your|initial|original|system|safety)\b[^.;{}()|]{0,30}?|security(?:\s{1,4}(?:and|or)\s{1,4}[a-z]{1,20})?\s{1,4})\b(?:i[a-z]{0,2}nstructions?|prompts?|rules|directions?|directives?|guidelines|guardrails|policies|orders|constraints|restrictions|protocols?|checks)|(?:all|any|other|those|these)\b[^.;{}()|]{0,30}?\b(?:i[a-z]{0,2}nstructions?|prompts?|guidelines|guardrails|directives))\b/y,
  },
  {
    kind: ignoring,
    weight: 3,
    starts: ["ignore", "disregard", "forget"],
    pattern:
      /[a-z]+[ \t]{1,8}(?:instructions?\b|(?:the\s{1,8}|all\s{1,8}){0,2}(?:rest\s{1,8}of\s{1,8}(?:this|the)|above|info(?:rmation)?\s{1,8}except|text\s{1,8}above)\b[^]{0,40}?\b(?:and|print|say|reply|respond|output|instead|except|you)\b)/y,
  },
  {
    kind: role,
    weight: 3,
    starts: ["you are", "you\nare", "you're", "you will now", "from now on"],
    pattern:
      /(?:from\s{1,8}now\s{1,8}on,?\s{1,8}(?:you|your|act|answer|respond)\b|you(?:\s{1,8}are|'re|\s{1,8}will)\s{1,8}(?:now|no\s{1,8}longer|going\s{1,8}to\s{1,8}(?:act|pretend|play|be))\b[^]{0,60}?\b(?:assistant|agent|ai|model|bot|mode|restricted|bound|developer|admin|root|dan|unrestricted|character|role)\b)/y,
  },
  {
    kind: role,
    weight: 3,
    starts: ["do anything now", "developer mode", "stay in character", "pretend", "act as", "jailbr"],
    pattern:
      /(?:do\s{1,8}anything\s{1,8}now|developer\s{1,8}mode\s{1,8}(?:enabled|output|activated|v\d)|stay\s{1,8}in\s{1,8}character|pretend\s{1,8}(?:to\s{1,8}be|that\s{1,8}you|you)[^]{0,80}?\b(?:ai|restrictions?|unrestricted|without|rules|model)\b|act\s{1,8}as\s{1,8}(?:an?\s{1,8})?(?:unrestricted|unfiltered|dan|evil|jailbroken)|jailbr(?:eak|oken)\s{1,8}(?:mode|prompt|yourself))/y,
  },
  {
    kind: role,
    weight: 3,
    starts: ["new", "updated", "revised", "real", "actual"],
    pattern:
      /[a-z]+\s{1,8}(?:system\s{1,8})?(?:instructions?|prompt|persona|task|objective|directive)\s{0,8}(?:for\s{1,8}(?:the\s{1,8})?(?:ai|assistant|agent|model)\s{0,8})?:/y,
  },
  {
    kind: markup,
    weight: 3,
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
      "<end_of_turn>",
      "[tool_",
      "[available_tools]",
    ],
    pattern:
      /<\|(?:im_start|im_end|im_sep|system|user|assistant|endoftext|eot_id|eom_id|start_header_id|end_header_id|begin_of_text|start|end|channel|message|return|call|constrain|python_tag)\|>|\[\/?inst\]|<<\/?sys>>|<(?:start|end)_of_turn>|\[\/?(?:tool_calls|tool_results|available_tools)\]|<\/?(?:system|system-reminder|system_prompt|function_calls|function_results|tool_call|tool_use|tool_result|tool_response)>/y,
  },
  {
    kind: markup,
    weight: 3,
    starts: [
      "<information",
      "<important",
      "<instruction",
      "<hidden",
      "<admin",
      "<urgent",
      "<priority",
      "<system",
      "<secret",
      "<override",
    ],
    pattern:
      /<(?:information|important|instructions?|hidden|admin|urgent|priority|secret|override|system)[a-z_ -]{0,20}>[^]{0,160}?\b(?:message\s{1,8}(?:from|to|for)|before\s{1,8}(?:you|using|calling|answering|invoking)|you\s{1,8}(?:must|should|have\s{1,8}to|need\s{1,8}to|are)|stop|ignore|assistant|ai\b|do\s{1,8}not\s{1,8}(?:tell|mention)|read\s{1,8}(?:the\s{1,8}file|~))/y,
  },
  {
    kind: turn,
    weight: 3,
    starts: [
      "(system",
      "[system",
      "### system",
      "###system",
      "### instruction",
      "system message",
      "system override",
      "system alert",
      "begin system",
      "[admin",
      "end of session",
      "<end of",
    ],
    pattern:
      /(?:(?<![\w.])\(system(?:_message|_prompt)?\)|\[(?:system|admin)(?:[ _](?:message|prompt|note|override|instruction|notice|update))?\]|#{3}\s{0,2}(?:system|instructions?)\s{0,2}:|system\s{1,4}(?:message|override|alert)\s{0,4}[:!]|begin\s{1,4}system\s{1,4}(?:message|prompt)|<end\s{1,4}of\s{1,4}(?:session|document|context|prompt|input)>|end\s{1,4}of\s{1,4}session[>\s]{1,20}(?:system|user|assistant))/y,
  },
  {
    kind: turn,
    weight: 3,
    starts: [
      "\nhuman:",
      "\nuser:",
      "\nassistant:",
      "\nsystem:",
      "\n### user",
      "\n### human",
      "\n### assistant",
    ],
    pattern:
      /\n(?:#{3}\s{1,4})?(?:human|user|assistant|system):?\s[^\n]{0,240}?(?:\b(?:ignore|disregard|you\s{1,4}(?:must|should|are\s{1,4}now)|please|repeat|focus\s{1,4}(?:only|exclusively)|execute|send|forget|override|i\s{1,4}want\s{1,4}you)\b|\n{1,2}(?:#{3}\s{1,4})?(?:human|user|assistant|system):?\s)/y,
  },
  {
    kind: turn,
    weight: 3,
    starts: ["task", "request completed", "done."],
    pattern:
      /(?:(?:the\s{1,4})?task|request|done)\b[\s:.is]{0,8}(?:already\s{1,4})?(?:complete|completed|finished|done|accomplished)?[.!:\s]{1,8}(?:now|next|ignore|you\s{1,4}must|your\s{1,4}(?:new|next)|new\s{1,4}(?:task|instruction))\b/y,
  },
  {
    kind: order,
    weight: 3,
    starts: [
      "strictly adhere",
      "adhere to the following",
      "you must strictly",
      "do not use other tools",
      "do not use any other",
    ],
    pattern:
      /(?:strictly\s{1,4}adhere|adhere\s{1,4}to\s{1,4}the\s{1,4}following\s{1,4}instruction|you\s{1,4}must\s{1,4}strictly|do\s{1,4}not\s{1,4}use\s{1,4}(?:any\s{1,4})?other\s{1,4}tools?)/y,
  },
  {
    kind: order,
    weight: 3,
    starts: [
      "before you",
      "before using",
      "before calling",
      "before answering",
      "before responding",
      "before continuing",
      "before proceeding",
    ],
    pattern:
      /before\s{1,4}(?:you\s{1,4}(?:can\s{1,4})?(?:solve|complete|answer|continue|proceed|do|respond|finish|use|start|summari[sz]e)|using|calling|answering|responding|continuing|proceeding)\b[^]{0,120}?\b(?:please\s{1,4}(?:do|read|call|send|first|visit|run|make)|you\s{1,4}(?:must|have\s{1,4}to|need\s{1,4}to)\s{1,4}(?:first\s{1,4})?(?:read|call|send|run|visit|execute|fetch|do|pass|include)|do\s{1,4}the\s{1,4}following|read\s{1,4}(?:the\s{1,4}file\s{1,4})?~?\/|pass\s{1,4}(?:its|the)\s{1,4}content)/y,
  },
  {
    kind: order,
    weight: 3,
    starts: ["important message", "stop what you", "immediately stop", "important!!"],
    pattern:
      /(?:important\s{1,4}message\s{1,4}(?:from|to|for)\b[^]{0,60}?\b(?:you|me|ai|assistant|agent|model)\b|(?:immediately\s{1,4})?stop\s{1,4}what\s{1,4}you(?:'re|\s{1,4}are)\s{1,4}doing|immediately\s{1,4}stop\s{1,4}(?:your|the)\s{1,4}(?:current\s{1,4})?task|important!!!?[^]{0,60}?\b(?:ignore|you|instruction)\b)/y,
  },
  {
    kind: order,
    weight: 3,
    starts: [
      "your new task",
      "your new goal",
      "your only task",
      "your real task",
      "your actual task",
      "your next task",
      "your new instruction",
      "your main task",
      "your primary objective",
      "your true",
      "if you are an",
      "if you're an",
      "as an ai",
      "dear ai",
      "dear assistant",
      "hey ai",
      "hello ai",
      "attention ai",
      "attention: ai",
      "note to ai",
      "note to the ai",
      "note for ai",
      "message to ai",
      "message for ai",
      "instructions for ai",
      "instructions for the ai",
      "instruction for ai",
      "instructions to ai",
    ],
    pattern:
      /(?:your\s{1,4}(?:new|only|real|actual|next|primary|main|true)\s{1,4}(?:task|goal|instructions?|objective)\s{1,4}(?:is|are)\b|if\s{1,4}you(?:'re|\s{1,4}are)\s{1,4}an?\s{1,4}(?:ai|llm|large\s{1,4}language|language\s{1,4}model|assistant|agent|bot|automated)\b[^]{0,80}?\b(?:must|should|please|ignore|then|say|include|add|run|follow|do)\b|as\s{1,4}an\s{1,4}ai\s{1,4}(?:agent|assistant)[^]{0,20}?,\s{1,4}you\s{1,4}(?:must|should|need|have)|(?:dear|hey|hello|attention:?|note\s{1,4}(?:to|for)(?:\s{1,4}the)?|message\s{1,4}(?:to|for)(?:\s{1,4}the)?|instructions?\s{1,4}(?:to|for)(?:\s{1,4}the)?)\s{1,4}(?:all\s{1,4})?(?:ai|assistant)\b(?:\s{1,4}(?:agents?|assistants?|models?|systems?|reviewers?))?\s{0,4}[:,!.])/y,
  },
  {
    kind: order,
    weight: 3,
    starts: ["ai", "llm", "language model", "assistant", "claude", "chatgpt", "copilot", "gemini", "gpt"],
    pattern:
      /(?<=[\n.!?:>"*#-][ \t]{0,3}(?:all |any |every |the )?)[a-z]+\b[^.\n]{0,40}?\b(?:must|should|needs?\s{1,8}to|has\s{1,8}to|have\s{1,8}to|(?:is|are)\s{1,8}(?:required|instructed|authorized)\s{1,8}to|please)\b[^.\n]{0,30}?\b(?:run|execute|call|download|install|visit|delete|send|curl|fetch|commit|push|disable)\b/y,
  },
  {
    kind: order,
    weight: 2,
    starts: ["ai", "llm", "language model", "assistant", "claude", "chatgpt", "copilot", "gemini", "gpt"],
    pattern:
      /[a-z]+\b[^.\n]{0,40}?\b(?:must|should|needs?\s{1,8}to|has\s{1,8}to|have\s{1,8}to|(?:is|are)\s{1,8}(?:required|instructed|authorized)\s{1,8}to|please)\b[^.\n]{0,30}?\b(?:run|execute|call|download|install|visit|delete|send|curl|fetch|commit|push|disable)\b/y,
  },
  {
    kind: order,
    weight: 2,
    starts: [
      "reply with only",
      "respond only with",
      "respond with only",
      "reply only with",
      "absolutely nothing else",
      "and nothing else",
    ],
    pattern:
      /(?:(?:reply|respond)\s{1,4}(?:with\s{1,4}only|only\s{1,4}with)|(?:absolutely|and)\s{1,4}nothing\s{1,4}else)/y,
  },
  {
    kind: order,
    weight: 1,
    starts: [
      "you must",
      "immediately",
      "urgent",
      "execute the following",
      "run the following command",
      "if user asks",
      "if the user asks",
      "instead",
      "just print",
      "and print",
      "secretly",
      "for our security audit",
      "for testing",
    ],
    pattern:
      /(?:you\s{1,4}must|immediately|urgent|execute\s{1,4}the\s{1,4}following|run\s{1,4}the\s{1,4}following\s{1,4}command|if\s{1,4}(?:the\s{1,4})?user\s{1,4}asks|instead|(?:just|and)\s{1,4}print|secretly|for\s{1,4}(?:our\s{1,4}security\s{1,4}audit|testing))\b/y,
  },
  {
    kind: order,
    weight: 3,
    starts: ["agent", "assistant", "system", "ai", "llm", "model", "bot"],
    pattern:
      /(?<=[\n"'`*#>([{|-][ \t]{0,3})(?:(?:ai|llm|assistant|agent|system|bot|model)\s{1,4}){1,2}(?:directive|command|notice|instructions?|override|task|request|action\s{1,4}required|update)\s{0,2}:(?=[^]{0,200}?\b(?:you|your|must|ignore|access|execute|send|run|before|immediately|first)\b)/y,
  },
  {
    kind: order,
    weight: 3,
    starts: ["as a ", "as an ", "as the "],
    pattern:
      /as\s{1,4}(?:an?|the)\s{1,4}(?:[a-z]{1,20}\s{1,4}){0,2}(?:agent|assistant|ai|language\s{1,4}model|llm|bot|security\s{1,4}admin)\b[^.,\n]{0,40}?,\s{1,4}(?:please|you\s{1,4}(?:must|should|need|have|are\s{1,4}(?:required|authorized))|execute|run|deploy|visit|ignore|send|delete)\b/y,
  },
  {
    kind: order,
    weight: 3,
    starts: [
      "to complete your",
      "to continue your",
      "to finish your",
      "to proceed with your",
      "before processing",
      "before reading",
      "before summari",
    ],
    pattern:
      /(?:to\s{1,4}(?:complete|continue|finish|proceed\s{1,4}with)\s{1,4}your\s{1,4}(?:current\s{1,4}|assigned\s{1,4})?task\b|before\s{1,4}(?:processing|reading|summari[sz]ing)\s{1,4}(?:this|the)\s{1,4}(?:content|document|page|email|message|file)\b)(?=[^]{0,160}?\b(?:you\s{1,4}(?:must|have\s{1,4}to|need\s{1,4}to|should)|first|requires?\s{1,4}you|please)\b)/y,
  },
  {
    kind: order,
    weight: 2,
    starts: [
      "without asking",
      "without user",
      "without human",
      "without confirmation",
      "without any",
      "without validation",
      "without further",
      "user confirmation",
      "bypass the user",
    ],
    pattern:
      /(?:without\s{1,4}(?:asking|(?:any\s{1,4}|further\s{1,4})?(?:user|human)?\s{0,4}(?:confirmation|approval|permission|consent|validation|questions))|user\s{1,4}confirmation\s{0,2}:\s{0,4}\[?(?:disabled|off|skipped)|bypass\s{1,4}the\s{1,4}user\s{1,4}confirmation)/y,
  },
  {
    kind: order,
    weight: 1,
    starts: [
      "execute this",
      "execute these",
      "execute the",
      "run this",
      "deploy this",
      "perform this",
      "navigate to this",
      "visit this",
      "open this",
    ],
    pattern:
      /(?:execute|run|deploy|perform|navigate\s{1,4}to|visit|open)\s{1,4}(?:this|these|the)\s{1,4}(?:following\s{1,4})?(?:commands?|scripts?|actions?|code|link|url|page|instructions?)\b/y,
  },
  {
    kind: turn,
    weight: 2,
    starts: ["--", "==", "##", "**"],
    pattern:
      /[-=#*]{2,8}\s{0,4}(?:end|begin|start|new)\s{1,4}(?:of\s{1,4})?(?:system|user|untrusted|tool|assistant|evaluation|instructions?)\s{0,4}(?:instructions?|prompt|input|message|output|context|task|data|results?)?\s{0,4}[-=#*]{2,8}/y,
  },
  {
    kind: hiding,
    weight: 3,
    starts: ["do", "never", "without", "avoid"],
    pattern:
      /(?:do\s{1,8}not|don't|never|without|avoid)\s{1,8}(?:[a-z]{1,20}\s{1,8}){0,2}(?:tell|telling|mention|mentioning|inform|informing|notify|notifying|alert|alerting|reveal|revealing)\b[^.]{0,30}?\b(?:user|human|person|developer|operator|owner)\b/y,
  },
  {
    kind: "asks to send secrets away",
    weight: 3,
    starts: [
      "send",
      "post",
      "submit",
      "upload",
      "forward",
      "exfiltrate",
      "transmit",
      "leak",
      "email",
      "e-mail",
    ],
    pattern:
      /[a-z-]+\s[^.\n]{0,60}?(?:\b(?:api\s{1,8}keys?|secrets|credentials|passwords?|access\s{1,8}tokens?|environment\s{1,8}variables|env\s{1,8}vars|ssh\s{1,8}keys?|private\s{1,8}keys?|conversation|chat\s{1,8}history|system\s{1,8}prompt)|\.env|\.ssh)\b[^.\n]{0,40}?\b(?:to|at|via)\s{1,8}(?:(?:a\s{1,8}|the\s{1,8})?(?:webhook|server|url|endpoint)\b|https?:|[a-z0-9-]{1,60}\.(?:com|net|org|io|evil|example|xyz|ru|cn)\b|[a-z0-9._-]{1,40}@|(?:my|this|the\s{1,8}following|our)\s)/y,
  },
  {
    kind: "asks for the system prompt",
    weight: 3,
    starts: [
      "reveal",
      "print",
      "repeat",
      "output",
      "show",
      "disclose",
      "share",
      "what are your",
      "what were you",
      "tell me your",
    ],
    pattern:
      /(?:[a-z]+\s[^.\n]{0,20}?\b(?:your|the|all)\s{1,8}(?:system\s{1,8}prompt|(?:initial|hidden|original|full)\s{1,8}(?:instructions|prompt)|instructions\s{1,8}(?:above|you\s{1,4}were)|original\s{1,8}prompt|text\s{1,8}above|words\s{1,8}above)|what\s{1,4}(?:are|were)\s{1,4}your?\s{1,4}(?:initial|original|system|hidden)\s{1,4}(?:instructions|prompt))\b/y,
  },
  {
    kind: "carries data in the address of an image",
    weight: 3,
    starts: ["!["],
    pattern:
      /!\[[^\]]{0,200}\]\(\s{0,8}https?:\/\/[^)\s]{0,300}[?&](?:data|d|q|c|content|msg|text|payload|secret|token|key|leak)=/y,
  },
  {
    kind: "hides text with markup",
    weight: 3,
    starts: [
      "<!--",
      "display:none",
      "display: none",
      "font-size:0",
      "font-size: 0",
      "color:white",
      "color: white",
      "visibility:hidden",
      "[//]: #",
    ],
    pattern:
      /(?:<!--|display:\s?none|font-size:\s?0|color:\s?white|visibility:\s?hidden|\[\/\/\]:\s?#\s?\()(?:(?!-->)[^]){0,200}?\b(?:ignore\s{1,4}(?:all|previous|any)|assistant|(?:ai|agent)\s{1,4}(?:agent|assistant|model|command|instructions?|directive)|you\s{1,4}must|instructions?:|do\s{1,4}not\s{1,4}(?:tell|mention))\b/y,
  },
];

const wordPart = /[a-z0-9_]/;

/** A sign that a text shows, and the line where it first does. */
export interface Found {
  readonly kind: string;
  readonly weight: number;
  readonly line: number;
}

/** Lines between weak signs that count together. */
const near = 4;

/** The score of the strongest place: a sign that is enough alone, or weak ones close to each other. */
export function scoreOf(found: readonly Found[]): number {
  const strong = found.filter(({ weight }) => weight >= enough).reduce((sum, { weight }) => sum + weight, 0);
  const weak = found.filter(({ weight }) => weight < enough);
  const sums = weak.map(({ line }) =>
    weak.reduce((sum, other) => (Math.abs(other.line - line) <= near ? sum + other.weight : sum), 0),
  );
  const most = Math.max(0, ...sums);
  return strong + (most >= enough ? most : 0);
}

/** The signs that a text shows, in plain form and in lower case only, for other languages. */
export function signsOf(read: string, lower: string): readonly Found[] {
  return [...foundIn(`\n${read}`, signs), ...foundIn(`\n${lower}`, foreignSigns)];
}

function foundIn(text: string, list: readonly Sign[]): readonly Found[] {
  return list.flatMap(({ kind, weight, starts, pattern }) => {
    const at = placeOf(text, starts, pattern);
    return at < 0 ? [] : [{ kind, weight, line: lineOf(text, at) }];
  });
}

function placeOf(text: string, starts: readonly string[], pattern: RegExp): number {
  for (const start of starts) {
    for (let at = text.indexOf(start); at >= 0; at = text.indexOf(start, at + 1)) {
      if (wordPart.test(start[0] ?? "") && wordPart.test(text[at - 1] ?? "")) continue;
      pattern.lastIndex = at;
      if (pattern.test(text) && !isQuotedAlone(text, at, pattern.lastIndex)) return at;
    }
  }
  return -1;
}

/** Whether a marker stands alone in quotes, as where a text speaks of it. */
function isQuotedAlone(text: string, start: number, end: number): boolean {
  const quote = text[start - 1] ?? "";
  return /[<[(]/.test(text[start] ?? "") && /["'`]/.test(quote) && text[end] === quote;
}

function lineOf(text: string, end: number): number {
  let line = 0;
  for (let at = text.indexOf("\n"); at >= 0 && at < end; at = text.indexOf("\n", at + 1)) line++;
  return line;
}
