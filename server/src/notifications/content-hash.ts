import { createHash } from "node:crypto";
import { EMPTY_CONTENT, type NotificationContent } from "@tocsin/sdk";
import type { Audience } from "#devices/audiences/audience.ts";

/** The parts of a send that a repetition under the same idempotency key must repeat exactly. */
export interface SentContent {
  readonly audience: Audience;
  readonly draft: NotificationContent;
  readonly ttlSeconds: number;
  readonly extras?: string | null;
}

/**
 * Returns the SHA-256 hash, in hexadecimal, that identifies repetitions of a send. The hash stays the same across
 * upgrades: it covers a field that the first version did not have only if the field is set.
 */
export function hashContent({ audience, draft, ttlSeconds, extras }: SentContent): string {
  const { title, body, sound, channel, link, image, timeSensitive, ...newerFields } = draft;
  const firstVersionFields = { title, body, sound, channel, link, image, timeSensitive };
  const setFields = Object.entries(newerFields).filter(
    ([name, value]) => value !== DEFAULT_VALUES[name],
  );
  const content = { ...firstVersionFields, ...Object.fromEntries(setFields) };
  const furtherParts = typeof extras === "string" ? [extras] : [];
  return sha256(JSON.stringify([audience, content, ttlSeconds, ...furtherParts]));
}

const DEFAULT_VALUES: Readonly<Record<string, unknown>> = { ...EMPTY_CONTENT };

/** Returns the SHA-256 hash of a string, in hexadecimal. */
export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
