/** Lints the programs that it is given as one line of JSON, and answers a line for each. */
import { analyseScript } from "./index.ts";
import { answerLine, onJob } from "../../compile/index.ts";
import type { LintAnswer, LintJob } from "./lint-protocol.ts";

onJob<readonly LintJob[]>((jobs) => {
  for (const { name, source, map } of jobs) {
    answerLine<LintAnswer>({ name, result: analyseScript(source, map) });
  }
});
