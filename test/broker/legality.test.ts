import { fakeWarden } from "../support/fake-warden.ts";
import { legalitySuite, probeHook } from "../support/legality-suite.ts";

legalitySuite("without an engine", async () => (await fakeWarden([probeHook])).warden);
