import { ECDH } from "node:crypto";

const POINT_BYTES = 65;
/** The first byte of an uncompressed point. */
const UNCOMPRESSED = 4;

/** Returns whether the bytes are an uncompressed point on P-256, 65 bytes long (RFC 8291 section 4). */
export function isP256Point(point: Buffer): boolean {
  if (point.length !== POINT_BYTES || point[0] !== UNCOMPRESSED) return false;
  try {
    ECDH.convertKey(point, "prime256v1");
    return true;
  } catch {
    // OpenSSL rejects points that are not on the curve.
    return false;
  }
}
