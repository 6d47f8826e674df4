import { hookCall } from "./index.ts";

await hookCall(process.argv.slice(2));
