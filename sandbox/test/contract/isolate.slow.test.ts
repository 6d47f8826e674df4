import { createIsolateSandbox } from "../../src/isolate/index.ts";
import { describeSandboxContract } from "../../../test/support/contract-suite.ts";

describeSandboxContract("isolate", createIsolateSandbox, {
  speed: "slow",
  skip: {
    "counts steps, the same for the same call": "V8 does not count; `steps` is null",
    "holds the memory of tables": "V8 gives up its process; see the tests of child processes",
  },
});
