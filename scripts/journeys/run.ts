/**
 * What a newcomer does, in empty folders with the packed packages, with the time of each command.
 *
 *     npm run journeys                 all three
 *     npm run journeys -- operator     one of author, agent-user, operator
 */
import { packedPackages } from "../ci/packed.ts";
import { agentUser } from "./agent-user.ts";
import { author } from "./author.ts";
import { operator } from "./operator.ts";

const journeys: Readonly<Record<string, () => Promise<void>>> = { author, "agent-user": agentUser, operator };
const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(journeys);

packedPackages();
for (const name of wanted) {
  const journey = journeys[name];
  if (!journey) throw new Error(`there is no journey ${name}; there are ${Object.keys(journeys).join(", ")}`);
  const begun = performance.now();
  console.log(`\n===== ${name} =====`);
  await journey();
  console.log(`===== ${name}: ${((performance.now() - begun) / 1_000).toFixed(1)} s =====`);
}
