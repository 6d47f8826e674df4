import { adapterContract } from "../../../test/adapters/contract/index.ts";
import { adapter } from "./adapter.ts";

adapterContract(adapter);
