import { harmless, itemsOf, mostItems, named, namedOf, reflected } from "./names.ts";
import { reverse, resultOf } from "./results.ts";
import { Scope } from "./scope.ts";
import { codeLimits } from "./tokens.ts";
import type { Code, FunctionCode } from "./tree.ts";
import { joined, nothing, somethingElse, type Value } from "./values.ts";
import type { Call, Reading } from "./calls.ts";

/** Follows the values of a program that a parser has read, from its beginning to its end, and lists its calls. */
export function evaluate(code: Code): Reading {
  const evaluator = new Evaluator();
  evaluator.run(code);
  return evaluator.reading;
}

const deepestCalls = 8;

class Evaluator {
  readonly #calls: Call[] = [];
  readonly #texts = new Set<string>();
  readonly #commands = new Set<string>();
  readonly #called = new Set<FunctionCode>();
  /** Functions that are being followed, and what they return. */
  readonly #running: { readonly made: FunctionCode; result: Value }[] = [];
  readonly #global = new Scope();
  readonly #functions: (readonly [FunctionCode, Scope])[] = [];
  #steps = 0;
  #whole = true;

  get reading(): Reading {
    return {
      calls: this.#calls,
      texts: [...this.#texts],
      commands: [],
      lines: [...this.#commands],
      whole: this.#whole,
    };
  }

  run(code: Code): void {
    this.#evaluate(code, this.#global);
    for (let at = 0; at < this.#functions.length; at++) {
      const [made, where] = this.#functions[at] as readonly [FunctionCode, Scope];
      if (!this.#called.has(made)) this.#apply(made, [], where);
    }
  }

  /** The value of an expression, whose text counts as one of the program's. */
  #evaluate(code: Code, scope: Scope): Value {
    const value = this.#value(code, scope);
    if (value.text === undefined) return value;
    this.#steps += value.text.length >> 6;
    if (this.#texts.size < mostTexts) this.#texts.add(value.text);
    return value;
  }

  #value(code: Code, scope: Scope): Value {
    if (++this.#steps > codeLimits.steps) {
      this.#whole = false;
      return nothing;
    }
    switch (code.kind) {
      case "text":
        return { text: code.text };
      case "module":
        return { name: code.name };
      case "name":
        return scope.get(code.name) ?? named(code.name);
      case "list":
        return { list: code.items.map((item) => this.#evaluate(item, scope)) };
      case "record":
        return this.#record(code.entries, scope);
      case "filled": {
        const parts = code.parts.map((part) => this.#value(part, scope).text ?? somethingElse);
        return { text: parts.join("").slice(0, codeLimits.characters) };
      }
      case "join":
        return joined(this.#value(code.left, scope), this.#value(code.right, scope), code.operator);
      case "member":
        return this.#member(this.#value(code.of, scope), this.#evaluate(code.key, scope), scope);
      case "call":
        return this.#call(code, scope);
      case "assign":
        return this.#assign(code, scope);
      case "loop":
        return this.#loop(code, scope);
      case "function":
        return this.#function(code, scope);
      case "return":
        return this.#return(this.#evaluate(code.value, scope));
      case "either": {
        const [first, second] = [this.#evaluate(code.first, scope), this.#evaluate(code.second, scope)];
        return first === nothing || Object.keys(first).length === 0 ? second : first;
      }
      case "reversed":
        return reverse(this.#value(code.of, scope));
      case "block":
        return this.#block(code.parts, scope);
      case "unread":
        this.#whole = false;
        return nothing;
    }
  }

  /** One after another. Functions can be called before the place where they are made. */
  #block(parts: readonly Code[], scope: Scope): Value {
    for (const part of parts) if (part.kind === "function") this.#value(part, scope);
    let last = nothing;
    for (const part of parts) if (part.kind !== "function") last = this.#evaluate(part, scope);
    return last;
  }

  #record(entries: readonly (readonly [Code, Code])[], scope: Scope): Value {
    const fields = new Map<string, Value>();
    for (const [key, value] of entries) {
      const [name, field] = [this.#value(key, scope).text, this.#evaluate(value, scope)];
      if (name !== undefined) fields.set(name, field);
    }
    return { fields };
  }

  #member(of: Value, key: Value, scope: Scope): Value {
    const name = key.text;
    if (name === undefined) return nothing;
    if (of.name !== undefined) {
      const whole = `${of.name}.${name}`;
      return scope.get(whole) ?? named(whole);
    }
    if (of.fields !== undefined) return of.fields.get(name) ?? nothing;
    if (!/^-?\d{1,5}$/.test(name)) return name === "default" || name === "promises" ? of : nothing;
    if (of.list !== undefined) return of.list.at(Number(name)) ?? nothing;
    return of.text === undefined ? nothing : { text: of.text.at(Number(name)) ?? "" };
  }

  #call(code: Extract<Code, { kind: "call" }>, scope: Scope): Value {
    const { callee } = code;
    let receiver = nothing;
    let target: Value;
    if (callee.kind === "member") {
      receiver = this.#value(callee.of, scope);
      const key = this.#value(callee.key, scope);
      target = this.#member(receiver, key, scope);
      // A method of a value that is no module.
      if (target.made === undefined && target.name === undefined)
        target = key.text === undefined ? nothing : { name: key.text };
    } else {
      target = this.#value(callee, scope);
      if (callee.kind === "name" && Object.keys(target).length === 0) target = { name: callee.name };
    }
    const args = code.args.map((arg) => this.#evaluate(arg, scope));
    const options = code.named.map(([name, value]) => [name, this.#evaluate(value, scope)] as const);
    if (target.made !== undefined) return this.#apply(target.made, args, scope);
    const name = target.name ?? "";
    return this.#use({ name, receiver, args, named: namedOf(args, options) }, scope);
  }

  /** A call of a function that the program does not make itself. */
  #use(call: Call, scope: Scope): Value {
    const { name, receiver, args } = call;
    const special = reflected(call);
    if (special !== undefined) return special;
    if (this.#calls.length < codeLimits.calls) this.#calls.push(call);
    else this.#whole = false;
    if (!harmless.test(name)) this.#note([...args, ...call.named.values()]);
    let given = nothing;
    for (const { made } of args) {
      if (made === undefined) continue;
      const items = receiver.list ?? args.find(({ list }) => list !== undefined)?.list ?? [nothing];
      for (const item of items.slice(0, mostItems)) given = this.#apply(made, [item], scope);
    }
    const last = name.slice(name.lastIndexOf(".") + 1);
    if (last === "map" && receiver.list === undefined && args[1]?.list !== undefined)
      return { list: args[1].list.map((item) => resultOf(args[0]?.name ?? "", nothing, [item])) };
    return last === "map" && args[0]?.made !== undefined ? { list: [given] } : resultOf(last, receiver, args);
  }

  /** Texts that a function gets which may run them. */
  #note(values: readonly Value[]): void {
    for (const { text, list } of values) {
      if (text !== undefined && this.#commands.size < mostTexts) this.#commands.add(text);
      if (list !== undefined)
        this.#note(
          list.slice(0, mostItems).map(({ text: item }) => (item === undefined ? nothing : { text: item })),
        );
    }
  }

  #apply(made: FunctionCode, args: readonly Value[], scope: Scope): Value {
    this.#called.add(made);
    const isRunning = this.#running.some((frame) => frame.made === made);
    if (isRunning || this.#running.length >= deepestCalls) return nothing;
    const frame = { made, result: nothing };
    this.#running.push(frame);
    const inner = new Scope(scope);
    for (const [at, param] of made.params.entries()) {
      const isSelf = param.kind === "name" && param.name === "self";
      this.#bind(param, isSelf ? { name: "self" } : (args[at] ?? nothing), inner, true);
    }
    this.#evaluate(made.body, inner);
    this.#running.pop();
    return frame.result;
  }

  #return(value: Value): Value {
    const frame = this.#running.at(-1);
    if (frame !== undefined && frame.result === nothing) frame.result = value;
    return value;
  }

  #function(made: FunctionCode, scope: Scope): Value {
    if (!this.#functions.some(([known]) => known === made)) this.#functions.push([made, scope]);
    const value: Value = { made };
    if (made.name !== undefined && made.name !== "") scope.declare(made.name, value);
    return value;
  }

  #assign({ target, value: code, operator }: Extract<Code, { kind: "assign" }>, scope: Scope): Value {
    const value = this.#evaluate(code, scope);
    const whole = operator === undefined ? value : joined(this.#value(target, scope), value, operator);
    this.#bind(target, whole, scope, false);
    return whole;
  }

  #bind(target: Code, value: Value, scope: Scope, isOwn: boolean): void {
    if (++this.#steps > codeLimits.steps) return;
    if (target.kind === "name") {
      if (isOwn) scope.declare(target.name, value);
      else scope.set(target.name, value);
    } else if (target.kind === "member") {
      const [of, key] = [this.#value(target.of, scope), this.#value(target.key, scope)];
      if (of.name !== undefined && key.text !== undefined)
        this.#global.declare(`${of.name}.${key.text}`, value);
    } else if (target.kind === "list") {
      for (const [at, item] of target.items.entries())
        this.#bind(item, value.list?.[at] ?? nothing, scope, isOwn);
    } else if (target.kind === "record") {
      for (const [key, item] of target.entries)
        this.#bind(item, this.#member(value, this.#value(key, scope), scope), scope, isOwn);
    }
  }

  #loop({ target, over, body }: Extract<Code, { kind: "loop" }>, scope: Scope): Value {
    const items = itemsOf(this.#evaluate(over, scope));
    const found: Value[] = [];
    for (const item of items) {
      this.#bind(target, item, scope, false);
      found.push(this.#evaluate(body, scope));
    }
    return { list: found };
  }
}

const mostTexts = 500;
