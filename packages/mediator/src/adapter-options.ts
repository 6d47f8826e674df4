import { HookwardenError } from "hookwarden/errors";

/** Default of the option `hold`, in characters. */
const defaultHold = 256;

/**
 * Checks the option `hold` of an adapter: how many characters of a stream it holds back.
 *
 * @throws {HookwardenError} `option-invalid`
 */
export function checkedHold(hold = defaultHold): number {
  if (Number.isSafeInteger(hold) && hold >= 0 && hold <= 65_536) return hold;
  throw new HookwardenError("option-invalid", "`hold` must be a whole number from 0 to 65,536");
}
