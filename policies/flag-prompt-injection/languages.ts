import type { Sign } from "./signs.ts";

const ignoring = "asks to ignore earlier instructions";
const hiding = "asks to hide something from the person";
const role = "gives the model another role";

/** How one language says it: words that it begins with, and the rest. */
function sign(kind: string, starts: readonly string[], pattern: RegExp): Sign {
  return { kind, weight: 3, starts, pattern };
}

/** The most frequent phrases in the most spoken languages besides English. Texts are in lower case, unaccented or not. */
export const foreignSigns: readonly Sign[] = [
  // Spanish, Portuguese, Italian, French
  sign(
    ignoring,
    ["ignor", "olvid", "descart", "desconsider", "esquec", "dimentic", "oubli", "trascur"],
    /(?!ignore[ds]\b)[a-zà-ÿ]+[ \t][^.\n]{0,50}?(?:in?stru[cçz][a-zà-ÿõ]{2,8}|reglas|regras|regole|r[èe]gles|consignes|[óo]rdenes|indica[a-zà-ÿ]{4,8}|direttive|prompt)/y,
  ),
  sign(
    hiding,
    [
      "no le digas",
      "no informes",
      "no menciones",
      "não diga",
      "nao diga",
      "não informe",
      "não conte",
      "non dire",
      "non informare",
      "ne dis pas",
      "ne dites pas",
      "n'informe",
    ],
    /[^.\n]{4,30}?\s[^.\n]{0,30}?(?:usuari[oa]|utente|utilisateur|persona|usuário)/y,
  ),
  sign(
    role,
    [
      "ahora eres",
      "a partir de ahora",
      "agora você é",
      "a partir de agora",
      "ora sei",
      "d'ora in poi",
      "tu es maintenant",
      "vous êtes maintenant",
      "à partir de maintenant",
    ],
    /[^.\n]{6,24}?[\s,][^.\n]{0,60}?(?:asistente|assistente|assistant|mod[èe]le|agent|ia\b|modo|mode|sin restricciones|sem restri|senza restri|sans restri|debes|deve|dois)/y,
  ),
  // German, Dutch
  sign(
    ignoring,
    ["ignorier", "vergiss", "vergessen sie", "missachte", "negeer", "vergeet"],
    /[a-zäöüß]+\s[^.\n]{0,50}?(?:anweisungen|instruktionen|regeln|vorgaben|befehle|instructies|regels|aanwijzingen|opdrachten)/y,
  ),
  sign(
    hiding,
    ["sag dem", "sage dem", "sagen sie dem", "erzähle dem", "informiere den", "vertel de", "zeg de"],
    /[a-zäöüß ]{4,20}?(?:nutzer|anwender|gebruiker)[^.\n]{0,20}?(?:nicht|niet)/y,
  ),
  sign(
    role,
    ["du bist jetzt", "du bist nun", "ab jetzt bist du", "je bent nu", "vanaf nu"],
    /[^.\n]{6,20}?\s[^.\n]{0,60}?(?:assistent|agent|modell?|ki\b|modus|einschränkung|beperking)/y,
  ),
  // Russian, Ukrainian
  sign(
    ignoring,
    ["игнориру", "забудь", "не обращай внимания", "ігноруй"],
    /[а-яёіїє ]+[^.\n]{0,50}?(?:инструкци|указани|правила|команды|промпт|інструкці)/y,
  ),
  sign(
    hiding,
    ["не говори", "не сообщай", "не упоминай"],
    /не\s[а-яё]+\s[^.\n]{0,30}?(?:пользовател|человек)/y,
  ),
  sign(
    role,
    ["теперь ты", "ты теперь", "отныне ты"],
    /[а-яё ]+[^.\n]{0,60}?(?:ассистент|агент|модель|режим|ии(?![а-яё])|ограничен)/y,
  ),
  // Chinese, Japanese, Korean
  sign(
    ignoring,
    ["忽略", "无视", "忘记", "不要遵循", "無視", "忘れ", "이전", "앞의", "모든 지시", "忽視"],
    /(?:(?:忽略|忽視|无视|無視|忘记|不要遵循)[^。\n]{0,20}?(?:指令|指示|说明|說明|规则|規則|提示|命令)|(?:無視|忘れ)[^。\n]{0,12}?(?:て|ろ|くださ)|(?:이전|앞의|모든)[^.\n]{0,20}?(?:지시|명령|지침|프롬프트)[^.\n]{0,10}?(?:무시|잊))/y,
  ),
  sign(
    ignoring,
    ["指示を", "命令を", "前の指示", "これまでの指示", "上記の指示"],
    /[^。\n]{2,16}?(?:無視|忘れ)/y,
  ),
  sign(
    hiding,
    ["不要告诉", "别告诉", "不要告訴", "ユーザーに", "사용자에게"],
    /(?:(?:不要|别)告[诉訴][^。\n]{0,6}?(?:用户|使用者|用戶)|ユーザーに[^。\n]{0,16}?(?:言わない|伝えない|知らせない)|사용자에게[^.\n]{0,16}?(?:말하지|알리지))/y,
  ),
  sign(
    role,
    [
      "你现在是",
      "从现在起",
      "從現在起",
      "あなたは今",
      "今からあなた",
      "너는 이제",
      "당신은 이제",
      "지금부터",
    ],
    /[^。\n]{3,12}?[^。\n]{0,40}?(?:助手|模型|代理|模式|限制|アシスタント|エージェント|モード|制限|어시스턴트|모델|에이전트|모드)/y,
  ),
  // Arabic, Hindi, Turkish, Indonesian, Vietnamese, Polish
  sign(ignoring, ["تجاهل", "انس "], /[\u0600-\u06ff]+\s[^.\n]{0,40}?(?:تعليمات|الأوامر|القواعد)/y),
  sign(
    ignoring,
    ["पिछले", "सभी निर्देश", "उपरोक्त"],
    /[\u0900-\u097f ]+?(?:निर्देश|आदेश|नियम)[^।\n]{0,30}?(?:अनदेखा|नज़रअंदाज़|भूल|ध्यान न)/y,
  ),
  sign(
    ignoring,
    [
      "önceki",
      "yukarıdaki",
      "tüm talimat",
      "abaikan",
      "lupakan",
      "bỏ qua",
      "phớt lờ",
      "zignoruj",
      "ignoruj",
      "zapomnij",
    ],
    /[^.\n]{3,60}?(?:talimat[^.\n]{0,16}?(?:yok say|görmezden|unut)|instruksi|perintah|arahan|hướng dẫn|chỉ dẫn|lệnh|instrukcje|polecenia|zasady)/y,
  ),
];
