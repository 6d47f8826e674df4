/**
 * Writes the tables of `facts.text` from public data, which this script installs into a temporary folder:
 * `unhomoglyph` (the confusables of Unicode Technical Standard 39) and `character-entities` (the named character
 * references of HTML). Run it when one of them has a new version, and raise the minor version of the fact.
 *
 *     node scripts/text-tables.ts
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const sources = { unhomoglyph: "1.0.6", "character-entities": "2.0.2" };
const tables = fileURLToPath(new URL("../src/facts/text/tables/", import.meta.url));

/** Letters that data of confusables lacks, since they do not look the same, but people and models read them. */
const smallCapitals = "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡ ʏᴢ";

/** A letter of Turkish and Azeri, so that it is usually no disguise. */
const ordinary = "ı";

function lookalikes(data: { readonly [char: string]: string }): string {
  const byLetter = new Map<string, Set<string>>();
  const add = (letter: string, char: string): void => {
    byLetter.set(letter, (byLetter.get(letter) ?? new Set()).add(char));
  };
  for (const [char, looks] of Object.entries(data)) {
    const letter = looks === "rn" ? "m" : looks === "l" && /\p{Lu}/u.test(char) ? "I" : looks;
    if (!/^[A-Za-z]$/.test(letter) || !/^[^\0-\x7f]$/u.test(char) || !/\p{L}/u.test(char)) continue;
    if (char.normalize("NFKC") === char && !ordinary.includes(char)) add(letter, char);
  }
  for (const [at, char] of [...smallCapitals].entries())
    if (char !== " ") add(String.fromCharCode(97 + at), char);
  return lines([...byLetter].sort().map(([letter, chars]) => letter + [...chars].sort().join("")));
}

function entities(data: { readonly [name: string]: string }): string {
  return lines(
    Object.entries(data)
      .sort()
      .map(
        ([name, value]) => `${name}=${[...value].map((char) => char.codePointAt(0)!.toString(16)).join("+")}`,
      ),
  );
}

/** A table as lines of text: it loads faster than a literal of an object. */
const lines = (entries: readonly string[]): string => JSON.stringify(entries.join(" "));

function write(file: string, name: string, doc: string, from: keyof typeof sources, value: string): void {
  const text = `// Written by \`node scripts/text-tables.ts\` from ${from} ${sources[from]} (MIT). Do not edit.\n\n/** ${doc} */\n// prettier-ignore\nexport const ${name} =\n  ${value};\n`;
  writeFileSync(tables + file, text);
}

const folder = mkdtempSync(join(tmpdir(), "hookwarden-tables-"));
try {
  const wanted = Object.entries(sources).map(([name, version]) => `${name}@${version}`);
  execFileSync("npm", [
    "install",
    "--no-audit",
    "--no-fund",
    "--ignore-scripts",
    "--prefix",
    folder,
    ...wanted,
  ]);
  const require = createRequire(join(folder, "index.js"));
  const { characterEntities } = (await import(
    pathToFileURL(join(folder, "node_modules/character-entities/index.js")).href
  )) as { characterEntities: { [name: string]: string } };
  write(
    "lookalikes.ts",
    "lookalikeTable",
    "Each ASCII letter, followed by letters that look like it.",
    "unhomoglyph",
    lookalikes(require("unhomoglyph/data.json") as { [char: string]: string }),
  );
  write(
    "entities.ts",
    "entityTable",
    "Names of character references of HTML, with their code points in hexadecimal.",
    "character-entities",
    entities(characterEntities),
  );
} finally {
  rmSync(folder, { recursive: true });
}
