import type { Rule } from "../rule.ts";
import { swallowingCatch } from "./catches.ts";
import { dynamicCode, unknownGlobal } from "./code.ts";
import { consoleEvent } from "./console.ts";
import { unboundedLoop } from "./loops.ts";
import { builtinWrite, dynamicProperty } from "./objects.ts";
import { floatingPromise } from "./promises.ts";
import { slowExpression } from "./regexes.ts";
import { encodedText, mixedNames, obfuscatedNames } from "./text.ts";
import { clockReliance, literalTrigger, randomReliance } from "./time.ts";

/** Every rule that looks at a parsed program. */
export const rules: readonly Rule[] = [
  dynamicCode,
  unknownGlobal,
  builtinWrite,
  dynamicProperty,
  slowExpression,
  clockReliance,
  randomReliance,
  literalTrigger,
  encodedText,
  obfuscatedNames,
  mixedNames,
  consoleEvent,
  floatingPromise,
  unboundedLoop,
  swallowingCatch,
];
