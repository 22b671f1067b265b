import { EMPTY_CONTENT } from "@tocsin/sdk";
import type { Message } from "#providers/provider.ts";

/** 2025-11-20T18:40:00.999Z. The milliseconds show whether a provider rounds to seconds. */
const CREATED_AT = 1_763_664_000_999;
const DAY_MS = 86_400_000;

/** Returns a message for a provider with only a title and a body, a ttl of one day, and the test's overrides. */
export function createPushMessage(overrides: Partial<Message> = {}): Message {
  return {
    notificationId: "01JD3K9Z6Q8X5T2V7B4N1M0HCA",
    ...EMPTY_CONTENT,
    title: "Disk full",
    body: "99 % of /var is used",
    createdAt: CREATED_AT,
    expiresAt: CREATED_AT + DAY_MS,
    interaction: null,
    ...overrides,
  };
}
