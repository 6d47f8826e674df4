import { quote } from "@hookwarden/sandbox/json";
import { didYouMean, type ErrorPlace, HookwardenError } from "hookwarden/errors";
import { type SettingRow, type Settings, settingGroups, settingTable, variableOf } from "./settings-table.ts";

type Value = string | number | boolean | readonly string[];

/** Where a value comes from, strongest first. */
export type SettingSource = "flag" | "environment" | "file" | "default";

/** What settings are resolved from. */
export interface SettingInput {
  /** Options that were given on the command line, by setting. */
  readonly flags: { readonly [name: string]: unknown };
  readonly env: { readonly [name: string]: string | undefined };
  /** The configuration file: its parsed JSON and its path; `null` without one. */
  readonly file: { readonly value: unknown; readonly path: string } | null;
}

/** The settings, and where each comes from. */
export interface ResolvedSettings {
  readonly values: Settings;
  /** By setting, in the order of the table. Settings without a value are absent. */
  readonly all: readonly { readonly name: string; readonly value: Value; readonly source: SettingSource }[];
}

/**
 * Resolves every setting: a flag wins over an environment variable, that over the configuration file, that over the
 * default.
 *
 * @throws {HookwardenError} `option-invalid` for an unknown name or a wrong value in the environment or the file
 */
export function resolveSettings({ flags, env, file }: SettingInput): ResolvedSettings {
  const fromFile = file ? readFileValues(file.value, file.path) : new Map<string, Value>();
  const fromEnv = readVariables(env);
  const all = Object.entries(settingTable).flatMap(([name, row]) => {
    const given = flags[name] as Value | undefined;
    const candidates: readonly (readonly [Value | undefined, SettingSource])[] = [
      [given, "flag"],
      [fromEnv.get(name), "environment"],
      [fromFile.get(name), "file"],
      [row.default, "default"],
    ];
    const found = candidates.find(([value]) => value !== undefined);
    return found ? [{ name, value: found[0] as Value, source: found[1] }] : [];
  });
  return { values: nested(all), all };
}

/** Values for people: passwords in URLs are masked. */
export function maskSecrets({ name, value }: { readonly name: string; readonly value: Value }): Value {
  if (!settingTable[name]?.secret || typeof value !== "string") return value;
  return value.replaceAll(/\/\/[^/@\s,]*@/g, "//***@");
}

/** Members of groups without their defaults, which belong to the library. */
function nested(all: ResolvedSettings["all"]): Settings {
  const values: { [name: string]: unknown } = {};
  for (const { name, value, source } of all) {
    const [group, member] = name.split(".") as [string, string | undefined];
    if (member === undefined) values[name] = value;
    else if (source !== "default") values[group] = { ...(values[group] as object), [member]: value };
  }
  return values as unknown as Settings;
}

/** Variables that other parts of hookwarden read. */
const foreign: ReadonlySet<string> = new Set(["HOOKWARDEN_CONFIG", "HOOKWARDEN_DEBUG"]);
/** Variables that Kubernetes and Docker set in every container for a service named `hookwarden`. */
const serviceLink = /^HOOKWARDEN_(?:SERVICE_|(?:[A-Z0-9]+_)*PORT(?:_|$))/;

function readVariables(env: SettingInput["env"]): ReadonlyMap<string, Value> {
  const names = new Map(Object.keys(settingTable).map((name) => [variableOf(name), name]));
  const values = new Map<string, Value>();
  for (const [variable, text] of Object.entries(env)) {
    if (!variable.startsWith("HOOKWARDEN_") || text === undefined || foreign.has(variable)) continue;
    const name = names.get(variable);
    if (name === undefined) {
      if (serviceLink.test(variable) || isOfDevelopment(variable)) continue;
      invalid(`there is no variable ${quote(variable)}${didYouMean(variable, names.keys())}`, {});
    }
    values.set(name, readText(settingTable[name] as SettingRow, text, variable));
  }
  return values;
}

/** Variables of this project's own tests. */
function isOfDevelopment(variable: string): boolean {
  return ["HOOKWARDEN_CORPUS", "HOOKWARDEN_CLAUDE_SDK", "HOOKWARDEN_DIST"].includes(variable);
}

/** Reads the text of an environment variable. */
function readText(row: SettingRow, text: string, variable: string): Value {
  const wrong = (wanted: string): never => {
    const link = text.startsWith("tcp://")
      ? "; Kubernetes sets this variable for a service of this name: use `enableServiceLinks: false`"
      : "";
    return invalid(`${quote(variable)} must be ${wanted}${link}`, {});
  };
  if (row.kind === "list") return text.split(",").map((one) => one.trim());
  if (row.kind === "switch") return text === "true" || (text !== "false" && wrong("`true` or `false`"));
  const value = row.kind === "integer" ? (/^\d{1,15}$/.test(text) ? Number(text) : NaN) : text;
  return isValid(row, value) ? value : wrong(wanted(row));
}

function readFileValues(value: unknown, path: string): ReadonlyMap<string, Value> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    invalid("the configuration is not a JSON object", { file: path });
  const values = new Map<string, Value>();
  for (const [name, member] of Object.entries(value)) {
    if (name === "$schema") continue;
    const place = { file: path, pointer: `/${name}` };
    if (Object.hasOwn(settingGroups, name)) readGroup(name, member, { path, values });
    else if (Object.hasOwn(settingTable, name)) values.set(name, readMember(name, member, place));
    else unknownMember(name, [...Object.keys(settingTable), ...Object.keys(settingGroups)], place);
  }
  return values;
}

function readGroup(
  group: string,
  member: unknown,
  { path, values }: { readonly path: string; readonly values: Map<string, Value> },
): void {
  if (typeof member !== "object" || member === null || Array.isArray(member))
    invalid(`${quote(group)} must be an object`, { file: path, pointer: `/${group}` });
  const known = Object.keys(settingGroups[group as keyof typeof settingGroups]);
  for (const [name, value] of Object.entries(member)) {
    const place = { file: path, pointer: `/${group}/${name}` };
    if (!known.includes(name)) unknownMember(name, known, place);
    values.set(`${group}.${name}`, readMember(`${group}.${name}`, value, place));
  }
}

function readMember(name: string, value: unknown, place: ErrorPlace): Value {
  const row = settingTable[name] as SettingRow;
  // `"natsReplicas": 3`
  const given = row.kind === "choice" && typeof value === "number" ? String(value) : value;
  if (isValid(row, given)) return given;
  return invalid(`${quote(name)} must be ${wanted(row)}`, place);
}

function isValid(row: SettingRow, value: unknown): value is Value {
  switch (row.kind) {
    case "switch":
      return typeof value === "boolean";
    case "integer":
      return (
        Number.isSafeInteger(value) &&
        (value as number) >= (row.min ?? 0) &&
        (value as number) <= (row.max ?? Infinity)
      );
    case "list":
      return Array.isArray(value) && value.every((one) => typeof one === "string" && one !== "");
    case "choice":
      return (row.choices ?? []).includes(value as string);
    case "text":
      return typeof value === "string" && value !== "";
  }
}

function wanted(row: SettingRow): string {
  const { kind, choices = [], min = 0, max } = row;
  if (kind === "integer") return `a whole number from ${min}${max === undefined ? "" : ` to ${max}`}`;
  if (kind === "choice") return `one of ${choices.map((one) => `\`${one}\``).join(", ")}`;
  return { switch: "`true` or `false`", list: "a list of texts", text: "a text that is not empty" }[kind];
}

function unknownMember(name: string, known: readonly string[], place: ErrorPlace): never {
  invalid(`there is no setting ${quote(name)}${didYouMean(name, known)}`, place);
}

function invalid(message: string, place: ErrorPlace): never {
  throw new HookwardenError("option-invalid", message, place);
}
