import { actionRows, eventRows, legalActions } from "../../src/catalogue/lookup.ts";
import type { Field } from "../../src/catalogue/schema.ts";
import { notice, sentence } from "./text.ts";
import { actionType, pascal, typeOf } from "./types.ts";

/** Words that JavaScript keeps for itself, and what the helper is called instead. */
const reserved: ReadonlyMap<string, string> = new Map([["continue", "proceed"]]);

/** Name of an action's helper: `modify_input` becomes `modifyInput`. */
export function helperName(action: string): string {
  const name = pascal(action);
  return reserved.get(action) ?? `${name[0]!.toLowerCase()}${name.slice(1)}`;
}

/**
 * One helper. Required fields are its arguments, in the table's order; optional ones follow as one object, or, where
 * nothing is required and there is only one, as the argument itself.
 */
function helper(action: string): string {
  const row = actionRows.get(action)!;
  const fields = Object.entries(row.payload);
  const required = fields.filter(([, field]) => !field.optional);
  const optional = fields.filter(([, field]) => field.optional);
  const generic = row.target === "state";
  const type = (field: Field): string => (generic ? "State | null" : typeOf(field.schema));
  const alone = required.length === 0 && optional.length === 1;
  const parameters = [
    ...required.map(([name, field]) => `${name}: ${type(field)}`),
    ...(alone
      ? optional.map(([name, field]) => `${name}?: ${type(field)}`)
      : optional.length > 0
        ? [
            `options: { ${optional.map(([name, field]) => `readonly ${name}?: ${type(field)} | undefined`).join("; ")} } = {}`,
          ]
        : []),
  ];
  const members = [
    `action: "${action}"`,
    ...required.map(([name]) => name),
    ...optional.map(([name]) => {
      const value = alone ? name : `options.${name}`;
      return `...(${value} === undefined ? {} : { ${alone ? name : `${name}: ${value}`} })`;
    }),
  ];
  const where = row.everywhere
    ? "every event"
    : [...eventRows.keys()].filter((event) => legalActions(event).has(action)).join(", ");
  return `/**
 * ${sentence(row.means)}
 *
 * Legal at ${where}.
${fields.map(([name, field]) => ` * @param ${alone || !field.optional ? name : `options.${name}`} ${field.doc}`).join("\n") || " *"}
 */
export function ${helperName(action)}${generic ? "<State>" : ""}(${parameters.join(", ")}): ${actionType(action)}${generic ? "<State>" : ""} {
  return { ${members.join(", ")} };
}`;
}

/** The module that authors of hooks import. It is bundled into guests, so that at run time it stands alone. */
export function helpersModule(): string {
  return [
    notice,
    `/**
 * What authors of hooks import: a function for each action, the types of events, actions and handlers, and
 * \`originalRange\` for \`facts.text\`.
 *
 * \`\`\`ts
 * import { deny, type PreToolUse } from "hookwarden/hook";
 *
 * const hook: PreToolUse = (event) => (event.tool_name === "Bash" ? deny("no shell here") : undefined);
 * export default hook;
 * \`\`\`
 */
export type * from "./generated/types.ts";
export { originalRange } from "./original-range.ts";`,
    `import type { ${[...actionRows.keys()].map(actionType).join(", ")} } from "./generated/types.ts";`,
    ...[...actionRows.keys()].map(helper),
  ].join("\n\n");
}
