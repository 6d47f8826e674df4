import { describe, expect, it } from "vitest";
import { isSuspicious } from "../../src/findings/conditions.ts";
import { Flow } from "../../src/program/flow.ts";
import { has, type Label } from "../../src/program/labels.ts";
import { predicatesOf } from "../../src/program/predicates.ts";
import { syntaxOf } from "../../src/program/syntax.ts";

const who: readonly Label[] = ["tenant", "session", "time", "chance", "folder", "aside", "probe", "module"];

/** The labels that a predicate of a program decides by alone. */
function suspicious(
  source: string,
  reads: readonly string[] = ["tool_input", "session_id", "cwd"],
): readonly Label[] {
  const all = predicatesOf(new Flow(syntaxOf(source), reads));
  return who.filter((label) => all.some((one) => isSuspicious(one, label)));
}

const hook = (body: string, before = ""): string =>
  `${before}\nvar hook = (event, ctx) => { ${body} };\nexport { hook as default };`;

/** Whether a comparison of a program is with what was computed from the bits or characters of the input. */
const isHashed = (body: string): boolean =>
  predicatesOf(new Flow(syntaxOf(hook(body)), ["tool_input"])).some(
    ({ mask, kind }) => kind === "compare" && has(mask, "hashed"),
  );

describe("what is computed from a text", () => {
  it.each([
    [
      "a sum of characters",
      "let s = 0; for (const c of event.tool_input.command) s += c.charCodeAt(0) * 7; if (s === 41) return;",
    ],
    [
      "bits by assignment",
      "let s = 0; for (const c of event.tool_input.command) s ^= c.length; if (s !== 41) return;",
    ],
    ["a remainder", "if (event.tool_input.command.length % 97 > 90) return;"],
    [
      "bits of a field",
      "class S { n = 0; add(c) { this.n = this.n << 1; return this; } } const s = new S().add(event.tool_input.command); if ((s.n & 7) === 3) return;",
    ],
  ])("is distinguished from the text itself: %s", (_what, body) => {
    expect(isHashed(body)).toBe(true);
  });

  it.each([
    ["a length", "if (event.tool_input.command.length > 500) return;"],
    [
      "a class of characters",
      "if ([...event.tool_input.command].some((c) => c.charCodeAt(0) > 127)) return;",
    ],
    ["an index", "if (event.tool_input.command.indexOf('rm') >= 0) return;"],
  ])("is not seen in %s", (_what, body) => {
    expect(isHashed(body)).toBe(false);
  });
});

describe("conditions that depend on who, where and when", () => {
  // Each hides the question one step further from the field.
  it.each<[string, string, Label]>([
    ["a pattern", "if (/^north/.test(ctx.tenant)) return;", "tenant"],
    ["a renamed parameter", "const { tenant: t } = ctx; const w = t; if (w === 'a') return;", "tenant"],
    ["a name put together", "if (ctx['ten' + 'ant'] === 'a') return;", "tenant"],
    ["a set", "const s = new Set(['a']); const ok = s.has(ctx.tenant); if (ok) return;", "tenant"],
    ["a table", "const t = { a: 1 }; if (t[ctx.tenant] > 0) return;", "tenant"],
    ["a callback", "if (['a'].some((one) => one === event.session_id)) return;", "session"],
    ["a clock", "const d = new Date(); if (d.getUTCDay() === 0) return;", "time"],
    ["chance", "if (Math.random() < 0.01) return;", "chance"],
    ["a folder", "if (event.cwd.startsWith('/home/mia')) return;", "folder"],
    ["a parameter beside the action", "if (event.tool_input.timeout === 86400) return;", "aside"],
    ["the text of a function", "if (String(hook).length > 400) return;", "probe"],
    [
      "a private field",
      "class A { #w; constructor(w) { this.#w = w; } is() { return this.#w === 'a'; } } if (new A(ctx.tenant).is()) return;",
      "tenant",
    ],
    [
      "a getter",
      "class A { constructor(c) { this.c = c; } get late() { return this.c.time; } } const a = new A(ctx); if (a.late > '2027') return;",
      "time",
    ],
    ["a stack", "if (new Error('x').stack.includes('eval')) return;", "probe"],
  ])("are seen through %s", (_what, body, label) => {
    expect(suspicious(hook(body))).toContain(label);
  });

  it("are seen through a helper of another function", () => {
    const helper = "function level(who) { switch (who) { case 'acme': return 0; default: return 1; } }";
    expect(suspicious(hook("if (level(ctx.tenant) === 0) return;", helper))).toContain("tenant");
  });

  it.each(["calls++;", "calls += 1;"])("are seen where calls count themselves: %s", (count) => {
    expect(suspicious(hook(`${count} if (calls > 1) return;`, "let calls = 0;"))).toContain("module");
  });

  it("are not seen where a call only fills what is empty", () => {
    const body = "rules ??= ctx.config.rules; if (rules === undefined) return;";
    expect(suspicious(hook(body, "let rules;"))).toEqual([]);
  });

  // False alarms: what the configuration or the state decides is no trigger of the author's.
  it.each([
    ["tenants of the configuration", "if (ctx.config.strict.includes(ctx.tenant)) return;"],
    [
      "hours of the configuration",
      "const h = new Date(ctx.time).getUTCHours(); if (h < ctx.config.from) return;",
    ],
    ["a time since an earlier call", "if (Date.parse(ctx.time) - ctx.state.at < 60000) return;"],
    ["a path seen from the folder", "if (!event.tool_input.file_path.startsWith(event.cwd)) return;"],
    ["an absent folder", "if (event.cwd === undefined) return;"],
    ["the action itself", "if (/rm -rf/.test(event.tool_input.command)) return;"],
  ])("are not seen in %s", (_what, body) => {
    expect(suspicious(hook(body))).toEqual([]);
  });
});
