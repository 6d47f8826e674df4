import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PackDiff } from "@hookwarden/testing/diff";
import { createWarden, type Warden } from "hookwarden/warden";
import type { Verdict } from "hookwarden/broker";
import { cliProcess } from "../../test/cli/cli.ts";
import { policiesFolder } from "./harness.ts";

/** The shipped policies against versions of them that were changed in one place, as somebody's pull request would. */

const root = fileURLToPath(new URL("../../", import.meta.url));
const session = `${root}examples/agent-session.jsonl`;
const corpus = process.env["HOOKWARDEN_CORPUS"];
const recorded = corpus ?? session;
const hook = "ask-before-network";

let dir: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "hookwarden-diff-"));
  await writeFile(join(dir, "package.json"), "{}");
  await cp(policiesFolder, join(dir, "old"), { recursive: true });
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/** A copy of the policies with some files changed. */
async function changed(
  name: string,
  edits: { readonly [file: string]: (text: string) => string },
): Promise<string> {
  const folder = join(dir, name);
  await mkdir(folder);
  await cp(policiesFolder, folder, { recursive: true });
  for (const [file, edit] of Object.entries(edits)) {
    const text = await readFile(join(folder, file), "utf8");
    expect(edit(text)).not.toBe(text);
    await writeFile(join(folder, file), edit(text));
  }
  return folder;
}

type Event = { readonly [field: string]: unknown };

const key = (event: Event): string => {
  const { time: _, ...rest } = event;
  return JSON.stringify(Object.entries(rest).toSorted(([a], [b]) => (a < b ? -1 : 1)));
};

async function eventsOf(file: string): Promise<readonly Event[]> {
  const lines = (await readFile(file, "utf8")).split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Event);
}

async function casesOf(): Promise<readonly Event[]> {
  const cases = JSON.parse(await readFile(join(policiesFolder, hook, "cases.json"), "utf8")) as {
    event?: Event;
    events?: readonly Event[];
  }[];
  return cases
    .flatMap(({ event, events }) => events ?? (event ? [event] : []))
    .map((event) => ({ session_id: "case", ...event }));
}

/** A warden with the one hook of a version, asked by other means than those of the comparison. */
async function only(version: string): Promise<Warden> {
  const folder = `${version}-only`;
  await cp(version, folder, { recursive: true });
  const file = join(folder, "hookwarden.json");
  const { config, ...manifest } = JSON.parse(await readFile(file, "utf8")) as {
    config: { [hook: string]: unknown };
  };
  await writeFile(file, JSON.stringify({ ...manifest, hooks: [hook], config: { [hook]: config[hook] } }));
  return createWarden({ pack: folder, isolation: "inline" });
}

const strength: readonly Verdict[] = ["continue", "ask", "deny"];

async function opens(old: Warden, next: Warden, event: Event): Promise<boolean> {
  const dispatch = async (warden: Warden): Promise<number> => {
    const { verdict } = await warden.dispatch(event as never, { decisionId: "one" });
    expect(strength).toContain(verdict);
    return strength.indexOf(verdict);
  };
  return (await dispatch(next)) < (await dispatch(old));
}

async function diff(next: string, ...more: readonly string[]) {
  const args = [
    "diff",
    join(dir, "old"),
    next,
    "--events",
    recorded,
    "--isolation",
    "inline",
    "--format",
    "json",
  ];
  const { code, out, err } = await cliProcess([...args, ...more]);
  expect(err).toBe("");
  return { code, diff: JSON.parse(out) as PackDiff };
}

/** Each hook by itself: where another hook stops an event too, the pack as a whole does not open. */
const openedAt = ({ loosenings }: PackDiff, origin: string): string[] =>
  loosenings.flatMap(({ hook: name, event }) =>
    name === hook && event?.origin === origin ? [key(event.fields)] : [],
  );

describe("a policy against a version of it", () => {
  it("with one program let through: the recorded events that open, the cases, neighbours, and no other", async () => {
    const next = await changed("code", {
      [`${hook}/hook.ts`]: (text) =>
        text.replace(
          "  const host = textOf(use.host);\n",
          '$&  if (invocation?.name === "curl") return undefined;\n',
        ),
    });
    const { code, diff: found } = await diff(next, "--explore", "100");
    expect(code).toBe(1);
    expect(found.hooks.changed).toEqual([hook]);
    await using old = await only(join(dir, "old"));
    await using opened = await only(next);
    const expected = async (events: readonly Event[]): Promise<string[]> => {
      const list: string[] = [];
      for (const event of events) if (await opens(old, opened, event)) list.push(key(event));
      return list;
    };
    const atRecorded = await expected(await eventsOf(recorded));
    expect(openedAt(found, "recorded").toSorted()).toEqual(atRecorded.toSorted());
    expect(atRecorded).toHaveLength(corpus === undefined ? 1 : 18);
    expect(atRecorded.every((event) => event.includes("curl"))).toBe(true);

    const atCases = await expected((await casesOf()).slice(0, 100));
    expect(atCases.length).toBeGreaterThan(0);
    expect(new Set(openedAt(found, "case"))).toEqual(new Set(atCases));

    const near = found.loosenings.filter((one) => one.hook === hook && one.event?.origin === "neighbour");
    expect(near.length).toBeGreaterThan(0);
    for (const { event } of near) expect(await opens(old, opened, event?.fields ?? {})).toBe(true);
  }, 240_000);

  it("with comments changed: nothing, and exit 0", { timeout: 120_000 }, async () => {
    const comment = (text: string): string => `// Looked through once more.\n${text}`;
    const next = await changed("comments", {
      [`${hook}/hook.ts`]: comment,
      [`${hook}/programs.ts`]: comment,
      "lib/commands.ts": comment,
      "lib/findings.ts": (text) => `${text}\n/* The end. */\n`,
    });
    const { code, diff: found } = await diff(next, "--explore", "100");
    expect(code).toBe(0);
    expect({ loosenings: found.loosenings, groups: found.groups, powers: found.powers }).toEqual({
      loosenings: [],
      groups: [],
      powers: [],
    });
    expect(found.hooks.changed).toEqual([]);
  });
});
