import { createQuickjsSandbox } from "../../src/quickjs/index.ts";
import { describeSandboxContract } from "../../../test/support/contract-suite.ts";

describeSandboxContract("quickjs", createQuickjsSandbox, {
  speed: "slow",
  skip: {
    "gives more stack where more is asked for":
      "what the host's own stack has room for is the minimum of `stackKb`",
  },
});
