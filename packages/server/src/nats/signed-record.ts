import { JsonError, readJsonBytes } from "@hookwarden/sandbox/json";
import {
  importPrivateKey,
  type Signer,
  type CheckedTrust,
  checkTrust,
  type Trust,
  readTrust,
  sign,
  verifySignature,
} from "hookwarden/bundle";
import { HookwardenError } from "hookwarden/errors";

/** Largest record, in bytes: what one message of NATS holds by default, with room for its headers. */
export const maxRecordBytes = 960 * 1_024;

/** One version of a record, as its author meant it. */
export interface SignedRecord {
  readonly key: string;
  /** Counts the versions of the key, from 1. */
  readonly version: number;
  /** JSON; `null` where the record has been taken away. */
  readonly value: unknown;
}

/**
 * Signs the records that the nodes of a fleet share, and holds what comes back to the signature: NATS carries them, and
 * is not believed. A record says itself which key and version it is, so that none can stand for another.
 */
export class RecordSigner {
  readonly #trust: CheckedTrust;
  readonly #signer: Signer | null;

  private constructor(trust: CheckedTrust, signer: Signer | null) {
    this.#trust = trust;
    this.#signer = signer;
  }

  /**
   * @param key private key of this node, as JWK; without it the node follows, and changes nothing.
   * @param trust keys that records may be signed with. Default: the public half of `key`.
   * @throws {HookwardenError} `trust-invalid`, `option-invalid`
   */
  static async create({ key, trust }: { key?: unknown; trust?: string | Trust }): Promise<RecordSigner> {
    const signer = key === undefined ? null : await importPrivateKey(key);
    if (trust !== undefined) return new RecordSigner(await readTrust(trust), signer);
    if (!signer)
      throw new HookwardenError("option-invalid", "a node needs the fleet's key, or the keys that it trusts");
    const { kty, crv, x, kid } = key as { kty: "OKP"; crv: "Ed25519"; x: string; kid: string };
    return new RecordSigner(await checkTrust({ keys: [{ kty, crv, x, kid }] }), signer);
  }

  /** @throws {HookwardenError} `option-invalid` where this node has no key, or the record is too large. */
  async close({ key, version, value }: SignedRecord): Promise<Buffer> {
    if (!this.#signer)
      throw new HookwardenError(
        "option-invalid",
        "this node has no key of the fleet, and can change nothing in it",
      );
    const body = Buffer.from(JSON.stringify({ key, version, value }));
    const mark = await sign(body, this.#signer, "hookwarden-record");
    if (body.length + mark.length + 1 > maxRecordBytes)
      throw new HookwardenError(
        "option-invalid",
        `a record of the fleet would be larger than ${maxRecordBytes} bytes`,
      );
    return Buffer.concat([mark, Buffer.from("\n"), body]);
  }

  /**
   * @returns `null` for anything that no trusted key has signed for this record.
   */
  async open(key: string, bytes: Uint8Array): Promise<SignedRecord | null> {
    if (bytes.length > maxRecordBytes) return null;
    const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const end = whole.indexOf(10);
    if (end < 0) return null;
    const body = whole.subarray(end + 1);
    try {
      const signed = { bytes: body, type: "hookwarden-record", bundle: null } as const;
      await verifySignature(signed, whole.subarray(0, end), this.#trust, Date.now());
      const limits = { maxBytes: maxRecordBytes, maxDepth: 32, maxKeys: 20_000, maxKeyLength: 512 };
      const record = readJsonBytes(body, limits) as Partial<SignedRecord> | null;
      const ok =
        record?.key === key && Number.isSafeInteger(record.version) && (record.version as number) > 0;
      return ok && record.value !== undefined ? (record as SignedRecord) : null;
    } catch (error) {
      if (error instanceof HookwardenError || error instanceof JsonError) return null;
      throw error;
    }
  }
}
