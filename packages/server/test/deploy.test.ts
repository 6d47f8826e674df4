import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { createClient } from "@hookwarden/client";
import { allowedSyscalls } from "../../../sandbox/src/containment/seccomp.ts";
import { resolveSettings } from "../src/commands/settings.ts";
import { routes } from "../src/routes/index.ts";
import { eventOf, guard, startTestServer } from "./support.ts";

const deploy = fileURLToPath(new URL("../../../deploy/", import.meta.url));
const read = (path: string): string => readFileSync(deploy + path, "utf8");
const temporary = mkdtempSync(join(tmpdir(), "hookwarden-deploy-"));
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

/** Settings as the server would read them. */
function settingsOf(value: unknown, env: { readonly [name: string]: string } = {}) {
  return resolveSettings({ flags: {}, env, file: { value, path: "server.json" } }).values;
}

interface Manifest {
  readonly kind: string;
  readonly spec: {
    readonly template: { readonly spec: PodSpec };
    readonly podSelector: { readonly matchLabels: object };
    readonly selector: { readonly matchLabels: object };
    readonly policyTypes: readonly string[];
  };
  readonly data: { readonly "server.json": string };
}
interface PodSpec {
  readonly securityContext: object;
  readonly enableServiceLinks: boolean;
  readonly automountServiceAccountToken: boolean;
  readonly containers: readonly [
    {
      readonly securityContext: object;
      readonly startupProbe: Probe;
      readonly readinessProbe: Probe;
      readonly livenessProbe: Probe;
      readonly env: readonly { readonly name: string }[];
    },
  ];
}
interface Probe {
  readonly httpGet: { readonly path: string };
}
const manifests = parseAllDocuments(read("kubernetes/hookwarden.yaml")).map((one) => one.toJS() as Manifest);
const kind = (name: string): Manifest => manifests.find((one) => one.kind === name)!;

describe("the configuration of every example", () => {
  it("is one that the server accepts, with containment required", () => {
    const compose = parse(read("compose.yaml")) as {
      services: { hookwarden: { environment: { [name: string]: string } } };
    };
    const config = JSON.parse(read("server.json")) as unknown;
    const inCluster = JSON.parse(kind("ConfigMap").data["server.json"]) as unknown;
    for (const settings of [
      settingsOf(config),
      settingsOf(config, compose.services.hookwarden.environment),
      settingsOf(inCluster, { HOOKWARDEN_NODE: "n1" }),
    ])
      expect(settings).toMatchObject({
        containment: "required",
        audit: "strict",
        data: "/var/lib/hookwarden",
      });
  });
});

describe("the Kubernetes manifests", () => {
  const pod = kind("StatefulSet").spec.template.spec;
  const [container] = pod.containers;

  it("run as a user without rights, on a read-only root", () => {
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
    expect(container.securityContext).toMatchObject({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    expect(pod.automountServiceAccountToken).toBe(false);
  });

  // Kubernetes sets HOOKWARDEN_PORT=tcp://… for a service of that name, which would be taken for the port.
  it("keep the variables of services out of the settings", () => expect(pod.enableServiceLinks).toBe(false));

  it("probe routes that need no credential", () => {
    const open = routes.filter(({ needs, method }) => needs === "nothing" && method === "GET");
    for (const { httpGet } of [container.startupProbe, container.readinessProbe, container.livenessProbe])
      expect(open.map(({ path }) => path)).toContain(httpGet.path);
  });

  it("limit disruption and traffic of exactly these pods", () => {
    const labels = kind("StatefulSet").spec.selector.matchLabels;
    expect(kind("PodDisruptionBudget").spec.selector.matchLabels).toEqual(labels);
    expect(kind("NetworkPolicy").spec.podSelector.matchLabels).toEqual(labels);
    expect(kind("NetworkPolicy").spec.policyTypes).toEqual(["Ingress", "Egress"]);
  });
});

describe("the seccomp profile", () => {
  const { syscalls } = JSON.parse(read("seccomp.json")) as {
    syscalls: { names: string[]; action: string }[];
  };
  const denied = new Set(syscalls.flatMap(({ names }) => names));

  it("denies nothing that child processes or bubblewrap need", () => {
    const needed = ["unshare", "clone", "clone3", "mount", "umount2", "pivot_root", "prctl", "seccomp"];
    for (const name of [...Object.keys(allowedSyscalls(true)), ...needed]) expect(denied).not.toContain(name);
  });

  it("denies what changes the machine or reaches into other processes", () => {
    for (const name of ["bpf", "kexec_load", "init_module", "ptrace", "keyctl", "reboot", "userfaultfd"])
      expect(denied).toContain(name);
  });
});

describe("the alert rules", () => {
  it("name metrics that the server has", async () => {
    await using test = await startTestServer();
    const metrics = await (
      await fetch(`${test.url}/metrics`, { headers: { authorization: `Bearer ${test.operatorKey}` } })
    ).text();
    const used = [...read("alerts.yaml").matchAll(/\bhookwarden_[a-z_]+/g)].map(([name]) => name);
    expect(used.length).toBeGreaterThan(3);
    for (const name of used)
      expect(metrics).toMatch(new RegExp(`^# HELP ${name.replace(/_bucket$/, "")} `, "m"));
  });
});

describe("the systemd unit", () => {
  const unit = read("systemd/hookwarden.service");
  const hasSystemd = existsSync("/usr/bin/systemd-analyze");

  it.skipIf(!hasSystemd)("is valid", () => {
    const { status, stderr } = spawnSync(
      "systemd-analyze",
      ["verify", `${deploy}systemd/hookwarden.service`],
      {
        encoding: "utf8",
      },
    );
    // Node.js may be elsewhere on the machine that runs the tests.
    const problems = stderr.split("\n").filter((line) => line !== "" && !line.includes("is not executable"));
    expect({ status: problems.length === 0 ? 0 : status, problems }).toEqual({ status: 0, problems: [] });
  });

  it("drops every right, and leaves what bubblewrap needs", () => {
    for (const line of [
      "NoNewPrivileges=yes",
      "CapabilityBoundingSet=",
      "ProtectSystem=strict",
      "DynamicUser=yes",
    ])
      expect(unit.split("\n")).toContain(line);
    expect(unit).not.toMatch(/^RestrictNamespaces=/m);
    expect(unit).not.toMatch(/^SystemCallFilter=.*@mount/m);
  });
});

describe("a backup", () => {
  it("of a server that runs is restored with its tenants, packs, keys and audit", async () => {
    const data = join(temporary, "data");
    const copy = join(temporary, "copy");
    let key: string;
    {
      await using test = await startTestServer({ data });
      const made = await test.tenant("acme", guard);
      ({ key } = made);
      await made.client.decide(eventOf("s1", "rm -rf /"));
      execFileSync(process.execPath, ["--no-warnings", `${deploy}backup.mjs`, data, copy]);
      await made.client.decide(eventOf());
    }
    await using restored = await startTestServer({ data: copy });
    const client = createClient({ url: restored.url, key });
    expect((await client.getAudit("acme"))[0]).toMatchObject({ node: "local" });
    expect((await client.decide(eventOf("s1", "rm -rf /"))).verdict).toBe("deny");
  });
});
