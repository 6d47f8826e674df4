import { createHash } from "node:crypto";

/** `sha256:` and the digest of a text's UTF-8, in hexadecimal. */
export function sha256(text: string): string {
  return `sha256:${createHash("sha256").update(text, "utf8").digest("hex")}`;
}
