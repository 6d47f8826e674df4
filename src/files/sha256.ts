import { createHash } from "node:crypto";

/** `sha256:` and the digest in hexadecimal, of bytes or of a text's UTF-8. */
export function sha256(content: string | Uint8Array): string {
  return `sha256:${createHash("sha256").update(content).digest("hex")}`;
}
