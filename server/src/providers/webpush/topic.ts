import { hash } from "node:crypto";

/**
 * Returns the `Topic` of a notification: 32 characters of base64url, the most that RFC 8030 section 5.4 allows and a length
 * that decodes, which Apple requires.
 */
export function topicOf(notificationId: string): string {
  return hash("sha256", notificationId, "buffer").subarray(0, 24).toString("base64url");
}
