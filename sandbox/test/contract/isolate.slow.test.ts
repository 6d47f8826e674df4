import { createIsolateSandbox } from "../../src/isolate/index.ts";
import { describeSandboxContract } from "../../../test/support/contract-suite.ts";

describeSandboxContract("isolate", createIsolateSandbox, {
  speed: "slow",
  skip: {
    "takes prototypes that claim to have an answer at their word, as the language does":
      "prototypes are frozen; the suite with fresh realms runs it",
    "counts steps, the same for the same call": "V8 does not count; `steps` is null",
    "holds the memory of long texts": "V8 may give up its process; see the tests of child processes",
    "holds the memory of tables": "V8 gives up its process; see the tests of child processes",
  },
});

describeSandboxContract(
  "isolate, fresh realms",
  (options) => createIsolateSandbox({ ...options, realm: "fresh" }),
  {
    speed: "slow",
    skip: {
      "counts steps, the same for the same call": "V8 does not count; `steps` is null",
      "holds the memory of long texts": "V8 may give up its process; see the tests of child processes",
      "holds the memory of tables": "V8 gives up its process; see the tests of child processes",
    },
  },
);
