import { createHash } from "node:crypto";

/** What a browser says that it did: it alone knows which page asked (Web Authentication Level 3, section 5.8.1). */
export interface ClientData {
  readonly type: string;
  /** base64url. */
  readonly challenge: string;
  readonly origin: string;
  readonly isCrossOrigin: boolean;
}

/** Returns the browser's statement; null where the bytes are none. */
export function parseClientData(bytes: Buffer): ClientData | null {
  const said = parseRecord(bytes);
  if (said === null) return null;
  const { type, challenge, origin, crossOrigin } = said;
  if (typeof type !== "string" || typeof challenge !== "string") return null;
  if (typeof origin !== "string") return null;
  return { type, challenge, origin, isCrossOrigin: crossOrigin === true };
}

/** Returns the hash that an authenticator signs, and that names a relying party. */
export function sha256(bytes: Buffer | string): Buffer {
  return createHash("sha256").update(bytes).digest();
}

function parseRecord(bytes: Buffer): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    // A record is what the condition says.
    return typeof value === "object" ? (value as Record<string, unknown> | null) : null;
  } catch {
    return null;
  }
}
