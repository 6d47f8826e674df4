import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { maskSecrets, resolveSettings } from "../src/commands/settings.ts";
import { flagOf, settingTable, variableOf } from "../src/commands/settings-table.ts";
import { settingsFrom } from "../src/options.ts";
import { cliProcess } from "../../../test/cli/cli.ts";

const folder = mkdtempSync(join(tmpdir(), "hookwarden-settings-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const none = { flags: {}, env: {}, file: null };
const fileOf = (value: object) => ({ value, path: "hookwarden.server.json" });

describe("the precedence of settings", () => {
  it("is flag, environment, file, default, for every setting of the table", () => {
    const samples = {
      text: ["a", "b", "c"],
      list: [["a"], ["b"], ["c"]],
      switch: [true, false, true],
    } as const;
    const valuesOf = (name: string): readonly unknown[] => {
      const { kind, choices, min = 0 } = settingTable[name]!;
      if (kind === "integer") return [min + 1, min + 2, min + 3];
      return kind === "choice" ? [choices![0], choices![1], choices![0]] : samples[kind];
    };
    const names = Object.keys(settingTable);
    const given = fc.record({
      name: fc.constantFrom(...names),
      flag: fc.boolean(),
      env: fc.boolean(),
      file: fc.boolean(),
    });
    fc.assert(
      fc.property(given, ({ name, flag, env, file }) => {
        const [first, second, third] = valuesOf(name);
        const [group, member] = name.split(".") as [string, string | undefined];
        const { all } = resolveSettings({
          flags: flag ? { [name]: first } : {},
          env: env ? { [variableOf(name)]: String(second) } : {},
          file: file ? fileOf({ [group]: member === undefined ? third : { [member]: third } }) : null,
        });
        const row = settingTable[name]!;
        const wanted = flag
          ? [first, "flag"]
          : env
            ? [second, "environment"]
            : file
              ? [third, "file"]
              : [row.default, "default"];
        const found = all.find((one) => one.name === name);
        if (wanted[0] === undefined) expect(found).toBeUndefined();
        else expect([found?.value, found?.source]).toEqual(wanted);
      }),
      { seed: 7 },
    );
  });

  it("leaves what the server's own defaults decide to the server", () => {
    const { values } = resolveSettings({ ...none, file: fileOf({ limits: { eventBytes: 7 } }) });
    expect(values.limits).toEqual({ eventBytes: 7 });
    expect(values.tenantLimits).toBeUndefined();
    expect(settingsFrom({ data: "x", limits: values.limits ?? {} }).limits.eventBytes).toBe(7);
  });

  it("has a variable of its own for every setting, and a flag that is not another's", () => {
    const names = Object.keys(settingTable);
    expect(new Set(names.map(variableOf)).size).toBe(names.length);
    const flags = names.map(flagOf).filter((flag) => flag !== null);
    expect(new Set(flags).size).toBe(flags.length);
  });
});

describe("a wrong setting", () => {
  it.each([
    [
      { HOOKWARDEN_TRUSTT: "x" },
      "there is no variable `HOOKWARDEN_TRUSTT`; did you mean `HOOKWARDEN_TRUST`?",
    ],
    [{ HOOKWARDEN_PORT: "99999" }, "`HOOKWARDEN_PORT` must be a whole number from 0 to 65535"],
    [{ HOOKWARDEN_PORT: "tcp://10.0.0.1:8787" }, "use `enableServiceLinks: false`"],
    [{ HOOKWARDEN_CREDENTIALS: "no" }, "`HOOKWARDEN_CREDENTIALS` must be `true` or `false`"],
    [{ HOOKWARDEN_CONTAINMENT: "yes" }, "must be one of `auto`, `required`, `none`"],
    [{ HOOKWARDEN_LIMITS_EVENT_BYTES: "0" }, "must be a whole number from 1 to 8388608"],
  ])("in the environment is named: %j", (env, message) => {
    expect(() => resolveSettings({ ...none, env })).toThrow(message);
  });

  it.each([
    [{ prot: 1 }, "/prot", "there is no setting `prot`; did you mean `port`?"],
    [{ port: "8787" }, "/port", "`port` must be a whole number from 0 to 65535"],
    [{ limits: { eventBytez: 1 } }, "/limits/eventBytez", "did you mean `eventBytes`?"],
    [{ limits: 1 }, "/limits", "`limits` must be an object"],
    [{ mask: "/tool_input" }, "/mask", "`mask` must be a list of texts"],
    [{ trust: "" }, "/trust", "must be a text that is not empty"],
    [[], undefined, "the configuration is not a JSON object"],
  ])("in the file is named with its place: %j", (value, pointer, message) => {
    try {
      resolveSettings({ ...none, file: { value, path: "f.json" } });
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({
        code: "option-invalid",
        message: expect.stringContaining(message) as string,
      });
      expect((error as { place: object }).place).toEqual({ file: "f.json", ...(pointer ? { pointer } : {}) });
    }
  });

  it("is not what Kubernetes sets for a service of the same name", () => {
    const env = { HOOKWARDEN_SERVICE_HOST: "10.0.0.1", HOOKWARDEN_PORT_8787_TCP: "tcp://10.0.0.1:8787" };
    expect(() => resolveSettings({ ...none, env })).not.toThrow();
  });
});

describe("serve --print-config", () => {
  it("prints each setting with its source, and masks passwords", async () => {
    const config = join(folder, "server.json");
    writeFileSync(config, JSON.stringify({ port: 9000, nats: "nats://ada:s3cret@nats:4222" }));
    const { code, out } = await cliProcess(["serve", "--print-config", "--config", config, "--host", "::1"]);
    expect(code).toBe(0);
    expect(out).toMatch(/^port +file +9000$/m);
    expect(out).toMatch(/^host +flag +::1$/m);
    expect(out).toMatch(/^audit +default +strict$/m);
    expect(out).toContain("nats://***@nats:4222");
    expect(out).not.toContain("s3cret");
    const json = await cliProcess(["serve", "--print-config", "--format", "json", "--no-credentials"]);
    expect(JSON.parse(json.out)).toMatchObject({ credentials: { value: false, source: "flag" } });
  });

  it("masks every password of a list of URLs", () => {
    const value = "nats://a:b@one,nats://c:d@two";
    expect(maskSecrets({ name: "nats", value })).toBe("nats://***@one,nats://***@two");
  });
});
