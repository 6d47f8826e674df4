// Stands for the hook program: keeps what a client sends, and lets everything pass.
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";

const [pack, ...rest] = process.argv.slice(2);
const at = rest.indexOf("--event");
const message = JSON.parse(readFileSync(0, "utf8"));
const named = at < 0 ? message : { ...message, hook_event_name: rest[at + 1] };
appendFileSync(join(pack, "recorded.jsonl"), `${JSON.stringify(named)}\n`);
process.stdout.write("{}\n");
