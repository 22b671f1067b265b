import { createHash } from "node:crypto";
import type { Audience } from "#devices/audiences/audience.ts";
import type { Draft } from "./draft.ts";

/** What a repetition must say as well to be one. */
export interface SentContent {
  readonly audience: Audience;
  readonly draft: Draft;
  readonly ttlSeconds: number;
}

/**
 * Returns the hash by which a repetition of a send is known, SHA-256 in hexadecimal. It outlives an upgrade: what an earlier version
 * took, which knew plain text alone, has the same one today.
 */
export function contentHashOf({ audience, draft, ttlSeconds }: SentContent): string {
  const { markdown, ...said } = draft;
  return sha256(JSON.stringify([audience, markdown ? draft : said, ttlSeconds]));
}

/** Returns SHA-256 of a text in hexadecimal. */
export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
