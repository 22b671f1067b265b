import { EMPTY_CONTENT } from "@tocsin/sdk";
import type { Message } from "#providers/provider.ts";

/** Returns a message for a provider with only a title and a body, a ttl of one day, and the test's overrides. */
export function createPushMessage(overrides: Partial<Message> = {}): Message {
  return {
    notificationId: "01JD3K9Z6Q8X5T2V7B4N1M0HCA",
    ...EMPTY_CONTENT,
    title: "Disk full",
    body: "99 % of /var is used",
    createdAt: 1_763_664_000_999,
    expiresAt: 1_763_750_400_999,
    interaction: null,
    ...overrides,
  };
}
