/** What an authenticator says (Web Authentication Level 3, section 6.1). */
export interface AuthenticatorData {
  /** SHA-256 of the relying party's id. */
  readonly rpIdHash: Buffer;
  readonly isUserPresent: boolean;
  /** By a finger, a face or a PIN. */
  readonly isUserVerified: boolean;
  readonly signCount: number;
  /** Only where it was made now; base64url. */
  readonly credentialId: string | null;
}

const HASH_BYTES = 32;
const HEAD_BYTES = 37;
const AAGUID_BYTES = 16;
const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const ATTESTED = 0x40;

/** Returns what the bytes say; null for bytes that end too early. */
export function parseAuthenticatorData(bytes: Buffer): AuthenticatorData | null {
  if (bytes.length < HEAD_BYTES) return null;
  const flags = bytes.readUInt8(HASH_BYTES);
  const credentialId = (flags & ATTESTED) === 0 ? null : credentialIdOf(bytes);
  if (credentialId === "") return null;
  return {
    rpIdHash: bytes.subarray(0, HASH_BYTES),
    isUserPresent: (flags & USER_PRESENT) !== 0,
    isUserVerified: (flags & USER_VERIFIED) !== 0,
    signCount: bytes.readUInt32BE(HASH_BYTES + 1),
    credentialId,
  };
}

/** Section 6.5.1: the model's id, two bytes of length, the credential's id. Empty where it is cut off. */
function credentialIdOf(bytes: Buffer): string {
  const at = HEAD_BYTES + AAGUID_BYTES;
  if (bytes.length < at + 2) return "";
  const id = bytes.subarray(at + 2, at + 2 + bytes.readUInt16BE(at));
  return id.length === bytes.readUInt16BE(at) ? id.toString("base64url") : "";
}
