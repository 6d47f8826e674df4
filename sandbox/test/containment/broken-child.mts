/**
 * Stands in for the program of a child whose engine is broken: what comes in as text runs with all of Node.js, without its
 * permission model. One line of JSON in (attacks by name), one line out (what came of each).
 */
import { createInterface } from "node:readline";

type Attack = (...names: unknown[]) => Promise<unknown>;
const AsyncFunction = (async () => {}).constructor as new (...parts: string[]) => Attack;

async function outcomeOf(body: string): Promise<string> {
  try {
    const made = new AsyncFunction("builtin", "nativeModule", body);
    return String(await made((name: string) => process.getBuiltinModule(name), process.argv.at(-1)));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code ?? `failed: ${message}`;
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const results: Record<string, string> = {};
  for (const [name, body] of Object.entries(JSON.parse(line) as Record<string, string>))
    results[name] = await outcomeOf(body);
  process.stdout.write(`${JSON.stringify(results)}\n`);
}
