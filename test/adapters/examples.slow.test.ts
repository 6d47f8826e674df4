import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const execute = promisify(execFile);

test.each(["ai-sdk", "langchain", "openai-agents"])(
  "the example of %s runs: its command is refused, and its key is not seen",
  async (name) => {
    const args = [`examples/${name}.ts`];
    const { stdout } = await execute(process.execPath, args, { cwd: root, timeout: 60_000 });
    expect(stdout).toContain("refused and did not run");
    expect(stdout).toContain("[redacted: AWS access key]");
    expect(stdout).not.toContain("AKIAQ7ZK3LWM5XTBVNRD");
    expect(stdout).toContain("the notes are read");
  },
  90_000,
);
