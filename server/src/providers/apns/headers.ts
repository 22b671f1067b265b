import { hash } from "node:crypto";
import type { Message } from "../provider.ts";

export interface HeaderRequest {
  readonly message: Message;
  /** The device token. */
  readonly token: string;
  /** The bundle id of the app. */
  readonly topic: string;
  readonly authorization: string;
  readonly now: number;
}

/** Headers that are secret or never repeat stay out of the compression table (RFC 7541 section 7.1.3). */
export const NEVER_INDEXED: readonly string[] = [":path", "authorization", "apns-id"];

const MAX_LIFE_S = 30 * 24 * 60 * 60;
const MAX_COLLAPSE_ID_BYTES = 64;

/** Returns the headers of one push (Apple, "Sending notification requests to APNs"). */
export function headersFor(request: HeaderRequest): Readonly<Record<string, string>> {
  const { message, token, topic, authorization, now } = request;
  return {
    authorization,
    "apns-id": apnsIdOf(message.notificationId, token),
    "apns-topic": topic,
    "apns-push-type": "alert",
    "apns-priority": "10",
    "apns-expiration": String(expirationOf(message.expiresAt, now)),
    "apns-collapse-id": collapseIdOf(message.notificationId),
  };
}

const VARIANTS = ["8", "9", "a", "b"] as const;

/** Returns an id that all attempts at one device share: a UUID of version 8, from a hash (RFC 9562 section 5.8). */
function apnsIdOf(notificationId: string, token: string): string {
  const hex = hash("sha256", `${notificationId} ${token}`, "hex");
  const variant = VARIANTS[Number.parseInt(hex.slice(16, 17), 16) % 4];
  const [low, middle, clock] = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(17, 20)];
  return `${low}-${middle}-8${hex.slice(13, 16)}-${variant}${clock}-${hex.slice(20, 32)}`;
}

/** Returns seconds since the epoch. Zero would mean a single try, and Apple keeps nothing longer than 30 days. */
function expirationOf(expiresAt: number, now: number): number {
  const nowS = Math.floor(now / 1000);
  return Math.min(Math.max(nowS + 1, Math.floor(expiresAt / 1000)), nowS + MAX_LIFE_S);
}

/** Returns an id under which a later push replaces an earlier one, so that a repeated send shows once. */
function collapseIdOf(notificationId: string): string {
  if (Buffer.byteLength(notificationId) <= MAX_COLLAPSE_ID_BYTES) return notificationId;
  return hash("sha256", notificationId, "base64url");
}
