/** Runs the TypeScript compiler over the scripts of one pack; it emits nothing, and no code of the pack runs. */
import { createRequire } from "node:module";
import { answerLine, onJob } from "../../compile/index.ts";
import { compile } from "./compile.ts";
import type { TypeProblem, TypesJob } from "./protocol.ts";

onJob<TypesJob>((job) => {
  const compiler = createRequire(import.meta.url)(job.compiler) as typeof import("typescript");
  answerLine<readonly TypeProblem[]>(compile(compiler, job));
});
