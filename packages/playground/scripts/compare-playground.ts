import { fileURLToPath } from "node:url";
import { noBrowser, startBrowser, watchPage } from "../../../test/support/browser.ts";
import { compareCases, type Way } from "./compare.ts";
import { packExamples } from "./examples.ts";

/** Holds every case of the shipped policies against the built playground: `node packages/playground/scripts/compare-playground.ts`. */
if (noBrowser) throw new Error(noBrowser);
const root = fileURLToPath(new URL("../../../", import.meta.url));
const { examples } = await packExamples(`${root}policies`, "");
const browser = await startBrowser();
try {
  const page = await browser.newPage();
  const seen = watchPage(page);
  await page.goto(`file://${root}packages/playground/dist/playground.html`);
  for (const way of ["ready", "edited"] satisfies Way[]) {
    const begun = performance.now();
    const { compared, events, differences } = await compareCases(page, examples, way, (done) => {
      if (process.stderr.isTTY) process.stderr.write(`\r${way}: ${done} cases`);
    });
    const seconds = ((performance.now() - begun) / 1_000).toFixed(0);
    console.log(
      `${way}: ${compared} cases, ${events} events, ${differences.length} differences, ${seconds} s`,
    );
    for (const difference of differences.slice(0, 20)) console.log(`  ${difference}`);
    if (differences.length > 0) process.exitCode = 1;
  }
  if (seen.length > 0) {
    console.log(seen.join("\n"));
    process.exitCode = 1;
  }
} finally {
  await browser.close();
}
