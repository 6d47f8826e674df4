/** Every pair of an event and an action, on real engines in child processes. */
import { loadPackFromFiles } from "../../src/pack/index.ts";
import { createWarden } from "../../src/warden/index.ts";
import { legalitySuite, probeFiles } from "../support/legality-suite.ts";

for (const engine of ["quickjs", "isolate"] as const) {
  legalitySuite(engine, async () =>
    createWarden({ engine, pack: await loadPackFromFiles(probeFiles()), processes: { processes: 1 } }),
  );
}
