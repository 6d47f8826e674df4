import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWarden } from "../../src/warden/index.ts";
import type { LoadedPack } from "../../src/pack/types.ts";
import type { Sandbox } from "@hookwarden/sandbox";
import { CertificateWriter, verifyCertificate } from "../../src/replay/certificate.ts";
import { replayLog } from "../../src/replay/replay.ts";
import { createQuickjsSandbox } from "@hookwarden/sandbox/quickjs";
import { moody, packOf } from "../log/packs.ts";
import { bytesOf, testFile, toolEvent } from "../log/support.ts";

let sandbox: Sandbox;
let pack: LoadedPack;
let log: string;
let lines: string[];

beforeAll(async () => {
  sandbox = await createQuickjsSandbox();
  pack = await packOf(moody);
});
afterAll(async () => {
  await sandbox[Symbol.asyncDispose]();
});

async function certify(of: string): Promise<string[]> {
  const writer = new CertificateWriter();
  const made = [writer.begin()];
  for await (const one of replayLog(bytesOf(of), { packs: [pack], sandbox: () => sandbox }))
    made.push(writer.add(one));
  return [...made, writer.end()];
}

async function logOf(commands: readonly string[]): Promise<string> {
  const file = testFile();
  const warden = await createWarden({ pack, sandbox, log: { to: file, mask: ["/tool_input/secret"] } });
  for (const [index, command] of commands.entries())
    await warden.dispatch(toolEvent(command), { decisionId: `d${index}` });
  await warden.dispatch({ ...toolEvent("ls"), tool_input: { command: "ls", secret: "x" } });
  await warden[Symbol.asyncDispose]();
  return readFile(file, "utf8");
}

const check = (certificate: readonly string[], of?: string) =>
  verifyCertificate(bytesOf(`${certificate.join("\n")}\n`), of === undefined ? null : bytesOf(of));

test("a certificate holds against its log, and every replay of the log gives the same one", async () => {
  log = await logOf(["ls", "sudo ls", "boom", "é"]);
  lines = await certify(log);
  expect(await certify(log)).toEqual(lines);
  expect(await check(lines, log)).toMatchObject({
    totals: { same: 4, different: 0, skipped: 1 },
    packs: [pack.digest],
    signature: null,
  });
  expect(lines.join("")).not.toContain("sudo");
});

test("every changed line is found", async () => {
  for (const [at, line] of lines.entries()) {
    const changed = lines.with(
      at,
      line.replace(/[0-9](?=[^0-9]*$)/, (digit) => String((Number(digit) + 1) % 10)),
    );
    expect(changed).not.toEqual(lines);
    await expect(check(changed)).rejects.toMatchObject({ code: "certificate-invalid" });
  }
});

test("a line dropped, doubled, moved, or added behind the end is found", async () => {
  const last = lines.at(-1) as string;
  for (const changed of [
    lines.toSpliced(2, 1),
    lines.toSpliced(2, 0, lines[2] as string),
    [lines[0], lines[2], lines[1], ...lines.slice(3)],
    [...lines, last],
    lines.slice(0, -1),
    [last],
    [],
  ]) {
    await expect(check(changed as string[])).rejects.toMatchObject({ code: "certificate-invalid" });
  }
  await expect(verifyCertificate(bytesOf(lines.join("\n")))).rejects.toMatchObject({
    message: "the certificate is cut off",
  });
});

test("a certificate of another log, or of a part of it, does not hold against this one", async () => {
  const other = await logOf(["ls", "sudo ls", "boom"]);
  await expect(check(lines, other)).rejects.toMatchObject({
    code: "certificate-invalid",
    place: { line: 2 },
  });
  const cut = log.split("\n").slice(0, 4).join("\n");
  await expect(check(lines, `${cut}\n`)).rejects.toMatchObject({
    code: "certificate-invalid",
    message: "the log has no such decision",
  });
  const writer = new CertificateWriter();
  const short = [writer.begin()];
  for await (const one of replayLog(bytesOf(`${cut}\n`), { packs: [pack], sandbox: () => sandbox }))
    short.push(writer.add(one));
  await expect(check([...short, writer.end()], log)).rejects.toMatchObject({
    message: "the log has decisions that the certificate does not have",
  });
});

test("a certificate that claims what the log does not say is found, though its own digest is right", async () => {
  const lies: readonly [string, (proof: any) => void, string][] = [
    [
      "the decision",
      (proof) => (proof.decision = `sha256:${"0".repeat(64)}`),
      "the decision is another one in the log",
    ],
    [
      "the event",
      (proof) => (proof.event = `sha256:${"0".repeat(64)}`),
      "the event is another one in the log",
    ],
    ["the pack", (proof) => (proof.pack = `sha256:${"0".repeat(64)}`), "the pack is another one in the log"],
    ["an output", (proof) => (proof.calls[0].output = null), "the calls of hooks are others in the log"],
    ["steps", (proof) => proof.calls[0].steps++, "the calls of hooks are others in the log"],
    ["a call", (proof) => proof.calls.pop(), "the calls of hooks are others in the log"],
  ];
  for (const [, lie, message] of lies) {
    const writer = new CertificateWriter();
    const made = [writer.begin()];
    for await (const one of replayLog(bytesOf(log), { packs: [pack], sandbox: () => sandbox })) {
      const copy = structuredClone(one);
      if (copy.n === 4) lie(copy.proof);
      made.push(writer.add(copy));
    }
    await expect(check([...made, writer.end()], log)).rejects.toMatchObject({
      code: "certificate-invalid",
      message,
    });
  }
});

test("what is no certificate is not taken for one", async () => {
  for (const text of [
    "hello",
    "{}",
    "[]",
    "null",
    '{"kind":"certificate","format":2}',
    '{"kind":"end","same":0}',
    log.split("\n")[0] as string,
  ]) {
    await expect(check([text, '{"kind":"end"}'])).rejects.toMatchObject({ code: "certificate-invalid" });
  }
});
