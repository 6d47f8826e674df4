import { posix } from "node:path";
import { expect, test } from "vitest";
import { layouts } from "../../../../policies/protect-agent-setup/layouts.ts";
import { clientNames, clients } from "../../src/clients/index.ts";
import { ownFileNames } from "../../src/settings/own-files.ts";
import { placesOf } from "../../src/settings/places.ts";
import { switches } from "../../src/settings/switches.ts";

const home = "/home/ann";
const cwd = "/home/ann/project";

/** All files by which hooks of a client can be added, taken away or turned off. */
function filesOf(client: (typeof clientNames)[number], platform: NodeJS.Platform): string[] {
  const places = placesOf(client, { cwd, home, env: {}, platform });
  const files = places.flatMap(({ kind, path }) =>
    kind === "file" ? [path] : [path, ...ownFileNames(client).map((name) => posix.join(path, name))],
  );
  const switched = switches[client].flatMap((one) =>
    "variable" in one ? [] : one.files({ cwd, home, env: {}, places }),
  );
  return [...files, ...switched];
}

// Attack: the agent edits a settings file that `install` writes, and the policy that protects settings does not know it.
test.each(clientNames)("protect-agent-setup covers every file of %s", (client) => {
  const open = (["linux", "darwin"] as const)
    .flatMap((platform) => filesOf(client, platform))
    .filter((path) => !layouts.some((layout) => layout.test(path.toLowerCase())));
  expect([...new Set(open)], clients[client].title).toEqual([]);
});
