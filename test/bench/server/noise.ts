/** A tenant that sends what hurts, as fast as it is answered, until its standard input ends. Prints what it got. */
import { LoadClient } from "./clients.ts";
import { eventOf } from "./setup.ts";

const [url, key] = process.argv.slice(2) as [string, string];
const client = new LoadClient(url, key, 24);
const statuses: { [status: string]: number } = {};
const bodies = ["loop", "bomb", "crash", "deep"].map((command) => JSON.stringify(eventOf("s", command)));
const huge = JSON.stringify(eventOf("s", "x".repeat(10_000_000)));
const end = new AbortController();
process.stdin.on("end", () => end.abort()).resume();
await Promise.all(
  Array.from({ length: 24 }, async (_, at) => {
    for (let turn = at; !end.signal.aborted; turn++) {
      const { status } = await client.ask(turn % 8 === 7 ? huge : (bodies[turn % bodies.length] as string));
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  }),
);
client.close();
console.log(JSON.stringify(statuses));
