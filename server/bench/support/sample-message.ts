import { randomBytes, randomUUID } from "node:crypto";
import type { Message } from "#providers/provider.ts";
import { createPushMessage } from "../../test/support/push-message.ts";
import { createRoundRobin } from "./round-robin.ts";
import { SAMPLE } from "./sample.ts";

const DEVICE_COUNT = 10_000;
const DAY_MS = 24 * 60 * 60 * 1_000;
const tokens = Array.from({ length: DEVICE_COUNT }, () => randomBytes(32).toString("hex"));

/** Returns the sample notification in the form that providers receive. */
export function createSampleMessage(): Message {
  const createdAt = Date.now();
  return createPushMessage({
    ...SAMPLE,
    notificationId: randomUUID(),
    sound: "default",
    timeSensitive: true,
    createdAt,
    expiresAt: createdAt + DAY_MS,
  });
}

/** Returns the next device token, in turn from ten thousand. */
export const nextToken = createRoundRobin(tokens);
