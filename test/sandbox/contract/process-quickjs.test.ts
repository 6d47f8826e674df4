import { createProcessSandbox } from "../../../sandbox/process/index.ts";
import { describeSandboxContract } from "../../support/contract-suite.ts";

describeSandboxContract("quickjs in a process", (options) =>
  createProcessSandbox({ engine: "quickjs", ...options }),
);
