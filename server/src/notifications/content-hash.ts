import { createHash } from "node:crypto";
import { EMPTY_CONTENT, type NotificationContent } from "@tocsin/sdk";
import type { Audience } from "#devices/audiences/audience.ts";

/** The parts of a send that a repetition under the same idempotency key must repeat exactly. */
export interface SentContent {
  readonly audience: Audience;
  readonly draft: NotificationContent;
  readonly ttlSeconds: number;
}

/**
 * Returns the hash by which a repetition of a send is known, SHA-256 in hexadecimal. It outlives an upgrade: a field
 * that the first version did not know is only in it where it is given.
 */
export function contentHashOf({ audience, draft, ttlSeconds }: SentContent): string {
  const { title, body, sound, channel, link, image, timeSensitive, ...later } = draft;
  const first = { title, body, sound, channel, link, image, timeSensitive };
  const given = Object.entries(later).filter(([name, value]) => value !== NOT_GIVEN[name]);
  return sha256(JSON.stringify([audience, { ...first, ...Object.fromEntries(given) }, ttlSeconds]));
}

const NOT_GIVEN: Readonly<Record<string, unknown>> = { ...EMPTY_CONTENT };

/** Returns SHA-256 of a text in hexadecimal. */
export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
