/** A child that has been taken over: it speaks the protocol until a call's handler names a lie. */
import { closeSync, readSync, writeSync } from "node:fs";
import { protocolVersion, RequestReader } from "../../../src/process/request.ts";
import { StdinSource } from "../../../src/process/stdin-source.ts";

const pause = new Int32Array(new SharedArrayBuffer(4));
const sleep = (ms: number): void => void Atomics.wait(pause, 0, 0, ms);

function send(text: string | Buffer): void {
  const bytes = typeof text === "string" ? Buffer.from(text) : text;
  for (let at = 0; at < bytes.length;) at += writeSync(1, bytes, at);
}

const honest = (id: number, body = "true"): string =>
  `K ${id} 1 1 0 ${Buffer.byteLength(body)} 0\n${body}\n\n`;

const lies: Record<string, (id: number, most: number) => void> = {
  ok: (id) => send(honest(id)),
  "a skipped call": (id) => send(`S ${id} 0 0 0 0 0\n\n\n`),
  "wrong id": (id) => send(honest(id + 1)),
  "id of an earlier call": (id) => send(honest(id - 1)),
  "two answers": (id) => send(honest(id) + honest(id)),
  "no frame": () => send("hello\n"),
  "no newline": () => send("x".repeat(1 << 20)),
  "an empty line": () => send("\n\n\n"),
  "a length of 4 GiB": (id) => send(`K ${id} 1 1 0 4294967296 0\n`),
  "one byte over the limit": (id, most) => send(honest(id, "x".repeat(most + 1))),
  "a length of 30 digits": (id) => send(`K ${id} 1 1 0 ${"9".repeat(30)} 0\n`),
  "a negative length": (id) => send(`K ${id} 1 1 0 -1 0\n\n\n`),
  "a fraction as length": (id) => send(`K ${id} 1 1 0 1.5 0\nxx\n\n`),
  "an exponent as length": (id) => send(`K ${id} 1 1 0 1e1 0\n0123456789\n\n`),
  "a hexadecimal length": (id) => send(`K ${id} 1 1 0 0x1 0\nx\n\n`),
  "a length with a leading zero": (id) => send(`K ${id} 1 1 0 04 0\ntrue\n\n`),
  "a length with a sign": (id) => send(`K ${id} 1 1 0 +4 0\ntrue\n\n`),
  "no length": (id) => send(`K ${id} 1 1 0  0\n\n\n`),
  "NaN as steps": (id) => send(`K ${id} NaN 1 0 4 0\ntrue\n\n`),
  "negative memory": (id) => send(`K ${id} 1 1 -5 4 0\ntrue\n\n`),
  "one field too many": (id) => send(`K ${id} 1 1 0 4 0 9\ntrue\n\n`),
  "one field too few": (id) => send(`K ${id} 1 1 0 4\ntrue\n\n`),
  "a carriage return": (id) => send(`K ${id} 1 1 0 4 0\r\ntrue\n\n`),
  "an unknown kind": (id) => send(`Q ${id} 1 1 0 4 0\ntrue\n\n`),
  "an inspection for a call": (id) => send(`I ${id} 0 0 0 4 0\nnull\n\n`),
  "a second greeting": (id) => send(`H ${id} 0 0 0 3 0\nfoo\n\n`),
  "a body for null": (id) => send(`N ${id} 1 1 0 4 0\ntrue\n\n`),
  "a shorter body than it says": (id) => send(`K ${id} 1 1 0 8 0\ntrue\n\n${honest(id + 1)}`),
  "a longer body than it says": (id) => send(`K ${id} 1 1 0 2 0\ntrue\n\n`),
  "a body that is not UTF-8": (id) =>
    send(Buffer.concat([Buffer.from(`K ${id} 1 1 0 2 0\n`), Buffer.from([0xff, 0xfe, 10, 10])])),
  "an unknown fault": (id) => send(`E ${id} 1 1 0 9 0\nnonsense \n\n`),
  "a fault named __proto__": (id) => send(`E ${id} 1 1 0 11 0\n__proto__ x\n\n`),
  "a fault of the broker": (id) => send(`E ${id} 1 1 0 16 0\nillegal-action x\n\n`),
  "a fault without a message": (id) => send(`E ${id} 1 1 0 5 0\nthrew\n\n`),
  "a message of a megabyte": (id) => send(`E ${id} 1 1 0 1048576 0\nthrew ${"x".repeat(1 << 20)}\n\n`),
  "a terminal's escapes": (id) => send(`E ${id} 1 1 0 18 0\nthrew \u001b[2J\nforged!\n\n`),
  "logs of an unknown level": (id) => send(`K ${id} 1 1 0 4 5\ntrue\n7 1 x\n`),
  "logs without a size": (id) => send(`K ${id} 1 1 0 4 4\ntrue\n1  x\n`),
  "logs larger than they are": (id) => send(`K ${id} 1 1 0 4 5\ntrue\n1 9 x\n`),
  "more logs than the limit": (id) => send(`K ${id} 1 1 0 4 99999999\n`),
  "a log line over the limit": (id) => send(`K ${id} 1 1 0 4 10006\ntrue\n1 9999 ${"x".repeat(9_999)}\n`),
  "a million empty log lines": (id) => {
    const logs = "1 0 ".repeat(20_000);
    send(`K ${id} 1 1 0 4 ${logs.length}\ntrue\n${logs}\n`);
  },
  "one byte a second": (id) => {
    for (const byte of honest(id)) {
      send(byte);
      sleep(1_000);
    }
  },
  crumbs: (id, most) => {
    for (const byte of honest(id, "x".repeat(most))) {
      send(byte);
      sleep(0.02);
    }
  },
  silence: () => {
    for (;;) sleep(1_000);
  },
  "the end of its output": () => {
    closeSync(1);
    for (;;) sleep(1_000);
  },
  "stopped by itself": () => process.kill(process.pid, "SIGSTOP"),
  "deaf to SIGTERM": () => {
    process.on("SIGTERM", () => {});
    for (;;);
  },
  "an answer without a request": (id) => {
    send(honest(id));
    sleep(30);
    send(honest(id + 1));
  },
  "brackets up to the limit": (id, most) => send(honest(id, "[".repeat(most))),
  "two loads": (id) => send(`L ${id} 0 0 0 0 0\n\n\n`.repeat(2)),
  "the end of a load that never began": (id) => send(`R ${id} 0 0 0 0 0\n\n\n`),
  "a load after the load": (id) => {
    for (const kind of "LRL") send(`${kind} ${id} 0 0 0 0 0\n\n\n`);
  },
  "a load with a body": (id) => send(`L ${id} 0 0 0 4 0\ntrue\n\n`),
  "a load with logs": (id) => send(`L ${id} 0 0 0 0 5\n\n1 1 x\n`),
  "a failed load that is none": (id) => send(`T ${id} 1 1 0 7 0\nthrew x\n\n`),
  "a load at an inspection": (id) => send(`L ${id} 0 0 0 0 0\n\n\n`),
  "a load without end": (id) => {
    send(`L ${id} 0 0 0 0 0\n\n\n`);
    for (;;) sleep(1_000);
  },
  "a broken inspection": (id) => send(`I ${id} 0 0 0 9 0\n[1,2,3,4]\n\n`),
  "an inspection that is no JSON": (id) => send(`I ${id} 0 0 0 4 0\nnull\n\n`.replace("null", "nul]")),
  "an inspection over the limit": (id) => send(`I ${id} 0 0 0 65537 0\n`),
};

send(`H ${protocolVersion} 0 0 0 4 0\nliar\n\n`);
const requests = new RequestReader(new StdinSource(readSync));
for (let request = requests.next(); request; request = requests.next()) {
  if (request.kind === "call") lies[request.call.handler]!(request.id, request.call.limits.outputBytes);
  if (request.kind === "inspect") {
    const lie = lies[request.program.name];
    if (lie) lie(request.id, request.limits.outputBytes);
    else send(`I ${request.id} 0 0 0 4 0\nnull\n\n`);
  }
}
process.exit(0);
