import { createProcessSandbox } from "../../src/process/index.ts";
import { describeSandboxContract } from "../../../test/support/contract-suite.ts";

describeSandboxContract(
  "quickjs in a process",
  (options) => createProcessSandbox({ engine: "quickjs", ...options }),
  {
    speed: "slow",
  },
);
