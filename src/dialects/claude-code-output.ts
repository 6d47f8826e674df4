import { isObject } from "@hookwarden/sandbox/json";

/**
 * Claude Code takes a replaced output only if it has the form of the tool's own, and otherwise shows the model the
 * original. Only the original shows which form that is.
 */

/** Stands where the model would have read the result. */
export const withheldText = "[withheld by a hook]";

/** Copies of an output on disk, which the model would be pointed to. */
const copies: ReadonlySet<string> = new Set(["persistedOutputPath", "persistedOutputSize"]);

/** Fields in which tools' outputs carry their text, the likeliest first. */
const textFields = ["stdout", "text", "content", "output", "result", "message"] as const;

/** Distinguishes one form from another, and holds nothing that a tool has read. */
const formName = /^[a-z_-]{1,32}$/;

/** The same form, with nothing of the content: texts are replaced, numbers become 0, lists are empty. */
export function withholdToolOutput(original: unknown): unknown {
  if (Array.isArray(original)) return [{ type: "text", text: withheldText }];
  return isReadFile(original) ? { ...emptyFile } : emptied(original, "");
}

/** A file that was read as a picture, a document or a notebook: its form is encoded content, which a text would break. */
function isReadFile(output: unknown): boolean {
  return isObject(output) && isObject(output.file) && output.type !== "text";
}

/** A text file that was read, which is the form that holds nothing. */
const emptyFile = {
  type: "text",
  file: { filePath: "", content: withheldText, numLines: 1, startLine: 1, totalLines: 1 },
};

function emptied(value: unknown, field: string): unknown {
  if (typeof value === "string") return field === "type" && formName.test(value) ? value : withheldText;
  if (typeof value === "number") return 0;
  // What is left is a text.
  if (field === "isImage") return false;
  if (Array.isArray(value)) return [];
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([name]) => !copies.has(name));
  return Object.fromEntries(entries.map(([name, inner]) => [name, emptied(inner, name)]));
}

/**
 * A hook's result in the form of the original. A hook that gives an object or a list has taken the form in its own
 * hands; a text goes where the original has its text, and the rest of the original is withheld.
 */
export function fitToolOutput(original: unknown, result: unknown): unknown {
  if (typeof result !== "string" || typeof original !== "object" || original === null) return result;
  if (Array.isArray(original)) return [{ type: "text", text: result }];
  const form = withholdToolOutput(original) as { readonly [field: string]: unknown };
  return placed(form, result) ?? result;
}

/** The form with the text in its first field for texts, on the first level that has one; `null` where none has. */
function placed(form: { readonly [field: string]: unknown }, text: string): unknown {
  const field = textFields.find((name) => typeof form[name] === "string");
  if (field !== undefined) {
    return Object.fromEntries(
      Object.entries(form).map(([name, value]) => [
        name,
        name === field ? text : value === withheldText ? "" : value,
      ]),
    );
  }
  if (Array.isArray(form.content)) return { ...form, content: [{ type: "text", text }] };
  for (const [name, value] of Object.entries(form)) {
    const inner = isObject(value) ? placed(value, text) : null;
    if (inner !== null) return { ...form, [name]: inner };
  }
  return null;
}
