import type IsolatedVm from "isolated-vm";
import type { Program } from "../contract.ts";
import { loadMs, type Limits } from "../limits.ts";
import { bridgeName, guardModule, outerModule } from "./bridge.ts";
import type { Instance, Realm, Stop } from "./instance.ts";
import {
  failure,
  type Handlers,
  type Load,
  type LoadFailure,
  readExports,
  syntaxFailure,
} from "./load-result.ts";

/** A program in a context of its own, ready to be called. */
export interface FreshRealm extends Realm {
  readonly kind: "loaded";
  readonly program: Program;
  readonly handlers: Handlers;
  readonly loadMs: number;
}

/** Loads a program into a fresh context. */
export function loadFresh(instance: Instance, load: Load): FreshRealm | LoadFailure | Stop {
  const started = performance.now();
  const deadline = started + loadMs(load);
  const realm = instance.createRealm(deadline);
  if ("kind" in realm) return realm;
  // An unreleased module leaks its context.
  const modules: IsolatedVm.Module[] = [];
  const { program, limits } = load;
  const result = evaluateIn(instance, { realm, modules, program, limits, deadline });
  for (const module of modules) module.release();
  if ("kind" in result) {
    instance.release(realm);
    return result;
  }
  instance.measure();
  const { handlers } = result;
  return { kind: "loaded", ...realm, program, handlers, loadMs: performance.now() - started };
}

interface Evaluation {
  readonly realm: Realm;
  readonly modules: IsolatedVm.Module[];
  readonly program: Program;
  readonly limits: Limits;
  readonly deadline: number;
}

function evaluateIn(
  instance: Instance,
  { realm: { context, bridge }, modules, program, limits, deadline }: Evaluation,
): { readonly handlers: Handlers } | LoadFailure | Stop {
  const compile = (source: string, filename: string): IsolatedVm.Module => {
    const module = instance.compile(source, filename);
    modules.push(module);
    return module;
  };
  let outer: IsolatedVm.Module;
  try {
    const inner = compile(program.source, program.name);
    const imported = importFailure(inner);
    if (imported) return imported;
    const guard = compile(guardModule, bridgeName);
    outer = compile(outerModule, bridgeName);
    outer.instantiateSync(context, (specifier) => (specifier === "guard" ? guard : inner));
  } catch (error) {
    return instance.disposed ? instance.stop(deadline) : syntaxFailure(error);
  }
  const evaluated = instance.guarded(deadline, (timeout) => outer.evaluateSync({ timeout }));
  if (evaluated) return evaluated;
  const namespace = outer.namespace.derefInto({ release: true });
  const budgets = [limits.logBytes, limits.outputBytes, limits.outputDepth].map(String);
  const args = ["load", namespace, ...budgets];
  const registered = instance.guarded(deadline, (timeout) => bridge.applySync(undefined, args, { timeout }));
  if (registered) return registered;
  const reply = instance.take(bridge);
  if (reply === null) return instance.stop(deadline);
  if (!reply.startsWith("r")) return failure("the module threw, or awaits a promise that never settles");
  return readExports(reply);
}

/** What is wrong with a module that imports something; `null` for one that does not. */
export function importFailure(module: IsolatedVm.Module): LoadFailure | null {
  const [imported] = module.dependencySpecifiers;
  if (imported === undefined) return null;
  return failure(`imports \`${imported.slice(0, 80)}\`, and a program has no imports`);
}
