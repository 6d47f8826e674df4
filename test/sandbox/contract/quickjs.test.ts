import { createQuickjsSandbox } from "../../../sandbox/quickjs/index.ts";
import { describeSandboxContract } from "../../support/contract-suite.ts";

describeSandboxContract("quickjs", createQuickjsSandbox);
