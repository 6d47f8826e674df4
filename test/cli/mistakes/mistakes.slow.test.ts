import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { folder } from "../cli.ts";
import { cli } from "../in-process.ts";
import { filesOf, type Mistake, topics } from "./table.ts";

/** Runs the command of one mistake in a folder of its own, and returns what a person reads. */
async function transcript(mistake: Mistake): Promise<string> {
  await using dir = await folder();
  for (const [path, content] of Object.entries(filesOf(mistake))) {
    const file = join(dir.path, path);
    mkdirSync(dirname(file), { recursive: true });
    const raw = typeof content === "string" || content instanceof Uint8Array;
    writeFileSync(file, raw ? content : `${JSON.stringify(content, null, 2)}\n`);
  }
  const undo = await mistake.prepare?.(dir.path);
  const args = mistake.args ?? ["run", ".", "--events", "events.jsonl"];
  const { input, env } = mistake;
  const ran = await cli(args, {
    cwd: dir.path,
    ...(input === undefined ? {} : { input }),
    ...(env ? { env } : {}),
  });
  undo?.();
  const text = [ran.out.trimEnd(), ran.err.trimEnd()].filter(Boolean).join("\n");
  return `## ${mistake.name}\n\n$ hookwarden ${args.join(" ")}\n${stable(text, dir.path)}\n(exit ${ran.code})\n`;
}

/** Without what differs from run to run. */
function stable(text: string, path: string): string {
  return (
    text
      .replaceAll(path, "/folder")
      // Log lines of the server.
      .replace(/^\{"time":.*\n/gm, "")
      .replace(/\d\d:\d\d:\d\d/g, "TIME")
      .replace(/[\d,.]+ (µs|ms|KiB|steps|s)\b/g, "N $1")
      .replace(/^(no-force {20,}\d+ +\d+) +\d+$/gm, "$1 N")
      .replace(/(TIME .*?(?:continue|deny|ask)) +[\d,.]+$/gm, "$1 N")
  );
}

it.each(Object.entries(topics))(
  "mistakes with %s are explained",
  { timeout: 300_000 },
  async (topic, mistakes) => {
    const only = process.env["MISTAKE"];
    const texts: string[] = [];
    for (const mistake of mistakes)
      if (!only || mistake.name.includes(only)) texts.push(await transcript(mistake));
    const whole = texts.join("\n");
    if (only) return console.log(whole);
    expect(whole).not.toMatch(/internal|please report|\bat .*\.[tj]s:\d+:\d+\)/i);
    await expect(whole).toMatchFileSnapshot(`golden/${topic}.txt`);
  },
);
