import { deriveHosts } from "./hosts/hosts.ts";
import type { HostsFact } from "./hosts/row.ts";
import { derivePaths } from "./paths/paths.ts";
import type { PathsFact } from "./paths/row.ts";
import type { ShellFact } from "./shell/row.ts";
import { deriveShell } from "./shell/shell.ts";
import { type NotKnown, notKnown } from "./fact.ts";
import { type FactName, facts } from "./table.ts";
import type { TextFact } from "./text/row.ts";
import { deriveText, textField } from "./text/text.ts";
import type { ToolFact } from "./tool/row.ts";
import { deriveTool } from "./tool/tool.ts";
import { within } from "./within.ts";
import { deriveLightShell, isHeavyText } from "./weight.ts";

/** The facts' values. */
export interface FactValues {
  readonly tool: ToolFact;
  readonly shell: ShellFact;
  readonly paths: PathsFact;
  readonly hosts: HostsFact;
  readonly text: TextFact;
}

const lostFact: NotKnown = notKnown("too-many");

type Fields = { readonly [field: string]: unknown };

/** How each fact is derived. One may use others of the same event. */
const derivations: {
  readonly [Name in FactName]: (fields: Fields, set: FactSet) => FactValues[Name];
} = {
  tool: deriveTool,
  shell: (fields, set) => deriveShell(fields, set.valueOf("tool")),
  paths: (fields, set) => derivePaths(fields, set.valueOf("tool"), set.valueOf("shell")),
  hosts: (_, set) => deriveHosts(set.valueOf("tool"), set.valueOf("shell")),
  text: deriveText,
};

/** Whether a fact may take long to derive. */
const heavy: { readonly [Name in FactName]: (fields: Fields, set: FactSet) => boolean } = {
  tool: () => false,
  shell: (_, set) => set.isShellHeavy,
  paths: (_, set) => set.isShellHeavy,
  hosts: (_, set) => set.isShellHeavy,
  text: (fields) => isHeavyText(fields[textField(fields) ?? ""]),
};

/** Derives facts elsewhere than in this thread: each as JSON text, in the order of the names. */
export type FactDeriver = (names: readonly FactName[], fields: Fields) => Promise<readonly string[]>;

/** The facts of one state of an event. Each is derived when it is first asked for, and then kept. */
export class FactSet {
  readonly #fields: Fields;
  readonly #values = new Map<FactName, FactValues[FactName]>();
  readonly #texts = new Map<FactName, string>();
  #isShellHeavy = false;

  /** Whether facts could not be derived in time. */
  lost = false;

  /** @param fields the event's fields; they must not change afterwards. */
  constructor(fields: Fields) {
    this.#fields = fields;
  }

  valueOf<Name extends FactName>(name: Name): FactValues[Name] {
    let value = this.#values.get(name) as FactValues[Name] | undefined;
    if (value === undefined) {
      const text = this.#texts.get(name);
      value =
        text === undefined ? derivations[name](this.#fields, this) : (JSON.parse(text) as FactValues[Name]);
      this.#values.set(name, value);
    }
    return value;
  }

  /** Whether command lines may take long to read; if not, they have been read. */
  get isShellHeavy(): boolean {
    if (this.#values.has("shell")) return false;
    if (this.#isShellHeavy) return true;
    const fact = deriveLightShell(this.#fields, this.valueOf("tool"));
    if (fact !== null) this.#values.set("shell", fact);
    this.#isShellHeavy = fact === null;
    return this.#isShellHeavy;
  }

  /** Those of some facts that may take long to derive here, and are not derived yet. */
  heavyOnes(names: readonly FactName[]): readonly FactName[] {
    return names.filter(
      (name) => !this.#values.has(name) && !this.#texts.has(name) && heavy[name](this.#fields, this),
    );
  }

  /**
   * Takes facts from a deriver. If it fails or takes longer than a time in milliseconds, they are `lost`: not known, and no hook may see them.
   */
  async deriveElsewhere(names: readonly FactName[], derive: FactDeriver, ms: number): Promise<void> {
    if (names.length === 0) return;
    const from = new Set<string>([...names, "tool"].flatMap((name) => facts[name as FactName].from));
    const fields = Object.fromEntries(Object.entries(this.#fields).filter(([field]) => from.has(field)));
    try {
      const texts = await within(ms, derive(names, fields));
      for (const [index, name] of names.entries()) this.#texts.set(name, texts[index] ?? "null");
    } catch {
      this.lost = true;
      for (const name of names) this.#values.set(name, lostFact as FactValues[FactName]);
    }
  }

  /** The fact as JSON text. */
  textOf(name: FactName): string {
    let text = this.#texts.get(name);
    if (text === undefined) {
      text = JSON.stringify(this.valueOf(name));
      this.#texts.set(name, text);
    }
    return text;
  }
}
