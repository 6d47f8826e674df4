import { quote } from "@hookwarden/sandbox/json";
import { HookwardenError } from "../errors/index.ts";
import { canonicalJson } from "../files/index.ts";
import { acceptSchema, checkAgainst } from "@hookwarden/sandbox/schema";
import { packManifestFile } from "./manifest.ts";

/** Largest configuration of one hook, in bytes of UTF-8 as JSON. */
const maxConfigBytes = 65_536;

/**
 * Validates a hook's configuration against the schema in the hook's manifest, and returns it as JSON text. A hook without a
 * configuration gets `{}`; where it declares a schema, that must accept it.
 *
 * @throws {HookwardenError} `pack-invalid` for a schema that is not accepted, `policy-invalid` for values that break it
 */
export function checkConfig(
  schema: unknown,
  value: unknown,
  of: { readonly hook: string; readonly file: string },
): string {
  const place = { file: packManifestFile, pointer: `/config/${of.hook}` };
  if (schema === undefined) {
    if (value === undefined) return "{}";
    const message = `the hook ${quote(of.hook)} declares no \`config\`, and the pack configures it`;
    throw new HookwardenError("policy-invalid", message, place);
  }
  const problem = acceptSchema(schema);
  if (problem) {
    const message = `the schema of the configuration ${problem.message}`;
    throw new HookwardenError("pack-invalid", message, {
      file: of.file,
      pointer: `/config${problem.pointer}`,
    });
  }
  const values = value ?? {};
  const json = canonicalJson(values);
  if (Buffer.byteLength(json) > maxConfigBytes) {
    throw new HookwardenError("policy-invalid", `a configuration has at most ${maxConfigBytes} bytes`, place);
  }
  const wrong = checkAgainst(schema, values);
  if (wrong) {
    const message = `the configuration of ${quote(of.hook)} ${wrong.message}`;
    throw new HookwardenError("policy-invalid", message, {
      ...place,
      pointer: place.pointer + wrong.pointer,
    });
  }
  return json;
}
