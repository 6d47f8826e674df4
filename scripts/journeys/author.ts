import { readFileSync } from "node:fs";
import { Journey } from "./journey.ts";
import { comparable, stepsOf } from "./page-steps.ts";

/** From nothing to a signed bundle: the steps of docs/getting-started.md, which prints what it shows. */
export async function author(): Promise<void> {
  await using journey = new Journey();
  const page = readFileSync(new URL("../../docs/getting-started.md", import.meta.url), "utf8");
  for (const step of stepsOf(page)) {
    if ("file" in step) {
      journey.write(step.file, step.text);
      continue;
    }
    const printed = comparable(journey.run(step.command));
    if (step.printed !== null && printed !== comparable(step.printed))
      throw new Error(`${step.command}: the page shows\n${comparable(step.printed)}\nit prints\n${printed}`);
  }
}
