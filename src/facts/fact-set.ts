import { deriveHosts } from "./hosts/hosts.ts";
import type { HostsFact } from "./hosts/row.ts";
import { derivePaths } from "./paths/paths.ts";
import type { PathsFact } from "./paths/row.ts";
import type { ShellFact } from "./shell/row.ts";
import { deriveShell } from "./shell/shell.ts";
import type { FactName } from "./table.ts";
import type { TextFact } from "./text/row.ts";
import { deriveText } from "./text/text.ts";
import type { ToolFact } from "./tool/row.ts";
import { deriveTool } from "./tool/tool.ts";

/** The facts' values. */
export interface FactValues {
  readonly tool: ToolFact;
  readonly shell: ShellFact;
  readonly paths: PathsFact;
  readonly hosts: HostsFact;
  readonly text: TextFact;
}

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

/** The facts of one state of an event. Each is derived when it is first asked for, and then kept. */
export class FactSet {
  readonly #fields: Fields;
  readonly #values = new Map<FactName, FactValues[FactName]>();
  readonly #texts = new Map<FactName, string>();

  /** @param fields the event's fields; they must not change afterwards. */
  constructor(fields: Fields) {
    this.#fields = fields;
  }

  valueOf<Name extends FactName>(name: Name): FactValues[Name] {
    let value = this.#values.get(name) as FactValues[Name] | undefined;
    if (value === undefined) {
      value = derivations[name](this.#fields, this);
      this.#values.set(name, value);
    }
    return value;
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
