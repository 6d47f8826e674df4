/** The texts that a brace expansion stands for; `null` if they are not known. */
export function braceChoices(text: string): readonly string[] | null {
  return /^\{[^{},]*\.\.[^{},]*\}$/.test(text) ? rangeChoices(text) : listChoices(text);
}

const mostChoices = 256;

/** `{1..3}`, `{a..e}`, `{1..9..2}`. */
function rangeChoices(text: string): readonly string[] | null {
  const numbers = /^\{(-?\d{1,9})\.\.(-?\d{1,9})(?:\.\.(-?\d{1,9}))?\}$/.exec(text);
  const letters = /^\{([A-Za-z])\.\.([A-Za-z])(?:\.\.(-?\d{1,9}))?\}$/.exec(text);
  const [, from = "", to = "", step = "1"] = numbers ?? letters ?? [];
  if (from === "") return null;
  const start = numbers ? Number(from) : from.charCodeAt(0);
  const end = numbers ? Number(to) : to.charCodeAt(0);
  const padded = numbers !== null && (/^-?0\d/.test(from) || /^-?0\d/.test(to));
  const by = Math.abs(Number(step)) || 1;
  if (padded || Math.abs(end - start) / by > mostChoices) return null;
  const choices: string[] = [];
  for (let at = start; start <= end ? at <= end : at >= end; at += start <= end ? by : -by)
    choices.push(numbers ? String(at) : String.fromCharCode(at));
  return choices;
}

/** The texts between the commas. */
function listChoices(text: string): readonly string[] | null {
  const choices: string[] = [];
  let level = 0;
  let start = 1;
  let quote = "";
  for (let at = 1; at < text.length; at++) {
    const char = text[at] ?? "";
    if (char === "\\" && quote !== "'") at++;
    else if (quote !== "") quote = char === quote ? "" : quote;
    else if (char === "'" || char === '"') quote = char;
    else if (char === "`" || (char === "$" && text[at + 1] === "(")) return null;
    else if (char === "{") level++;
    else if (char === "}" && level > 0) level--;
    else if ((char === "," || char === "}") && level === 0) {
      choices.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return choices.length > 1 ? choices : null;
}
