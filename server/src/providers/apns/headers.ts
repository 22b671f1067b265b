import { hash } from "node:crypto";
import { getCollapseId } from "../presentation.ts";
import type { Message } from "../provider.ts";

/** The values for the headers of one push. */
export interface ApnsHeaderInput {
  readonly message: Message;
  readonly deviceToken: string;
  /** The bundle id of the app. */
  readonly topic: string;
  readonly authorization: string;
  readonly now: number;
}

/** Headers that are secret or never repeat stay out of the compression table (RFC 7541 section 7.1.3). */
export const NEVER_INDEXED_HEADERS: readonly string[] = [":path", "authorization", "apns-id"];

/** Apple delivers at once. */
const IMMEDIATE_PRIORITY = "10";
/** Apple considers the power of the device, and may deliver later. */
const POWER_AWARE_PRIORITY = "5";
const TTL_MAX_S = 30 * 24 * 60 * 60;
const COLLAPSE_ID_MAX_BYTES = 64;

/** Returns the headers of one push (Apple, "Sending notification requests to APNs"). */
export function createHeaders(input: ApnsHeaderInput): Readonly<Record<string, string>> {
  const { message, deviceToken, topic, authorization, now } = input;
  return {
    authorization,
    "apns-id": deriveApnsId(message.notificationId, deviceToken),
    "apns-topic": topic,
    "apns-push-type": "alert",
    "apns-priority": message.priority === "low" ? POWER_AWARE_PRIORITY : IMMEDIATE_PRIORITY,
    "apns-expiration": String(toExpirationSeconds(message.expiresAt, now)),
    "apns-collapse-id": deriveCollapseId(getCollapseId(message)),
  };
}

const UUID_VARIANTS = ["8", "9", "a", "b"] as const;

/**
 * Returns the same id for each attempt to send a notification to a device: a hash as a version 8 UUID (RFC 9562 section
 * 5.8).
 */
function deriveApnsId(notificationId: string, deviceToken: string): string {
  const hex = hash("sha256", `${notificationId} ${deviceToken}`, "hex");
  const variant = UUID_VARIANTS[Number.parseInt(hex.slice(16, 17), 16) % 4];
  // The version 8 and the variant replace the digits 12 and 16 of the hash.
  const thirdGroup = `8${hex.slice(13, 16)}`;
  const fourthGroup = `${variant}${hex.slice(17, 20)}`;
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${thirdGroup}-${fourthGroup}-${hex.slice(20, 32)}`;
}

/** Returns seconds since the epoch. Zero would mean a single attempt, and Apple stores a push for at most 30 days. */
function toExpirationSeconds(expiresAt: number, now: number): number {
  const nowS = Math.floor(now / 1000);
  return Math.min(Math.max(nowS + 1, Math.floor(expiresAt / 1000)), nowS + TTL_MAX_S);
}

/** Returns the id with which a later push replaces an earlier one, so that a resent push is shown once. */
function deriveCollapseId(id: string): string {
  if (Buffer.byteLength(id) <= COLLAPSE_ID_MAX_BYTES) return id;
  return hash("sha256", id, "base64url");
}
