import type { KeyObject } from "node:crypto";

/** A public key in the encoding of authenticators (RFC 9052, section 7). */
export type CoseKey = ReadonlyMap<number, number | Uint8Array>;

/** Algorithm numbers (RFC 9053, section 2; RFC 8812, section 2). */
export const COSE_ALGORITHMS = { ES256: -7, RS256: -257, EdDSA: -8 } as const;

/** Encodes a public key as authenticators do (RFC 9053, sections 7.1 and 7.2; RFC 8230, section 4). */
export function toCoseKey(publicKey: KeyObject): CoseKey {
  const jwk = publicKey.export({ format: "jwk" });
  const bytes = (text = "") => new Uint8Array(Buffer.from(text, "base64url"));
  const rows: readonly (readonly [number, number | Uint8Array])[] =
    jwk.kty === "RSA"
      ? [
          [1, 3],
          [3, COSE_ALGORITHMS.RS256],
          [-1, bytes(jwk.n)],
          [-2, bytes(jwk.e)],
        ]
      : jwk.kty === "OKP"
        ? [
            [1, 1],
            [3, COSE_ALGORITHMS.EdDSA],
            [-1, 6],
            [-2, bytes(jwk.x)],
          ]
        : [
            [1, 2],
            [3, COSE_ALGORITHMS.ES256],
            [-1, CURVES[jwk.crv ?? ""] ?? 0],
            [-2, bytes(jwk.x)],
            [-3, bytes(jwk.y)],
          ];
  return new Map(rows);
}

const CURVES: Readonly<Record<string, number>> = { "P-256": 1, "P-384": 2, "P-521": 3 };
