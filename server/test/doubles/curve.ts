import { ECDH } from "node:crypto";

const POINT_BYTES = 65;

/** Returns true for the 65 bytes of an uncompressed point on P-256 (RFC 8291 section 4). */
export function isOnCurve(point: Buffer): boolean {
  if (point.length !== POINT_BYTES || point[0] !== 4) return false;
  try {
    ECDH.convertKey(point, "prime256v1");
    return true;
  } catch {
    // OpenSSL rejects points that are not on the curve.
    return false;
  }
}
