import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  comparable,
  connect,
  everything,
  filesystem,
  freePort,
  overHttp,
  overStdio,
  Program,
  proxied,
  type Recorded,
  useEverything,
  useFilesystem,
} from "./reference.ts";
import { writePack } from "./packs.ts";

/** Hooks that look at everything, and change nothing. */
const watching = {
  name: "watch",
  on: [
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PreModelRequest",
    "PostModelResponse",
    "PermissionDenied",
  ],
  reads: ["*"],
  actions: ["deny", "block"],
  script: "export default () => undefined;",
};

let scratch: string;
let pack: string;

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "hookwarden-mcp-"));
  pack = await writePack(join(scratch, "pack"), [watching]);
});
afterAll(() => rm(scratch, { recursive: true, force: true }));

async function run<Transcript>(
  open: () => Promise<Recorded>,
  use: (recorded: Recorded) => Promise<Transcript>,
): Promise<{ seen: Transcript; asked: unknown; notifications: unknown[] }> {
  const recorded = await open();
  try {
    const seen = await use(recorded);
    const notifications = recorded.received.filter((message: any) =>
      message.method?.startsWith("notifications/"),
    );
    return { seen, asked: recorded.asked, notifications };
  } finally {
    await recorded.client.close();
  }
}

/** Notifications whose number hangs on the clock. */
function steady(notifications: readonly any[]): unknown[] {
  return notifications.filter(
    ({ method }) => method !== "notifications/tasks/status" && method !== "notifications/message",
  );
}

describe.concurrent("a client sees the same with the proxy and without", { timeout: 120_000 }, () => {
  test("the filesystem server on stdio", async () => {
    const session = async (wrap: (server: readonly string[]) => readonly string[]): Promise<unknown> => {
      const folder = await mkdtemp(join(scratch, "fs-"));
      await writeFile(join(folder, "a.txt"), "hello\n");
      const { seen, asked } = await run(
        () => connect(overStdio(wrap(filesystem(folder))), false),
        (recorded) => useFilesystem(recorded, folder),
      );
      return comparable({ seen, asked }, folder);
    };
    const bare = await session((server) => server);
    expect(await session((server) => proxied(pack, "fs", server))).toEqual(bare);
  });

  test("the everything server on stdio", async () => {
    const line = proxied(pack, "everything", everything);
    const [bare, through] = await Promise.all([
      run(() => connect(overStdio(everything)), useEverything),
      run(() => connect(overStdio(line)), useEverything),
    ]);
    expect(comparable(through.seen)).toEqual(comparable(bare.seen));
    expect(comparable(through.asked)).toEqual(comparable(bare.asked));
    expect(comparable(steady(through.notifications))).toEqual(comparable(steady(bare.notifications)));
  });

  test("the everything server over Streamable HTTP, at both ends", async () => {
    const port = await freePort();
    await using _server = await Program.start([...everything, "streamableHttp"], /listening on port/, {
      PORT: String(port),
    });
    const url = `http://127.0.0.1:${port}/mcp`;
    const line = proxied(pack, "everything", [], "--url", url, "--listen", "127.0.0.1:0");
    await using proxy = await Program.start(line, /listening at http/);
    const [, at] = /listening at (\S+)/.exec(proxy.output) ?? [];
    const [bare, through] = await Promise.all([
      run(() => connect(overHttp(url)), useEverything),
      run(() => connect(overHttp(at as string)), useEverything),
    ]);
    expect(comparable(through.seen)).toEqual(comparable(bare.seen));
    expect(comparable(through.asked)).toEqual(comparable(bare.asked));
    expect(comparable(steady(through.notifications))).toEqual(comparable(steady(bare.notifications)));
  });
});
