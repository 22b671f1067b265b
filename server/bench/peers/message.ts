import { randomBytes, randomUUID } from "node:crypto";
import type { Message } from "#providers/provider.ts";
import { messageWith } from "../../test/support/push-message.ts";
import { roundRobin } from "./round-robin.ts";
import { SAMPLE } from "./sample.ts";

const DEVICES = 10_000;
const tokens = Array.from({ length: DEVICES }, () => randomBytes(32).toString("hex"));

/** Returns the sample notification in the form that providers receive. */
export function sampleMessage(): Message {
  const nowMs = Date.now();
  return messageWith({
    ...SAMPLE,
    notificationId: randomUUID(),
    sound: "default",
    timeSensitive: true,
    createdAt: nowMs,
    expiresAt: nowMs + 86_400_000,
  });
}

/** Returns the token of the next of ten thousand devices. */
export const nextToken = roundRobin(tokens);
