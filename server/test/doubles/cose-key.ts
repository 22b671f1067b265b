import type { KeyObject } from "node:crypto";

/** A public key in the encoding of authenticators (RFC 9052, section 7). */
export type CoseKey = ReadonlyMap<number, number | Uint8Array>;

/** Algorithm numbers (RFC 9053, section 2; RFC 8812, section 2). */
export const COSE_ALGORITHMS = { ES256: -7, RS256: -257, EdDSA: -8 } as const;

/** Labels of a key's parameters. Those of RSA have the same numbers as those of curves, but another meaning. */
const LABELS = {
  keyType: 1,
  algorithm: 3,
  rsaModulus: -1,
  rsaExponent: -2,
  curve: -1,
  x: -2,
  y: -3,
} as const;

const KEY_TYPES = { OKP: 1, EC: 2, RSA: 3 } as const;

/** Encodes a public key as authenticators do (RFC 9053, sections 7.1 and 7.2; RFC 8230, section 4). */
export function toCoseKey(publicKey: KeyObject): CoseKey {
  const jwk = publicKey.export({ format: "jwk" });
  const bytes = (text = "") => new Uint8Array(Buffer.from(text, "base64url"));
  const rows: readonly (readonly [number, number | Uint8Array])[] =
    jwk.kty === "RSA"
      ? [
          [LABELS.keyType, KEY_TYPES.RSA],
          [LABELS.algorithm, COSE_ALGORITHMS.RS256],
          [LABELS.rsaModulus, bytes(jwk.n)],
          [LABELS.rsaExponent, bytes(jwk.e)],
        ]
      : jwk.kty === "OKP"
        ? [
            [LABELS.keyType, KEY_TYPES.OKP],
            [LABELS.algorithm, COSE_ALGORITHMS.EdDSA],
            [LABELS.curve, CURVES["Ed25519"] ?? 0],
            [LABELS.x, bytes(jwk.x)],
          ]
        : [
            [LABELS.keyType, KEY_TYPES.EC],
            [LABELS.algorithm, COSE_ALGORITHMS.ES256],
            [LABELS.curve, CURVES[jwk.crv ?? ""] ?? 0],
            [LABELS.x, bytes(jwk.x)],
            [LABELS.y, bytes(jwk.y)],
          ];
  return new Map(rows);
}

const CURVES: Readonly<Record<string, number>> = {
  "P-256": 1,
  "P-384": 2,
  "P-521": 3,
  Ed25519: 6,
};
